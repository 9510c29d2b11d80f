import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  NewRequest,
  RequestFilter,
  RequestOrder,
  RequestRow,
  RequestStore,
  RequestSummary,
} from '../../../../src/store/contracts/requests.js';
import { migrateSchema } from '../../../../src/store/sql/migrate.js';
import { migrations } from '../../../../src/store/sql/migrations.js';
import { createSqlStore } from '../../../../src/store/sql/sql-store.js';
import { seeded } from '../../../helpers/hostile-clients.js';
import { type Place, storeRows } from '../../../helpers/stores.js';

const random = seeded(121);
const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
const accounts = ['ada', 'ben'];
const keys = ['one', 'two', null];
const surfaces = ['native', 'openai', 'messages'];
const providers = ['up', 'up/stream', null];
// one ends as another does, and one is no name that a provider has
const models = ['small', 'large', 'stream/small', "it's 100 %", '\0', null];
const codes = ['all_failed', 'budget_spent', null, null];
const orders: readonly RequestOrder[] = ['latency', 'cost', 'tokens'];

const madeUp = (at: number, changes: Partial<RequestRow> = {}): RequestRow => ({
  id: randomUUID(),
  requestId: 'any',
  traceId: null,
  accountId: oneOf(accounts),
  keyId: oneOf(keys),
  surface: oneOf(surfaces),
  at,
  status: oneOf([200, 200, 404, 502]),
  code: oneOf(codes),
  error: null,
  field: null,
  provider: oneOf(providers),
  model: oneOf(models),
  planId: null,
  conversationId: null,
  responseId: null,
  stream: random() < 0.5,
  // few values, so that many are equal
  latencyMs: Math.floor(random() * 40),
  ttftMs: null,
  promptTokens: oneOf([null, 0, 7, Math.floor(random() * 900)]),
  completionTokens: oneOf([null, 5]),
  costUsd: oneOf([null, 0, random() / 9]),
  estimatedUsd: 0,
  heldUsd: 0,
  plan: null,
  attempts: null,
  content: null,
  ...changes,
});

const sometimes = <T>(make: () => T): T | null => (random() < 0.3 ? make() : null);

const anyFilter = (): RequestFilter => ({
  accountId: sometimes(() => oneOf(accounts)),
  keyIds: sometimes(() => oneOf([['one'], ['one', 'two'], ['none'], []])),
  surface: sometimes(() => oneOf([...surfaces, 'never'])),
  provider: sometimes(() => oneOf(['up', 'up/stream', 'never'])),
  model: sometimes(() => oneOf(['small', 'stream/small', '\0', 'never'])),
  models: sometimes(() =>
    Array.from({ length: oneOf([0, 1, 2]) }, () => ({
      provider: oneOf(['up', 'up/stream', null, 'never']),
      model: oneOf(['small', 'large', "it's 100 %", 'never']),
    })),
  ),
  failed: sometimes(() => random() < 0.5),
  code: sometimes(() => oneOf(['all_failed', 'never'])),
  statusClass: sometimes(() => oneOf([2, 4, 5])),
  minCostUsd: sometimes(() => oneOf([0, 0.05])),
  maxCostUsd: sometimes(() => oneOf([0, 0.08])),
  minLatencyMs: sometimes(() => oneOf([0, 5])),
  maxLatencyMs: sometimes(() => 20),
  from: sometimes(() => Math.floor(random() * 500)),
});

const valueOf = (row: RequestSummary, order: RequestOrder): number =>
  ({
    latency: row.latencyMs,
    cost: row.costUsd ?? 0,
    tokens: (row.promptTokens ?? 0) + (row.completionTokens ?? 0),
  })[order];

