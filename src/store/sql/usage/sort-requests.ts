import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PageRequest } from '../../contracts/page.js';
import type { RequestFilter, RequestOrder } from '../../contracts/requests.js';
import { clean } from '../columns.js';
import { readValues } from '../pages.js';
import type { StoreTables } from '../tables.js';
import { requestColumns, selects, selectSummaries } from './select-requests.js';

/**
 * The values of each order, in the words of its index: none is a column, by which a filter would choose
 * the index too.
 */
const values: Readonly<Record<RequestOrder, string>> = {
  latency: '(requests.latency_ms + 0)',
  cost: 'coalesce(requests.cost_usd, 0)',
  tokens: '(coalesce(requests.prompt_tokens, 0) + coalesce(requests.completion_tokens, 0))',
};

/** A request's API, provider and model, which come first in the index of each order. */
const group = sql<string>`(requests.surface || ' ' || coalesce(requests.provider, '') || '/' || coalesce(requests.model, ''))`;

/**
 * How many entries of an order are read: tens of ms. Each costs a read of its row; with fewer, more
 * filters would have to read and sort all that they select.
 */
const maxWalked = 4_000;

/** SQLite merges at most 500 orders. With more groups, all that a filter selects is read and sorted. */
const maxGroups = 500;

const columns = sql.join(['id', 'account_id', ...requestColumns].map((name) => sql.ref(name)));

/** The database of the request log. */
export interface LogDatabase {
  readonly database: Kysely<StoreTables>;
  readonly kind: 'libsql' | 'postgres';
}

/**
 * The requests of one page that a filter selects, highest first, and one more. Where the filter
 * selects much, the first rows of the order have a page of them; otherwise what it selects is read
 * and sorted.
 */
export async function sortRequests(
  log: LogDatabase,
  filter: RequestFilter,
  { limit, cursor }: PageRequest,
  order: RequestOrder,
) {
  const value = sql.raw(values[order]);
  const behind = cursor === null ? null : readValues(cursor, 2);
  const known = await readGroups(log.database);
  const groups = known.filter((name) => mayHold(name, filter));
  const areAllKnown = known.length <= maxGroups;
  if (areAllKnown && groups.length === 0) return [];
  const walk = { value, groups, behind, limit: limit + 1 };
  const walked = areAllKnown ? await walkOrders(log, filter, walk) : [];
  // of something that is not the index's value, so that the filter chooses the index
  const sorted = sql<number>`(${value} + 0)`;
  // the ids alone first, which the index of a key or an account has with all values
  const ids =
    walked.length > limit
      ? sql.join(walked)
      : sql`select requests.id from requests
          where ${selects(filter)} and ${isBehind(sorted, behind)}
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

/** The groups of the log, each found behind the one before; at most one more than are merged. */
async function readGroups(database: Kysely<StoreTables>): Promise<string[]> {
  const first = sql`select ${group} from requests`;
  const { rows } = await sql<{ name: string }>`
    with recursive groups(name) as (
      select (${first} order by ${group} limit 1)
      union all
      select (${first} where ${group} > groups.name order by ${group} limit 1)
      from groups where groups.name is not null
    )
    select name from groups where name is not null limit ${maxGroups + 1}
  `.execute(database);
  return rows.map(({ name }) => name);
}

/** Whether a group may have what a filter selects. */
function mayHold(name: string, { surface, provider, model, models }: RequestFilter): boolean {
  const [ofSurface] = name.split(' ', 1);
  const named = name.slice(ofSurface!.length + 1);
  const has = (one: { provider?: string | null; model?: string | null }): boolean =>
    named.startsWith(one.provider ? `${clean(one.provider)}/` : '') &&
    named.endsWith(one.model ? `/${clean(one.model)}` : '');
  return (
    (surface ?? ofSurface) === ofSurface && has({ provider, model }) && (models?.some(has) ?? true)
  );
}

interface Walk {
  readonly value: RawBuilder<unknown>;
  readonly groups: readonly string[];
  readonly behind: Position;
  readonly limit: number;
}

/** The ids of what the filter selects among the next rows of the groups' orders. */
async function walkOrders(
  { database, kind }: LogDatabase,
  filter: RequestFilter,
  { value, groups, behind, limit }: Walk,
): Promise<string[]> {
  const merged = groups.map((name) => {
    const rows = sql`select ${columns}, ${value} as sorted from requests
      where ${group} = ${name} and ${isBehind(value, behind)}`;
    // SQLite reads each order only as far as it needs, unless a limit makes it a table of its own
    return kind === 'postgres'
      ? sql`select * from (${rows} order by ${value} desc, id desc limit ${maxWalked}) as one`
      : rows;
  });
  const { rows } = await sql<{ id: string }>`
    select requests.id from (
      ${sql.join(merged, sql` union all `)} order by sorted desc, id desc limit ${maxWalked}
    ) as requests
    where ${selects(filter)} order by sorted desc, requests.id desc limit ${limit}
  `.execute(database);
  return rows.map(({ id }) => id);
}
