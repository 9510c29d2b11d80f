import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { PageRequest } from '../../contracts/page.js';
import type { RequestFilter, RequestOrder } from '../../contracts/requests.js';
import { clean } from '../columns.js';
import { readValues } from '../pages.js';
import type { Database } from '../tables.js';
import { allOf } from '../sums.js';
import { requestColumns, selects, selectsFailures, selectSummaries } from './select-requests.js';
import { dayOf, selectsDays } from './usage.js';

/**
 * What each order sorts by, written exactly as in the expression of its index. No index has the bare
 * column, because the databases would then choose it for filters by that column too.
 */
const values: Readonly<Record<RequestOrder | 'time', string>> = {
  time: 'requests.at',
  latency: '(requests.latency_ms + 0)',
  cost: 'coalesce(requests.cost_usd, 0)',
  tokens: '(coalesce(requests.prompt_tokens, 0) + coalesce(requests.completion_tokens, 0))',
};

/** A request's API, provider and model, which come first in the index of each order. */
const group = sql<string>`(requests.surface || ' ' || coalesce(requests.provider, '') || '/' || coalesce(requests.model, ''))`;

/**
 * The key of a request, which each order's index has behind the value, so that requests of other keys
 * are skipped without reading their rows. The expression differs between the orders, so that a query
 * in one order cannot choose the index of another.
 */
const keyIn = (order: RequestOrder) => sql<string>`coalesce(requests.key_id, ${sql.lit(order)})`;

/**
 * How many index entries are read with their rows to find a page: first a few, which is enough for
 * most filters; then more, which takes tens of ms, before everything that the filter selects is read
 * and sorted.
 */
const walks = [400, 4_000] as const;

/** SQLite merges at most 500 orders. With more, all that a filter selects is read and sorted. */
const maxOrders = 500;

/** Up to this many requests of keys are read and sorted: finding them in the orders takes longer. */
const fewRequests = 4_000;

/**
 * From this many entries within a filter's bounds on, SQLite is faster at reading a whole index that
 * has all values than at reading the rows of these entries.
 */
const manyEntries = 20_000;

const columns = sql.join(['id', 'account_id', ...requestColumns].map((name) => sql.ref(name)));

/** The database of the request log. */
export interface LogDatabase {
  readonly database: Database;
  readonly kind: 'libsql' | 'postgres';
}

/** One of the orders that are merged. */
interface Part {
  /** Of the group. */
  readonly name: string;
  /** Null: of all keys. */
  readonly keyId: string | null;
}

/** Where the requests are that a filter selects. */
export interface Places {
  /** Null: too many to merge. */
  readonly parts: readonly Part[] | null;
  /** Whether the filter's keys have at most `fewRequests` in these. */
  readonly areFew: boolean;
}

/**
 * The groups of the log that may have what a filter selects, each with each of the filter's keys.
 * Groups are ruled out by their names, and by the keys' sums of usage. The sums rule nothing out if
 * they are kept for a shorter time than the requests, or have some under the name `other`.
 */
export async function findPlaces(database: Database, filter: RequestFilter): Promise<Places> {
  const { accountId, keyIds, from, to } = filter;
  const known = await readGroups(database);
  if (known.length > maxOrders) return { parts: null, areFew: false };
  const groups = known.filter((name) => mayHold(name, filter));
  const partsOf = (ids: readonly (string | null)[]): Part[] =>
    groups.flatMap((name) => ids.map((keyId) => ({ name, keyId })));
  if (!keyIds || groups.length === 0) return { parts: partsOf([null]), areFew: false };
  const [{ rows: used }, { rows: kept }] = await Promise.all([
    sql<{ key_id: string; name: string; requests: number }>`
      select key_id, provider || '/' || model as name, cast(sum(requests) as bigint) as requests
      from usage_days where ${selectsDays({ accountId, keyIds, from, to }, 'usage_days')}
      group by key_id, provider, model`.execute(database),
    sql<{ since: string | null; oldest: number }>`select (select min(day) from usage_days) as since,
      (select min(at) from requests) as oldest`.execute(database),
  ]);
  const areWhole =
    kept.every(({ since, oldest }) => since !== null && since <= dayOf(oldest)) &&
    !used.some(({ name }) => /^other\/|\/other$/.test(name));
  const having = used.filter((one) => groups.some((name) => nameOf(name) === one.name));
  const hasSome = ({ name, keyId }: Part): boolean =>
    having.some((one) => one.key_id === keyId && one.name === nameOf(name));
  const parts = partsOf(keyIds.map(clean)).filter((part) => !areWhole || hasSome(part));
  return {
    parts: parts.length > maxOrders ? null : parts,
    areFew: areWhole && having.reduce((sum, { requests }) => sum + requests, 0) <= fewRequests,
  };
}

