import { setImmediate as nextRound } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BatchQueue, type BatchQueueOptions } from '../../src/async/batch-queue.js';
import { GatewayError } from '../../src/errors.js';
import { until } from '../helpers/until.js';

const away = (): GatewayError => new GatewayError('unavailable', 'the database cannot be reached');
const numbers = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

let batches: number[][];
let lost: [items: readonly number[], reason: string][];
const queues: BatchQueue<number>[] = [];
beforeEach(() => {
  batches = [];
  lost = [];
});
afterEach(() => Promise.all(queues.splice(0).map((queue) => queue.close(0))));

function queueOf(options: Partial<BatchQueueOptions<number>> = {}): BatchQueue<number> {
  const queue = new BatchQueue<number>({
    write: async (items) => void batches.push([...items]),
    onLost: (items, reason) => lost.push([[...items], reason]),
    maxItems: 10_000,
    maxBatch: 100,
    delayMs: 0,
    backoff: { firstMs: 5, maxMs: 20 },
    ...options,
  });
  queues.push(queue);
  return queue;
}
const fill = (queue: BatchQueue<number>, count: number, from = 0): void =>
  numbers(count, from).forEach((number) => queue.add(number));

describe('a batch queue', () => {
  it('without a delay writes together what is added in one round of the event loop', async () => {
    const queue = queueOf();
    fill(queue, 3);
    expect(batches).toEqual([]);
    await nextRound();
    fill(queue, 2, 3);
    await until(() => queue.size === 0);
    expect(batches).toEqual([
      [0, 1, 2],
      [3, 4],
    ]);
  });

  it('writes all that had waited for the delay, batch after batch, and then waits anew', async () => {
    const queue = queueOf({ delayMs: 20, flushesFullBatch: false });
    fill(queue, 250);
    expect(batches).toEqual([]);
    await until(() => queue.size === 0);
    expect(batches.map(({ length }) => length)).toEqual([100, 100, 50]);
  });

  it('finds an item that waits or is being written', async () => {
    let release = (): void => undefined;
    const queue = queueOf({
      maxBatch: 1,
      write: () => new Promise((resolve) => (release = resolve)),
    });
    fill(queue, 2);
    expect([0, 1, 2].map((wanted) => queue.find((number) => number === wanted))).toEqual([
      0,
      1,
      undefined,
    ]);
    release();
  });

  it('takes one item of any size, and no other beside it', async () => {
    const queue = queueOf({ sizeOf: (number) => number, maxSize: 10, delayMs: 60_000 });
    expect([50, 1].map((number) => queue.add(number))).toEqual([true, false]);
    expect(lost).toEqual([[[1], 'full']]);
    await queue.flush(5_000);
    expect(queue.add(10)).toBe(true);
  });

  it('tells when an outage begins and ends, once each', async () => {
    const outages: boolean[] = [];
    let failures = 3;
    const queue = queueOf({
      write: async (items) => {
        if (failures-- > 0) throw away();
        batches.push([...items]);
      },
      onOutage: (isAway) => outages.push(isAway),
    });
    fill(queue, 2);
    await until(() => queue.size === 0);
    expect(batches.flat()).toEqual([0, 1]);
    expect(outages).toEqual([true, false]);
  });

  it('closing writes what is added meanwhile too, and retries soon during an outage', async () => {
    let failures = 2;
    const queue = queueOf({
      write: async (items) => {
        if (failures-- > 0) throw away();
        batches.push([...items]);
      },
      backoff: { firstMs: 1, maxMs: 60_000 },
    });
    fill(queue, 2);
    const closed = queue.close(5_000);
    fill(queue, 2, 2);
    await closed;
    expect(batches.flat()).toEqual([0, 1, 2, 3]);
    expect([queue.add(4), lost]).toEqual([false, [[[4], 'closed']]]);
  });

  it('counts what a hanging write has not confirmed as lost when it closes, once', async () => {
    let release = (): void => undefined;
    const queue = queueOf({ write: () => new Promise((resolve) => (release = resolve)) });
    fill(queue, 2);
    await nextRound();
    await queue.close(1);
    release();
    await nextRound();
    expect(lost).toEqual([[[0, 1], 'unwritten']]);
    expect(queue.size).toBe(0);
  });
});
