import { beforeEach, describe, expect, it } from 'vitest';
import { MergingQueue, type MergingQueueOptions } from '../../src/async/merging-queue.js';
import { GatewayError } from '../../src/errors.js';

let writes: [string, number][][];
let lost: [readonly string[], string][];
beforeEach(() => {
  writes = [];
  lost = [];
});

function queueOf(options: Partial<MergingQueueOptions<number>> = {}): MergingQueue<number> {
  return new MergingQueue<number>({
    write: async (values) => void writes.push([...values]),
    merge: (older, newer) => older + newer,
    onLost: (keys, reason) => lost.push([[...keys], reason]),
    maxItems: 3,
    maxBatch: 2,
    delayMs: 60_000,
    backoff: { firstMs: 1, maxMs: 1 },
    ...options,
  });
}

describe('a merging queue', () => {
  it('writes one value for each key', async () => {
    const queue = queueOf();
    for (const key of ['a', 'b', 'a', 'c', 'a']) queue.add(key, 1);
    await queue.flush(5_000);
    expect(writes).toEqual([
      [
        ['a', 3],
        ['b', 1],
      ],
      [['c', 1]],
    ]);
  });

  it('writes what comes during a write the next time', async () => {
    const queue: MergingQueue<number> = queueOf({
      write: async (values) => {
        if (writes.push([...values]) === 1) queue.add('a', 10);
      },
    });
    queue.add('a', 1);
    await queue.flush(5_000);
    expect(queue.has('a')).toBe(true);
    await queue.flush(5_000);
    expect(writes).toEqual([[['a', 1]], [['a', 10]]]);
  });

  it('has room for what comes during a write, where it was full before', async () => {
    const queue: MergingQueue<number> = queueOf({
      write: async (values) => {
        if (writes.push([...values]) === 1) for (const key of values.keys()) queue.add(key, 10);
      },
    });
    for (const key of ['a', 'b', 'c']) queue.add(key, 1);
    await queue.flush(5_000);
    await queue.flush(5_000);
    expect(Object.fromEntries(writes.slice(1).flat())).toEqual({ a: 10, b: 10, c: 1 });
    expect(lost).toEqual([]);
  });

  it('merges what comes during an outage with what could not be written', async () => {
    let failures = 2;
    const queue: MergingQueue<number> = queueOf({
      write: async (values) => {
        queue.add('a', 1);
        if (failures-- > 0) throw new GatewayError('unavailable', 'away');
        writes.push([...values]);
      },
    });
    queue.add('a', 1);
    await queue.flush(5_000);
    expect(writes).toEqual([[['a', 3]]]);
  });

  it('does not write what was replaced by nothing, and does not count it as lost', async () => {
    const queue = queueOf();
    for (const key of ['a', 'b']) queue.add(key, 1);
    queue.replace('a', () => null);
    await queue.flush(5_000);
    expect([writes, lost]).toEqual([[[['b', 1]]], []]);
  });

  it('counts what finds no room, is refused, or is left at the end as lost', async () => {
    const queue = queueOf({
      write: (values) =>
        Promise.reject(values.has('b') ? new Error('no') : new GatewayError('unavailable', 'away')),
    });
    for (const key of ['b', 'a', 'c', 'd', 'a']) queue.add(key, 1);
    await queue.close(20);
    queue.add('e', 1);
    expect(lost).toEqual([
      [['d'], 'full'],
      [['b'], 'refused'],
      [['a', 'c'], 'unwritten'],
      [['e'], 'closed'],
    ]);
  });
});