/**
 * The requests of one page that a filter selects, highest first, and one more. If the filter selects
 * much, the first entries of the orders have a whole page; otherwise all that it selects is read and
 * sorted.
 */
export async function sortRequests(
  log: LogDatabase,
  filter: RequestFilter,
  { parts, areFew }: Places,
  { limit, cursor }: PageRequest,
  order: RequestOrder | 'time',
) {
  const value = sql.raw(values[order]);
  const behind = cursor === null ? null : readValues(cursor, 2);
  const walked =
    parts && !areFew && order !== 'time'
      ? await walkOrders(log, filter, parts, { order, behind, limit: limit + 1 })
      : [];
  // not the expression of the order's index, so that the database chooses an index for the filter
  const sorted = sql<number>`(${value} + 0)`;
  const isFound = walked.length > limit;
  const from = !isFound && (await bindsMany(log, filter, parts)) ? allValues : sql`requests`;
  // the ids alone first, which the index of a key or an account has with all values
  const ids = isFound
    ? sql.join(walked)
    : sql`select requests.id from ${from}
        where ${selects(filter)} and ${isBehind(sorted, behind)}
          and ${from === allValues ? allOf([]) : byIndex(filter, parts)}
        order by ${sorted} desc, requests.id desc limit ${limit + 1}`;
  return selectSummaries(log.database)
    .select(sorted.as('sorted'))
    .where(sql<boolean>`requests.id in (${ids})`)
    .orderBy(sorted, 'desc')
    .orderBy('requests.id', 'desc')
    .execute();
}

type Position = readonly (string | number)[] | null;

const isBehind = (value: RawBuilder<unknown>, behind: Position) =>
  behind === null
    ? sql<boolean>`1 = 1`
    : sql<boolean>`(${value}, requests.id) < (${Number(behind[0])}, ${behind[1]})`;

/** The groups of the log, each found behind the one before; at most `maxOrders` and one more. */
async function readGroups(database: Database): Promise<string[]> {
  const first = sql`select ${group} from requests`;
  const { rows } = await sql<{ name: string }>`
    with recursive groups(name) as (
      select (${first} order by ${group} limit 1)
      union all
      select (${first} where ${group} > groups.name order by ${group} limit 1)
      from groups where groups.name is not null
    )
    select name from groups where name is not null limit ${maxOrders + 1}
  `.execute(database);
  return rows.map(({ name }) => name);
}

/** The provider and model of a group, whose API has no space. */
const nameOf = (name: string): string => name.slice(name.indexOf(' ') + 1);

/** Whether a filter names an API, a provider or a model. */
export const namesGroups = ({ surface, provider, model, models }: RequestFilter): boolean =>
  Boolean(surface ?? provider ?? model ?? models);

/** Whether a group may have what a filter selects. */
function mayHold(name: string, { surface, provider, model, models }: RequestFilter): boolean {
  const [ofSurface] = name.split(' ', 1);
  const named = nameOf(name);
  const has = (one: { provider?: string | null; model?: string | null }): boolean =>
    named.startsWith(one.provider ? `${clean(one.provider)}/` : '') &&
    named.endsWith(one.model ? `/${clean(one.model)}` : '');
  return (
    (surface ?? ofSurface) === ofSurface && has({ provider, model }) && (models?.some(has) ?? true)
  );
}