async function readPages(
  requests: RequestStore,
  filter: RequestFilter,
  limit: number,
  order: RequestOrder | null,
): Promise<RequestSummary[]> {
  const seen: RequestSummary[] = [];
  let cursor: string | null = null;
  do {
    const page = await requests.list(filter, { limit, cursor }, order);
    seen.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return seen;
}

/** Whether a request is of the API, provider and model that a filter names, without a database. */
function isNamed(
  row: RequestSummary,
  { surface, provider, model, models }: RequestFilter,
): boolean {
  const is = (one: { provider?: string | null; model?: string | null }): boolean =>
    (one.provider ?? row.provider) === row.provider &&
    (one.model?.replace('\0', '\ufffd') ?? row.model) === row.model;
  return (
    (surface ?? row.surface) === row.surface &&
    is({ provider, model }) &&
    (models?.some(is) ?? true)
  );
}

/** The pages of each order have, one after the other, the requests that are as the filter says. */
async function expectOrdered(
  requests: RequestStore,
  filter: RequestFilter,
  limit: number,
  order: RequestOrder,
): Promise<void> {
  const unnamed = { ...filter, surface: null, provider: null, model: null, models: null };
  const byTime = (await readPages(requests, unnamed, 200, null)).filter((row) =>
    isNamed(row, filter),
  );
  expect(await readPages(requests, filter, limit, null), JSON.stringify(filter)).toEqual(byTime);
  const sorted = [...byTime].sort(
    (one, other) => valueOf(other, order) - valueOf(one, order) || (one.id < other.id ? 1 : -1),
  );
  expect(await readPages(requests, filter, limit, order), JSON.stringify(filter)).toEqual(sorted);
}

describe.each(storeRows)('the request log on $name, in an order of its own', ({ kind, place }) => {
  const places: Place[] = [];
  const newPlace = async (): Promise<Place> => {
    places.push(await place());
    return places.at(-1)!;
  };
  let requests: RequestStore;
  beforeAll(async () => {
    ({ requests } = await (await newPlace()).open());
    await requests.add(Array.from({ length: 500 }, (_, at) => madeUp(at)));
  }, 60_000);
  afterAll(async () => {
    for (const each of places) await each.remove();
  });

  it('has for any filter the rows of the list by time, sorted, page by page', async () => {
    for (let round = 0; round < 90; round++)
      await expectOrdered(requests, anyFilter(), oneOf([7, 50, 200]), orders[round % 3]!);
  }, 60_000);

  it('has them also of more models than the database merges', async () => {
    const { requests: many } = await (await newPlace()).open();
    await many.add(Array.from({ length: 1_100 }, (_, at) => madeUp(at, { model: `m${at % 550}` })));
    for (const filter of [{}, { models: [{ provider: null, model: 'm549' }] }, { model: 'never' }])
      await expectOrdered(many, { accountId: null, ...filter }, 200, 'latency');
    await many.add([madeUp(0, { surface: 'zz', provider: 'z', model: 'last', latencyMs: 99 })]);
    expect(await readPages(many, { accountId: null, model: 'last' }, 5, 'latency')).toHaveLength(1);
  }, 60_000);

  it('has those of a key whose sums of usage do not name all of its models', async () => {
    const own = await newPlace();
    const { requests: many } = await own.open();
    const of = (count: number, model: string, latencyMs: number, at: number): NewRequest[] =>
      Array.from({ length: count }, () => ({
        ...madeUp(at, { keyId: 'one', surface: 'native', provider: 'up', model, latencyMs }),
        ...(model === 'invented' ? { summedAs: { provider: 'up', model: 'other' } } : {}),
      }));
    const day = 86_400_000;
    const dearer = of(4_100, 'large', 90, 9 * day).map((row) => ({ ...row, keyId: 'two' }));
    await many.add([...dearer, ...of(30, 'small', 50, 0), ...of(60, 'stream/small', 40, 9 * day)]);
    const filter = { accountId: null, keyIds: ['one'] };
    await expectOrdered(many, filter, 20, 'latency');
    await expectOrdered(many, { ...filter, model: 'small' }, 20, 'latency');
    await own.connect().deleteFrom('usage_days').where('day', '<', '1970-01-05').execute();
    await expectOrdered(many, filter, 20, 'latency');
    await expectOrdered(many, { ...filter, model: 'small' }, 20, 'latency');
    await many.add(of(30, 'invented', 60, 8 * day));
    await expectOrdered(many, { ...filter, from: day }, 20, 'latency');
    await expectOrdered(many, { ...filter, model: 'invented' }, 20, 'latency');
  }, 60_000);

  it('has those that a bound selects besides more than are read one by one', async () => {
    const { requests: many } = await (await newPlace()).open();
    const fast = { provider: 'up', model: 'small', surface: 'native', latencyMs: 7, code: null };
    const dearer = Array.from({ length: 20_000 }, (_, at) => madeUp(at, { ...fast, costUsd: 9 }));
    const cheap = Array.from({ length: 90 }, (_, at) =>
      madeUp(at, { ...fast, latencyMs: 5 + (at % 9), conversationId: 'one' }),
    );
    await many.add([...dearer, ...cheap]);
    const filter = { conversationId: 'one', maxLatencyMs: 9 };
    for (const accountId of [null, 'ada'])
      await expectOrdered(many, { ...filter, accountId }, 20, 'cost');
  }, 60_000);

  it('has those of a database that an earlier version filled', async () => {
    const earlier = await newPlace();
    if (kind === 'libsql') mkdirSync(dirname(earlier.url.slice('file:'.length)));
    const database = earlier.connect();
    const known = [...migrations].filter(([name]) => name < '0027');
    await migrateSchema(database, kind, new Map(known));
    const old = createSqlStore(database, kind, () => Promise.resolve());
    await old.requests.add(Array.from({ length: 60 }, (_, at) => madeUp(at)));
    const { requests: now } = await earlier.open();
    for (const order of orders) await expectOrdered(now, { accountId: null }, 9, order);
    await expectOrdered(now, { accountId: 'ada', keyIds: ['one'] }, 9, 'cost');
  });
});
