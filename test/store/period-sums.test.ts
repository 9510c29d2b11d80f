import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deletedAccountId } from '../../src/store/contracts/removal.js';
import {
  everyAccountId,
  type PeriodFilter,
  type SeriesGrouping,
  type SeriesRow,
} from '../../src/store/contracts/periods.js';
import type { NewRequest } from '../../src/store/contracts/requests.js';
import type { Store } from '../../src/store/contracts/store.js';
import { latencyBucket, LatencyCounts } from '../../src/store/latency-buckets.js';
import { requestRow } from '../helpers/request-row.js';
import { type Place, storeRows } from '../helpers/stores.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const page = { limit: 100, cursor: null };

type Step =
  | { readonly do: 'add'; readonly requests: readonly Partial<NewRequest>[] }
  | { readonly do: 'merge'; readonly afterMs: number }
  | { readonly do: 'remove'; readonly account: string };

const accounts = ['ann', 'bob', 'cyd'];
/** `at` counts from the start of the run's own days. */
const request = fc.record<Partial<NewRequest>>({
  at: fc.oneof(
    fc.integer({ min: 0, max: 30 * dayMs }),
    fc.integer({ min: 29 * dayMs, max: 30 * dayMs }),
  ),
  accountId: fc.constantFrom(...accounts),
  keyId: fc.constantFrom('k', 'l', null),
  provider: fc.constantFrom('p', 'q', null),
  model: fc.constantFrom('m', 'n/n'),
  code: fc.constantFrom(null, null, null, 'all_failed'),
  surface: fc.constantFrom('openai', 'openai', 'model_select'),
  latencyMs: fc.integer({ min: 1, max: 60_000 }),
  ttftMs: fc.option(fc.integer({ min: 1, max: 5_000 })),
  promptTokens: fc.option(fc.integer({ min: 0, max: 1_000 })),
});
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.array(request, { minLength: 1, maxLength: 25 }).map(added) },
    {
      weight: 3,
      arbitrary: fc.integer({ min: 0, max: 40 * dayMs }).map((afterMs): Step => {
        return { do: 'merge', afterMs };
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...accounts).map((account): Step => ({ do: 'remove', account })),
    },
  ),
  { minLength: 1, maxLength: 8 },
);

function added(requests: readonly Partial<NewRequest>[]): Step {
  return { do: 'add', requests };
}

interface Sums {
  requests: number;
  errors: number;
  promptTokens: number;
  latencies: Record<number, number>;
  firstTokens: Record<number, number>;
}

const noSums = (): Sums => ({
  requests: 0,
  errors: 0,
  promptTokens: 0,
  latencies: {},
  firstTokens: {},
});

const count = (counts: Record<number, number>, bucket: number): void => {
  counts[bucket] = (counts[bucket] ?? 0) + 1;
};

const fields = {
  account: ({ accountId }: NewRequest) => [accountId],
  key: ({ keyId }: NewRequest) => [keyId ?? ''],
  provider: ({ provider }: NewRequest) => [provider ?? ''],
  model: ({ provider, model }: NewRequest) => [provider ?? '', model ?? ''],
};

/** What the series should be, from the requests themselves. */
function plainSums(requests: readonly NewRequest[], by: SeriesGrouping | null) {
  const all: Record<string, Sums> = {};
  for (const one of requests) {
    const sums = (all[by === null ? '' : fields[by](one).join('|')] ??= noSums());
    sums.requests += 1;
    sums.errors += one.code === null ? 0 : 1;
    sums.promptTokens += one.promptTokens ?? 0;
    if (one.code !== null || one.surface === 'model_select') continue;
    count(sums.latencies, latencyBucket(one.latencyMs));
    if (one.ttftMs !== null) count(sums.firstTokens, latencyBucket(one.ttftMs));
  }
  return all;
}

const countsIn = (text: string): Record<number, number> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((one) => one !== '')
      .map((one) => one.split(':').map(Number)),
  );