/** The bounds that a filter sets for the value of an order, in the expression of its index. */
function boundsOf(filter: RequestFilter, order: RequestOrder): RawBuilder<SqlBool>[] {
  const { minLatencyMs, maxLatencyMs, minCostUsd, maxCostUsd } = filter;
  const [least, most] = {
    latency: [minLatencyMs, maxLatencyMs],
    cost: [minCostUsd, maxCostUsd],
    tokens: [],
  }[order];
  const value = sql.raw(values[order]);
  return [
    ...(typeof least === 'number' ? [sql<SqlBool>`${value} >= ${least}`] : []),
    ...(typeof most === 'number' ? [sql<SqlBool>`${value} <= ${most}`] : []),
  ];
}

/** A filter's conditions on keys, cost and latency again, in a form for which an index is used. */
function byIndex(filter: RequestFilter, parts: readonly Part[] | null): RawBuilder<SqlBool> {
  const { keyIds } = filter;
  const bounds = [...boundsOf(filter, 'latency'), ...boundsOf(filter, 'cost')];
  return allOf([
    ...(keyIds?.length && !selectsFailures(filter)
      ? [sql`requests.key_id in (${sql.join(keyIds.map(clean))})`]
      : []),
    ...(parts && bounds.length > 0
      ? [sql`${group} in (${sql.join([...new Set(parts.map(({ name }) => name))])})`, ...bounds]
      : []),
  ]);
}

const allValues = sql`requests indexed by requests_by_account`;

/** Whether a filter's bounds select `manyEntries` in SQLite's index. */
async function bindsMany(
  { database, kind }: LogDatabase,
  filter: RequestFilter,
  parts: readonly Part[] | null,
): Promise<boolean> {
  if (kind !== 'libsql' || filter.keyIds || selectsFailures(filter) || !parts) return false;
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    select 1 from requests where ${byIndex(filter, parts)} limit ${manyEntries})`.execute(database);
  return rows[0]?.count === manyEntries;
}

interface Walk {
  readonly order: RequestOrder;
  readonly behind: Position;
  readonly limit: number;
}

/** The ids of a page, from the next entries of the groups' orders; none if these have no whole page. */
async function walkOrders(
  log: LogDatabase,
  filter: RequestFilter,
  parts: readonly Part[],
  walk: Walk,
): Promise<string[]> {
  for (const entries of walks) {
    const found = await readOrders(log, filter, parts, { ...walk, entries });
    if (found.length === walk.limit) return found;
  }
  return [];
}

async function readOrders(
  { database, kind }: LogDatabase,
  filter: RequestFilter,
  parts: readonly Part[],
  { order, behind, limit, entries }: Walk & { readonly entries: number },
): Promise<string[]> {
  const value = sql.raw(values[order]);
  const reached = allOf([isBehind(value, behind), ...boundsOf(filter, order)]);
  const merged = parts.map(({ name, keyId }) => {
    const ofKey = keyId === null ? allOf([]) : sql`${keyIn(order)} = ${keyId}`;
    const rows = sql`select ${columns}, ${value} as sorted from requests
      where ${group} = ${name} and ${ofKey} and ${reached}`;
    // SQLite reads each order only as far as it needs, unless a limit makes it a table of its own
    return kind === 'postgres'
      ? sql`select * from (${rows} order by ${value} desc, id desc limit ${entries}) as one`
      : rows;
  });
  const { rows } = await sql<{ id: string }>`
    select requests.id from (
      ${sql.join(merged, sql` union all `)} order by sorted desc, id desc limit ${entries}
    ) as requests
    where ${selects(filter)} order by sorted desc, requests.id desc limit ${limit}
  `.execute(database);
  return rows.map(({ id }) => id);
}
