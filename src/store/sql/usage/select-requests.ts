import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { PageRequest } from '../../contracts/page.js';
import { codesOf } from '../../../errors.js';
import type { RequestFilter, TimeGrid } from '../../contracts/requests.js';
import { clean } from '../columns.js';
import { after } from '../pages.js';
import { allOf } from '../sums.js';
import type { Database } from '../tables.js';

/** The columns of a request besides its ids, plan, attempts and content. */
export const requestColumns = [
  'request_id',
  'trace_id',
  'key_id',
  'surface',
  'at',
  'status',
  'code',
  'error',
  'field',
  'provider',
  'model',
  'plan_id',
  'conversation_id',
  'response_id',
  'stream',
  'latency_ms',
  'ttft_ms',
  'prompt_tokens',
  'completion_tokens',
  'cost_usd',
  'estimated_usd',
  'held_usd',
] as const;

/** Requests as a list has them: with the names of their keys, without plan, attempts and content. */
export const selectSummaries = (database: Database) =>
  database
    .selectFrom('requests')
    .leftJoin('api_keys', 'api_keys.id', 'requests.key_id')
    .select(['requests.id', 'requests.account_id', ...requestColumns])
    .select('api_keys.name as key_name');

/** One page of what a filter selects, newest first, by an index in the order of time. */
export const selectRequests = (database: Database, filter: RequestFilter, page: PageRequest) =>
  selectSummaries(database)
    .where(selects(filter))
    .where(after(['requests.at', 'requests.id'], page.cursor))
    .orderBy('requests.at', 'desc')
    .orderBy('requests.id', 'desc')
    .limit(page.limit + 1);

/** How many requests a filter selects in each interval, and how many of them failed. */
export const countRequests = (
  database: Database,
  filter: RequestFilter,
  { start, intervalMs }: TimeGrid,
) =>
  database
    .selectFrom('requests')
    .select([
      sql<number>`cast((requests.at - ${start}) / ${intervalMs} as bigint)`.as('point'),
      sql<number>`cast(count(*) as bigint)`.as('requests'),
      sql<number>`cast(count(requests.code) as bigint)`.as('errors'),
    ])
    .where(selects(filter))
    .groupBy('point');

/** What a filter selects of `requests`. */
export const selects = (filter: RequestFilter): RawBuilder<SqlBool> =>
  allOf([...texts(filter), ...numbers(filter), ...keys(filter), ...models(filter)]);

type Condition = ReturnType<typeof sql<SqlBool>>;

function texts(filter: RequestFilter): Condition[] {
  const wanted = {
    account_id: filter.accountId,
    provider: filter.provider,
    model: filter.model,
    response_id: filter.responseId,
    conversation_id: filter.conversationId,
    code: filter.code,
    surface: filter.surface,
  };
  const conditions = Object.entries(wanted).flatMap(([column, value]) =>
    typeof value === 'string'
      ? [sql<SqlBool>`${sql.ref(`requests.${column}`)} = ${clean(value)}`]
      : [],
  );
  if (filter.failed === true) conditions.push(sql<SqlBool>`requests.code is not null`);
  if (filter.failedBy)
    conditions.push(sql<SqlBool>`requests.code in (${sql.join(codesOf(filter.failedBy))})`);
  if (typeof filter.id === 'string') {
    const id = clean(filter.id);
    // by three indexes: that of clients' ids has only those that differ from the row's own
    conditions.push(sql<SqlBool>`(requests.id = ${id} or requests.trace_id = ${id}
      or (requests.request_id = ${id} and requests.request_id <> requests.id))`);
  }
  // exactly the condition of the partial index of failures, which includes answers without a code:
  // those of providers that are passed on as they are
  if (hasErrorStatus(filter))
    conditions.push(sql<SqlBool>`(requests.code is not null or requests.status >= 400)`);
  if (filter.failed === false) conditions.push(sql<SqlBool>`requests.code is null`);
  return conditions;
}

function numbers(filter: RequestFilter): Condition[] {
  const { status, statusClass, stream = null } = filter;
  const bounds: [string, string, number | null | undefined][] = [
    ['status', '=', status],
    ['status', '>=', typeof statusClass === 'number' ? statusClass * 100 : null],
    ['status', '<', typeof statusClass === 'number' ? (statusClass + 1) * 100 : null],
    ['stream', '=', stream === null ? null : Number(stream)],
    ['latency_ms', '>=', filter.minLatencyMs],
    ['latency_ms', '<=', filter.maxLatencyMs],
    ['cost_usd', '>=', filter.minCostUsd],
    ['cost_usd', '<=', filter.maxCostUsd],
    ['at', '>=', filter.from],
    ['at', '<', filter.to],
  ];
  return bounds.flatMap(([column, operator, value]) =>
    typeof value === 'number'
      ? [sql<SqlBool>`${sql.ref(`requests.${column}`)} ${sql.raw(operator)} ${value}`]
      : [],
  );
}

function keys(filter: RequestFilter): Condition[] {
  const { keyIds } = filter;
  if (!keyIds) return [];
  const [only, ...others] = keyIds;
  if (only === undefined) return [sql<SqlBool>`1 = 0`];
  if (others.length === 0 && !selectsFailures(filter))
    return [sql<SqlBool>`requests.key_id = ${clean(only)}`];
  // not the bare column: SQLite would read the index of keys once for each key and then sort. The
  // failures of a single key are found by the index of failures
  return [sql<SqlBool>`coalesce(requests.key_id, '') in (${sql.join(keyIds.map(clean))})`];
}

/** Whether a filter selects failures alone, which have an index with their keys. */
export const selectsFailures = (filter: RequestFilter): boolean =>
  filter.failed === true ||
  Boolean(filter.failedBy) ||
  typeof filter.code === 'string' ||
  hasErrorStatus(filter);

const hasErrorStatus = ({ status, statusClass }: RequestFilter): boolean =>
  (status ?? 0) >= 400 || (statusClass ?? 0) >= 4;

function models({ models: wanted }: RequestFilter): Condition[] {
  if (!wanted) return [];
  const each = wanted.map(({ provider, model }) =>
    provider === null
      ? sql`requests.model = ${clean(model)}`
      : sql`(requests.provider = ${clean(provider)} and requests.model = ${clean(model)})`,
  );
  return [each.length === 0 ? sql`1 = 0` : sql<SqlBool>`(${sql.join(each, sql` or `)})`];
}
