import { afterEach, describe, expect, it } from 'vitest';
import { fixedCaller } from '../../src/accounts/caller.js';
import type { Use } from '../../src/accounts/caller-limits.js';
import { RateLimiter } from '../../src/accounts/rate-limiter.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import type { Counters } from '../../src/store/contracts/counters.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { openStore } from '../../src/store/open-store.js';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

const use: Use = { requests: 1, tokens: 10, costUsd: 0.5 };

/** A limiter at a given time; the key has spent the same in every period. */
async function limiterAt(
  time: string,
  changed: (counters: Counters) => Counters = (counters) => counters,
): Promise<{ limiter: RateLimiter; asked: unknown[][]; order: string[] }> {
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
  return { limiter: new RateLimiter(backing, settled), asked, order };
}
const caller = (
  limits: Parameters<typeof fixedCaller>[0]['limits'] = {},
): ReturnType<typeof fixedCaller> => fixedCaller({ name: 'ci', limits });

describe('the limits of keys', () => {
  it('begin with the spending in the request log of the UTC day and month', async () => {
    const { limiter, asked } = await limiterAt('2024-02-10T23:59:59Z');
    const taken = await limiter.reserve(caller({ dayBudgetUsd: 2, monthBudgetUsd: 3 }), use);
    expect(taken).toMatchObject({
      outcome: 'granted',
      statuses: [
        { measure: 'usd_day', limit: 2, used: 1.5 },
        { measure: 'usd_month', limit: 3, used: 1.5 },
      ],
    });
    expect(asked).toEqual([
      [{ keyId: 'fixed:ci' }, '2024-02-10', '2024-02-10'],
      [{ keyId: 'fixed:ci' }, '2024-02-01', '2024-02-29'],
    ]);
  });

  it('read that once for concurrent requests, after the latest requests were written', async () => {
    const { limiter, order } = await limiterAt('2024-02-10T00:00:00Z');
    const taken = await Promise.all(
      Array.from(
        { length: 50 },
        async () => await limiter.reserve(caller({ dayBudgetUsd: 10 }), use),
      ),
    );
    expect(taken.filter(({ outcome }) => outcome === 'granted')).toHaveLength(18);
    expect(order).toEqual(['written', 'read']);
  });

  it('are not read again once they are set', async () => {
    const { limiter, asked } = await limiterAt('2024-02-10T00:00:00Z');
    for (let time = 0; time < 3; time++)
      await limiter.reserve(caller({ dayBudgetUsd: 10, requestsPerMinute: 5 }), use);
    expect(asked).toHaveLength(1);
  });

  it('read nothing for limits that are not money, and reserve nothing without limits', async () => {
    const { limiter, asked } = await limiterAt('2024-02-10T00:00:00Z');
    expect(
      await limiter.reserve(caller({ requestsPerMinute: 5, tokensPerMinute: 5 }), use),
    ).toMatchObject({
      outcome: 'refused',
      status: { measure: 'tokens', limit: 5, used: 0 },
      wanted: 10,
    });
    expect(
      await limiter.reserve(caller({ tokensPerMinute: 5 }), { ...use, tokens: null }),
    ).toMatchObject({ outcome: 'granted', statuses: [] });
    expect(asked).toEqual([]);
  });

  it('refuse requests while the spending stays unknown', async () => {
    const { limiter, asked } = await limiterAt('2024-02-10T00:00:00Z', (counters) => ({
      ...counters,
      setSpent: () => Promise.resolve(),
    }));
    await expect(limiter.reserve(caller({ dayBudgetUsd: 10 }), use)).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
    });
    expect(asked).toHaveLength(3);
  });
});