function readSums(rows: readonly SeriesRow[]) {
  const all: Record<string, Sums> = {};
  const packed: Record<string, [latencies: LatencyCounts, firstTokens: LatencyCounts]> = {};
  for (const row of rows) {
    const name = row.group.join('|');
    const [latencies, firstTokens] = (packed[name] ??= [new LatencyCounts(), new LatencyCounts()]);
    const sums = (all[name] ??= noSums());
    if (row.measure === 'ttft') firstTokens.add(row.bucket, row.requests);
    else
      for (const each of ['requests', 'errors', 'promptTokens'] as const) sums[each] += row[each];
    if (row.measure === 'latency') latencies.add(row.bucket, row.requests);
    latencies.addPacked(row.latencies ?? '');
    firstTokens.addPacked(row.firstTokens ?? '');
    sums.latencies = countsIn(latencies.packed());
    sums.firstTokens = countsIn(firstTokens.packed());
  }
  return all;
}

describe.each(storeRows)('series on $name', (row) => {
  let place: Place;
  let store: Store;
  let runs = 0;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
  });
  afterAll(() => place.remove());

  const removeAll = async (account: string): Promise<void> => {
    while ((await store.removal.removeRows(account, 7)) > 0);
  };
  /** Later runs have later days: merging never reaches forwards. */
  async function carryOut(all: readonly Step[], start: number): Promise<NewRequest[]> {
    let kept: NewRequest[] = [];
    for (const step of all) {
      if (step.do === 'add') {
        const rows = step.requests.map((one) => requestRow({ ...one, at: start + (one.at ?? 0) }));
        await store.requests.add(rows);
        kept.push(...rows);
      } else if (step.do === 'merge') {
        while ((await store.periods.merge(start + step.afterMs, 100)) > 0);
      } else {
        await removeAll(step.account);
        kept = kept.map((one) =>
          one.accountId === step.account
            ? { ...one, accountId: deletedAccountId, keyId: null }
            : one,
        );
      }
    }
    return kept;
  }

  it('have each request once, however they are packed, merged and removed', async () => {
    const property = fc.asyncProperty(steps, async (all) => {
      runs += 1;
      const start = Date.UTC(2000, 0, 1) + runs * 100 * dayMs;
      const kept = await carryOut(all, start);
      const from = start - dayMs;
      const read = async (
        more: Partial<PeriodFilter>,
        by: SeriesGrouping | null,
        expected: readonly NewRequest[],
      ): Promise<void> => {
        const filter = { accountId: null, from, to: from + 90 * dayMs, ...more };
        const rows = await store.periods.series(filter, { intervalMs: 10 * dayMs, by });
        expect(readSums(rows)).toEqual(plainSums(expected, by));
        if (by === null) return;
        const groups = await store.periods.groups(filter, by, 100);
        const names = Object.keys(plainSums(expected, by));
        expect(groups.map((group) => group.join('|')).sort()).toEqual(names.sort());
      };
      for (const by of [null, 'account', 'key', 'provider', 'model'] as const)
        await read({}, by, kept);
      await read(
        { accountId: 'ann' },
        'model',
        kept.filter(({ accountId }) => accountId === 'ann'),
      );
      await read(
        { keyIds: ['k'] },
        null,
        kept.filter(({ keyId }) => keyId === 'k'),
      );
      await read(
        { model: 'm' },
        'provider',
        kept.filter(({ model }) => model === 'm'),
      );
      for (const account of accounts) await removeAll(account);
    });
    await fc.assert(property, { numRuns: 12, endOnFailure: true });
  }, 120_000);

  it('of all accounts are no account that is listed or has usage', async () => {
    await store.requests.add([requestRow({ accountId: 'dan', at: hourMs })]);
    while ((await store.periods.merge(dayMs, 100)) > 0);
    const usage = await store.requests.usage({ accountId: null }, ['account'], page);
    expect(JSON.stringify(usage.items)).toContain('dan');
    expect(JSON.stringify(usage.items)).not.toContain(`"accountId":"${everyAccountId}"`);
    expect((await store.accounts.list(page)).items.map(({ id }) => id)).not.toContain(
      everyAccountId,
    );
    expect((await store.periods.list('dan', page)).items).toHaveLength(1);
  });
});
