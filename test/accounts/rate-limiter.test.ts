import { afterEach, describe, expect, it } from 'vitest';
import { fixedCaller } from '../../src/accounts/caller.js';
import { RateLimiter, type Use } from '../../src/accounts/rate-limiter.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import type { Counters } from '../../src/store/contracts/counters.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { openStore } from '../../src/store/open-store.js';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

const use: Use = { requests: 1, tokens: 10, costUsd: 0.5 };

/** A book at that time, where a key has spent one dollar in whatever period is asked for. */
async function bookAt(
  time: string,
  changed: (counters: Counters) => Counters = (counters) => counters,
): Promise<{ book: RateLimiter; asked: unknown[][]; order: string[] }> {
  const store = await openStore(':memory:', { poolSize: 1, onWarning: () => undefined });
  opened.push(store);
  const [asked, order]: [unknown[][], string[]] = [[], []];
  const spentUsd = (...days: unknown[]): Promise<number> => {
    asked.push(days);
    order.push('read');
    return Promise.resolve(1);
  };
  const known = Object.create(store, { requests: { value: { spentUsd } } }) as typeof store;
  const counters = changed(createMemoryCounters({ now: () => Date.parse(time) }));
  const backing = new LazyDatabases(() => Promise.resolve({ store: known, counters }), true);
  const settled = (): Promise<void> => Promise.resolve(void order.push('written'));
  return { book: new RateLimiter(backing, settled), asked, order };
}
const caller = (
  limits: Parameters<typeof fixedCaller>[0]['limits'] = {},
): ReturnType<typeof fixedCaller> => fixedCaller({ name: 'ci', limits });

describe('the limits of keys', () => {
  it('begin with what the request log says was spent in the UTC day and month', async () => {
    const { book, asked } = await bookAt('2024-02-10T23:59:59Z');
    const taken = await book.take(caller({ dayBudgetUsd: 2, monthBudgetUsd: 3 }), use);
    expect(taken).toMatchObject({
      outcome: 'granted',
      standings: [
        { measure: 'usd_day', limit: 2, used: 1.5 },
        { measure: 'usd_month', limit: 3, used: 1.5 },
      ],
    });
    expect(asked).toEqual([
      ['fixed:ci', '2024-02-10', '2024-02-10'],
      ['fixed:ci', '2024-02-01', '2024-02-29'],
    ]);
  });

  it('read that once, however many ask, and after the latest requests were written', async () => {
    const { book, order } = await bookAt('2024-02-10T00:00:00Z');
    const taken = await Promise.all(
      Array.from({ length: 50 }, async () => await book.take(caller({ dayBudgetUsd: 10 }), use)),
    );
    expect(taken.filter(({ outcome }) => outcome === 'granted')).toHaveLength(18);
    expect(order).toEqual(['written', 'read']);
  });

  it('are immediate once they are known', async () => {
    const { book } = await bookAt('2024-02-10T00:00:00Z');
    await book.take(caller({ dayBudgetUsd: 10, requestsPerMinute: 5 }), use);
    expect(book.take(caller({ dayBudgetUsd: 10, requestsPerMinute: 5 }), use)).not.toBeInstanceOf(
      Promise,
    );
  });

  it('read nothing for limits that are no money, and take nothing where there are none', async () => {
    const { book, asked } = await bookAt('2024-02-10T00:00:00Z');
    expect(
      await book.take(caller({ requestsPerMinute: 5, tokensPerMinute: 5 }), use),
    ).toMatchObject({
      outcome: 'refused',
      standing: { measure: 'tokens', limit: 5, used: 0 },
      wanted: 10,
    });
    expect(await book.take(caller({ tokensPerMinute: 5 }), { ...use, tokens: null })).toMatchObject(
      { outcome: 'granted', standings: [] },
    );
    expect(asked).toEqual([]);
  });

  it('let nothing pass where a budget stays unknown', async () => {
    const { book, asked } = await bookAt('2024-02-10T00:00:00Z', (counters) => ({
      ...counters,
      seed: () => undefined,
    }));
    await expect(book.take(caller({ dayBudgetUsd: 10 }), use)).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
    });
    expect(asked).toHaveLength(3);
  });
});
