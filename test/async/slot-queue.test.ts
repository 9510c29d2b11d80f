import { describe, expect, it, vi } from 'vitest';
import { type Lane, SlotQueue, type Slot } from '../../src/async/slot-queue.js';
import { until } from '../helpers/until.js';

const long = 60_000;

/** A queue, and what starts in it, in order. */
function queueOf(
  max: number | null,
  { maxPerAccount = null as number | null, maxWaitMs = long } = {},
) {
  const waited = vi.fn();
  const refused = vi.fn();
  const queue = new SlotQueue({ name: 'the gateway', waited, refused });
  queue.bounds = { max, maxPerAccount, maxWaitMs };
  const started: string[] = [];
  const slots: Record<string, Slot> = {};
  /** @param name its first letter is the account, whose weight is that of the letter in `weights` */
  const take = (name: string, lane: Lane = 'whole', weight = 1): void => {
    const slot = queue.take({ accountId: name[0]!, weight }, lane);
    slots[name] = slot;
    if (slot.ready)
      slot.ready.then(
        () => started.push(name),
        (error: unknown) => started.push(String(error)),
      );
    else started.push(name);
  };
  const end = async (name: string): Promise<void> => {
    slots[name]!.end();
    await Promise.resolve();
  };
  return { queue, started, slots, take, end, waited, refused };
}

describe('a free slot', () => {
  it('goes to the account that has the fewest running, and of equals to that served longest ago', async () => {
    const { take, end, started } = queueOf(1);
    for (const name of ['a0', 'a1', 'a2', 'a3', 'b1', 'c1', 'b2']) take(name);
    for (const name of ['a0', 'b1', 'c1', 'a1', 'b2', 'a2']) await end(name);
    expect(started).toEqual(['a0', 'b1', 'c1', 'a1', 'b2', 'a2', 'a3']);
  });

  it('goes to accounts by their weight', async () => {
    const { take, end, started } = queueOf(4);
    for (const at of [0, 1, 2, 3]) take(`c${at}`);
    for (const at of [0, 1, 2, 3]) {
      take(`a${at}`);
      take(`b${at}`, 'whole', 3);
    }
    for (const at of [0, 1, 2, 3]) await end(`c${at}`);
    expect(started.slice(4).sort()).toEqual(['a0', 'b0', 'b1', 'b2']);
  });

  it('goes to streams and whole answers of one account by turns', async () => {
    const { take, end, started } = queueOf(2);
    for (const at of [0, 1, 2, 3]) take(`a-stream${at}`, 'stream');
    take('a-whole', 'whole');
    await end('a-stream0');
    expect(started).toEqual(['a-stream0', 'a-stream1', 'a-whole']);
    await end('a-whole');
    await end('a-stream1');
    expect(started.slice(3)).toEqual(['a-stream2', 'a-stream3']);
  });

  it('passes over accounts that have as many as they may', async () => {
    const { take, end, started } = queueOf(3, { maxPerAccount: 1 });
    for (const name of ['a0', 'a1', 'b0', 'b1']) take(name);
    expect(started).toEqual(['a0', 'b0']);
    await end('b0');
    expect(started).toEqual(['a0', 'b0', 'b1']);
  });
});

describe('work that waits', () => {
  it('leaves the queue with the reason that ends it', async () => {
    const { queue, take, end, started, slots } = queueOf(1);
    take('a0');
    take('a1');
    take('a2');
    slots['a1']!.end();
    await end('a0');
    await until(() => started.length === 3);
    expect(started).toEqual(['a0', expect.stringContaining('the client left the queue'), 'a2']);
    expect(queue.length).toBe(0);
  });

  it('is refused when its time is over, with how long the queue takes', async () => {
    const { take, started, refused, waited, slots } = queueOf(1, { maxWaitMs: 30 });
    take('a0');
    take('a1');
    await expect(slots['a1']!.ready).rejects.toMatchObject({ code: 'overloaded', status: 503 });
    expect(refused).toHaveBeenCalledWith('queue_timeout');
    expect(waited).toHaveBeenCalledOnce();
    expect(started[0]).toBe('a0');
  });

  it('is refused at once where it would wait longer than it may, by what slots took lately', async () => {
    const { queue, take, end, started } = queueOf(1, { maxWaitMs: 1_000 });
    take('a0');
    await new Promise((resolve) => setTimeout(resolve, 60));
    await end('a0');
    take('a1');
    for (let at = 0; queue.length < 1_000; at++)
      try {
        take(`b${at}`);
      } catch (error) {
        expect(error).toMatchObject({ code: 'overloaded' });
        const { retryAfterMs } = error as { retryAfterMs: number };
        expect(retryAfterMs).toBeGreaterThan(1_000);
        expect(queue.length).toBeLessThan(20);
        break;
      }
    expect(started).toEqual(['a0', 'a1']);
  });

  it('starts at once where a new bound has room for it', async () => {
    const { queue, take, started } = queueOf(1);
    for (const name of ['a0', 'a1', 'a2', 'a3']) take(name);
    queue.bounds = { ...queue.bounds, max: null };
    await Promise.resolve();
    expect(started).toEqual(['a0', 'a1', 'a2', 'a3']);
  });
});
