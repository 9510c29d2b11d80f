import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Retention, type RetentionOptions } from '../../src/store/retention.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/contracts/store.js';
import { unusedCounters } from '../helpers/unused-counters.js';
import { requestRow } from '../helpers/request-row.js';
import { until } from '../helpers/until.js';
import { wholeUsage } from '../helpers/whole-usage.js';

const dayMs = 86_400_000;

let store: Store;
let retentions: Retention[];
beforeEach(async () => {
  store = await openStore(':memory:');
  retentions = [];
});
afterEach(async () => {
  for (const retention of retentions) retention.close();
  await store.close();
});

const backing = (isVolatile: boolean): LazyDatabases =>
  new LazyDatabases(() => Promise.resolve({ store, counters: unusedCounters }), isVolatile);
async function retaining(options: RetentionOptions, isVolatile = false): Promise<Retention> {
  const opened = backing(isVolatile);
  await opened.get();
  const retention = new Retention(opened, options);
  retentions.push(retention);
  return retention;
}
const add = (count: number, ageDays: number): Promise<void> =>
  store.requests.add(
    Array.from({ length: count }, (_, index) =>
      requestRow({ at: Date.now() - ageDays * dayMs - index }),
    ),
  );
const kept = async (): Promise<number> => {
  let count = 0;
  for (
    let cursor: string | null = null, isFirst = true;
    isFirst || cursor !== null;
    isFirst = false
  ) {
    const page: { items: readonly unknown[]; next: string | null } = await store.requests.list(
      { accountId: null },
      { limit: 100, cursor },
    );
    count += page.items.length;
    cursor = page.next;
  }
  return count;
};

describe('requests', () => {
  it('that are too old are removed, however many, again and again, and their sums stay', async () => {
    await add(1_300, 8);
    await add(10, 6);
    await retaining({ keptDays: () => ({ requests: 7 }), firstAfterMs: 10, everyMs: 20 });
    await until(async () => (await kept()) === 10);
    await add(5, 7.5);
    await until(async () => (await kept()) === 10);
    const sums = await wholeUsage(store.requests, { accountId: null });
    expect(sums.reduce((sum, { requests }) => sum + requests, 0)).toBe(1_315);
  });

  it('are kept as long as the current configuration says', async () => {
    let days = 30;
    await add(3, 10);
    await add(2, 1);
    await retaining({ keptDays: () => ({ requests: days }), firstAfterMs: 1, everyMs: 10 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await kept()).toBe(5);
    days = 5;
    await until(async () => (await kept()) === 2);
  });

  it('can be removed by several processes at once', async () => {
    await add(2_500, 8);
    for (let replica = 0; replica < 3; replica++)
      await retaining({ keptDays: () => ({ requests: 7 }), firstAfterMs: 1 });
    await until(async () => (await kept()) === 0);
  });

  it('of a database in memory are bounded by number: the oldest are removed', async () => {
    const retention = await retaining(
      { keptDays: () => ({ requests: 30 }), maxVolatile: 100 },
      true,
    );
    const rows = Array.from({ length: 300 }, (_, index) =>
      requestRow({ at: Date.now() - 300 + index }),
    );
    for (let index = 0; index < rows.length; index += 50) {
      const some = rows.slice(index, index + 50);
      await store.requests.add(some);
      retention.noteWritten(some.map(({ at }) => at));
    }
    await until(async () => (await kept()) <= 100);
    const {
      items: [newest],
    } = await store.requests.list({ accountId: null }, { limit: 1, cursor: null });
    expect(newest?.id).toBe(rows.at(-1)?.id);
    expect(await kept()).toBeGreaterThanOrEqual(90);
  });

  it('do not cause a database to be opened', async () => {
    const unopened = backing(false);
    retentions.push(
      new Retention(unopened, { keptDays: () => ({ requests: 1 }), firstAfterMs: 1, everyMs: 1 }),
    );
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(unopened.now).toBeNull();
  });
});
