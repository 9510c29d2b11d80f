import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSeriesRows, SeriesSums } from '../../src/api/figures/series-sums.js';
import { deletedAccountId } from '../../src/store/contracts/removal.js';
import type { PeriodRow } from '../../src/store/contracts/periods.js';
import type { NewRequest } from '../../src/store/contracts/requests.js';
import type { Store } from '../../src/store/contracts/store.js';
import { everyPage } from '../../src/store/contracts/page.js';
import { latencyBucket } from '../../src/store/latency-buckets.js';
import { requestRow } from '../helpers/request-row.js';
import { type Place, storeRows } from '../helpers/stores.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const noon = Date.UTC(2026, 0, 10, 12);

describe.each(storeRows)('sums of short periods on $name', (row) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
  });
  afterAll(() => place.remove());

  const rowsOf = async (accountId: string): Promise<PeriodRow[]> => {
    const rows: PeriodRow[] = [];
    for await (const one of everyPage((page) => store.periods.list(accountId, page)))
      rows.push(one);
    return rows;
  };
  const add = (accountId: string, ...more: Partial<NewRequest>[]): Promise<void> =>
    store.requests.add(more.map((one) => requestRow({ accountId, at: noon, ...one })));
  const total = (rows: readonly PeriodRow[]): number =>
    rows.reduce((sum, { measure, requests }) => sum + (measure === 'ttft' ? 0 : requests), 0);

  it('count each request once, and its latencies where it waited for a model', async () => {
    const accountId = randomUUID();
    await add(
      accountId,
      { at: noon + 1 },
      { at: noon + 59_999 },
      { code: 'all_failed', promptTokens: null, completionTokens: null, costUsd: null },
      { surface: 'model_select', latencyMs: 1, ttftMs: null },
    );
    expect(await rowsOf(accountId)).toEqual([
      {
        at: noon,
        spanMs: minuteMs,
        accountId,
        keyId: 'key',
        provider: 'up',
        model: 'known',
        measure: 'open',
        bucket: 0,
        latencies: `${latencyBucket(100)}:2`,
        firstTokens: `${latencyBucket(50)}:2`,
        requests: 4,
        errors: 1,
        refused: 0,
        clientClosed: 0,
        promptTokens: 30,
        completionTokens: 15,
        costUsd: expect.closeTo(0.003, 12),
        estimatedUsd: 0,
        heldUsd: 0,
      },
    ]);
  });

  it('do not count a request again that is stored already', async () => {
    const accountId = randomUUID();
    const request = requestRow({ accountId });
    await store.requests.add([request]);
    await store.requests.add([request, requestRow({ accountId })]);
    expect(total(await rowsOf(accountId))).toBe(2);
  });

  it('are those of all replicas that add at the same time', async () => {
    const accountId = randomUUID();
    const others = await Promise.all([place.open(), place.open()]);
    await Promise.all(
      [store, ...others].flatMap((each) =>
        Array.from({ length: 5 }, () =>
          each.requests.add([1, 2, 3].map((ms) => requestRow({ accountId, latencyMs: ms * 100 }))),
        ),
      ),
    );
    expect(total(await rowsOf(accountId))).toBe(45);
  });

  it('become longer as they age, and lose nothing, also where several replicas merge them', async () => {
    const accountId = randomUUID();
    const other = await place.open();
    const ages = [0, hourMs, 14 * hourMs, 20 * hourMs, 3 * dayMs, 4 * dayMs, 20 * dayMs];
    for (const age of ages) await add(accountId, { at: noon - age }, { at: noon - age - 1 });
    const before = await rowsOf(accountId);
    await Promise.all([store, other].map((each) => each.periods.merge(noon, 10_000)));
    expect(await store.periods.merge(noon, 10_000)).toBe(0);
    const after = await rowsOf(accountId);
    expect(total(after)).toBe(total(before));
    expect(after.every(({ at, spanMs }) => at % spanMs === 0)).toBe(true);
    const spans = new Map(after.map(({ at, spanMs }) => [Math.ceil((noon - at) / dayMs), spanMs]));
    expect(Object.fromEntries(spans)).toMatchObject({ 4: hourMs, 21: dayMs });
    expect(after.filter(({ spanMs }) => spanMs === minuteMs).map(({ at }) => at)).toContain(noon);
  });

  it('are packed after their period has ended', async () => {
    const accountId = randomUUID();
    await add(accountId, {}, { latencyMs: 9_000 }, { code: 'all_failed' }, { at: noon + hourMs });
    await store.periods.merge(noon + hourMs, 10_000);
    const rows = await rowsOf(accountId);
    expect(rows.map(({ measure }) => measure)).toEqual(['packed', 'open']);
    expect(rows[0]).toMatchObject({
      at: noon,
      spanMs: minuteMs,
      requests: 3,
      errors: 1,
      promptTokens: 30,
      latencies: `${latencyBucket(100)}:1,${latencyBucket(9_000)}:1`,
      firstTokens: `${latencyBucket(50)}:2`,
    });
  });

  it('of earlier versions, one row for each class of latency, are read and packed too', async () => {
    const accountId = randomUUID();
    const old = {
      account_id: accountId,
      at: noon,
      span_ms: minuteMs,
      key_id: 'key',
      provider: 'up',
      model: 'known',
      errors: 0,
      refused: 0,
      client_closed: 0,
      completion_tokens: 0,
      latencies: null,
      first_tokens: null,
    };
    const free = { estimated_usd: 0, held_usd: 0 };
    const sums = { prompt_tokens: 7, cost_usd: 0.5, ...free };
    const none = { prompt_tokens: 0, cost_usd: 0, ...free };
    await place
      .connect()
      .insertInto('usage_periods')
      .values([
        { ...old, ...sums, measure: 'latency', bucket: 40, requests: 2 },
        { ...old, ...none, measure: 'ttft', bucket: 30, requests: 2 },
        { ...old, ...sums, measure: 'none', bucket: 0, requests: 1 },
      ])
      .execute();
    const read = async () => {
      const filter = { accountId, from: noon, to: noon + hourMs };
      const series = new SeriesSums(1);
      addSeriesRows(await store.periods.series(filter, { intervalMs: null, by: null }), () => [
        series,
      ]);
      return series.totals();
    };
    const before = await read();
    expect(before).toMatchObject({ requests: 3, promptTokens: 14, costUsd: 1 });
    expect(before.ttftP50Ms).toBeGreaterThan(0);
    await store.periods.merge(noon + hourMs, 10_000);
    expect(await rowsOf(accountId)).toMatchObject([
      { measure: 'packed', requests: 3, latencies: '40:2', firstTokens: '30:2' },
    ]);
    expect(await read()).toEqual(before);
  });

  it('are read by point, and by group where that is asked for', async () => {
    const accountId = randomUUID();
    await add(
      accountId,
      {},
      { at: noon + 5 * minuteMs, model: 'other' },
      { at: noon + 12 * minuteMs, keyId: null },
      { at: noon + hourMs },
    );
    const filter = { accountId, from: noon, to: noon + hourMs };
    const read = async (by: 'model' | 'key' | null) =>
      (await store.periods.series(filter, { intervalMs: 10 * minuteMs, by }))
        .map(({ point, group, requests }) => [point, ...group, requests])
        .sort((a, b) => (String(a) < String(b) ? -1 : 1));
    expect(await read(null)).toEqual([
      [0, 2],
      [1, 1],
    ]);
    expect(await read('model')).toEqual([
      [0, 'up', 'known', 1],
      [0, 'up', 'other', 1],
      [1, 'up', 'known', 1],
    ]);
    expect(await read('key')).toEqual([
      [0, 'key', 2],
      [1, '', 1],
    ]);
    expect(await store.periods.groups(filter, 'model', 1)).toEqual([['up', 'known']]);
    const only = { intervalMs: null, by: 'model', groups: [['up', 'other']] } as const;
    expect(await store.periods.series(filter, only)).toMatchObject([
      { group: ['up', 'other'], requests: 1 },
    ]);
  });

  it('of a deleted account are added to those of deleted accounts', async () => {
    const [one, another] = [randomUUID(), randomUUID()];
    const before = total(await rowsOf(deletedAccountId));
    await add(one, {}, {});
    await add(another, {});
    for (const id of [one, another])
      while ((await store.removal.removeRows(id, 1)) > 0) expect(id).not.toBe('');
    expect(await rowsOf(one)).toEqual([]);
    const rows = await rowsOf(deletedAccountId);
    expect(total(rows)).toBe(before + 3);
    expect(rows.every(({ keyId }) => keyId === '')).toBe(true);
  });

  it('of days are removed when they are too old', async () => {
    const accountId = randomUUID();
    await add(accountId, { at: noon - 900 * dayMs }, { at: noon - 20 * dayMs });
    while ((await store.periods.merge(noon, 1_000)) > 0) expect(accountId).not.toBe('');
    expect(await rowsOf(accountId)).toHaveLength(2);
    // the account's, and that of all accounts
    expect(await store.retention.removeBefore('usage_periods', noon - 800 * dayMs, 100)).toBe(2);
    expect(await rowsOf(accountId)).toHaveLength(1);
  });
});
