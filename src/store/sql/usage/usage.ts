import { type Insertable, type Kysely, sql, type SqlBool } from 'kysely';
import type { RequestFilter, Spender, UsageGrouping, UsageRow } from '../../contracts/requests.js';
import { RepeatedInsert } from '../repeated-insert.js';
import type { Database, StoreTables, UsageDayTable } from '../tables.js';
import { cursorOfValues, readValues } from '../pages.js';
import type { Page, PageRequest } from '../../contracts/page.js';
import { clean } from '../columns.js';

/** A row of the daily sums of usage. */
export type DayColumns = Insertable<UsageDayTable>;

const keyColumns = ['day', 'account_id', 'key_id', 'provider', 'model'] as const;

/** The columns that are summed. */
export const daySums = [
  'requests',
  'errors',
  'prompt_tokens',
  'completion_tokens',
  'cost_usd',
  'cache_saved_usd',
] as const;

const insertDays = new RepeatedInsert<'usage_days'>([...keyColumns, ...daySums], (database, rows) =>
  database
    .insertInto('usage_days')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns([...keyColumns])
        .doUpdateSet((eb) =>
          Object.fromEntries(
            daySums.map((column) => [
              column,
              eb(`usage_days.${column}`, '+', eb.ref(`excluded.${column}`)),
            ]),
          ),
        ),
    ),
);

/** Adds sums to those that are there. */
export async function addUsage(database: Database, rows: readonly DayColumns[]): Promise<void> {
  await insertDays.run(database, rows);
}

/** USD that a key or an account has spent from `firstDay` to `lastDay` (UTC), both inclusive. */
export async function readSpentUsd(
  database: Kysely<StoreTables>,
  spender: Spender,
  firstDay: string,
  lastDay: string,
): Promise<number> {
  const days = database
    .selectFrom('usage_days')
    .select(sql<number>`coalesce(sum(cost_usd), 0)`.as('spent'))
    .where('day', '>=', firstDay)
    .where('day', '<=', lastDay);
  const { spent } = await (
    'keyId' in spender
      ? days.where('key_id', '=', spender.keyId)
      : days.where('account_id', '=', spender.accountId)
  ).executeTakeFirstOrThrow();
  return spent;
}

/** UTC, `YYYY-MM-DD`. Times outside of the calendar count as its first or last day. */
export function dayOf(at: number): string {
  const last = 253_402_300_799_999;
  return new Date(Math.min(Math.max(at, 0), last)).toISOString().slice(0, 10);
}

/** The columns of each grouping. */
const groupings = {
  day: ['day'],
  account: ['account_id'],
  key: ['key_id'],
  provider: ['provider'],
  model: ['provider', 'model'],
} as const satisfies Record<UsageGrouping, readonly string[]>;

/** In the order by which sums are sorted. */
const columns = ['day', 'account_id', 'key_id', 'provider', 'model'] as const;
type Column = (typeof columns)[number];

/** Sums of the days that overlap the filter's time, newest day first, then by name. */
export async function sumUsage(
  database: Kysely<StoreTables>,
  filter: RequestFilter,
  by: readonly UsageGrouping[],
  page: PageRequest,
): Promise<Page<UsageRow>> {
  const wanted = new Set<Column>(by.flatMap((grouping) => [...groupings[grouping]]));
  const grouped = columns.filter((column) => wanted.has(column));
  let query = database
    .selectFrom('usage_days')
    .select([...grouped])
    .select([
      sql<number>`cast(sum(requests) as bigint)`.as('requests'),
      sql<number>`cast(sum(errors) as bigint)`.as('errors'),
      sql<number>`cast(sum(prompt_tokens) as bigint)`.as('prompt_tokens'),
      sql<number>`cast(sum(completion_tokens) as bigint)`.as('completion_tokens'),
      sql<number>`sum(cost_usd)`.as('cost_usd'),
      sql<number>`sum(cache_saved_usd)`.as('cache_saved_usd'),
    ])
    .where(selects(filter))
    .where(after(grouped, page.cursor))
    .groupBy([...grouped])
    .limit(page.limit + 1);
  for (const column of grouped) query = query.orderBy(column, column === 'day' ? 'desc' : 'asc');
  const rows = await query.execute();
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const names = await keyNames(database, shown);
  return {
    items: shown.map((row) => usageOf(row, names)),
    next:
      rows.length > page.limit && last
        ? cursorOfValues(grouped.map((column) => last[column]))
        : null,
  };
}

function selects({ accountId, keyIds, provider, model, from, to }: RequestFilter) {
  const conditions = [sql`1 = 1`];
  if (accountId !== null) conditions.push(sql`account_id = ${clean(accountId)}`);
  if (keyIds)
    conditions.push(
      keyIds.length === 0 ? sql`1 = 0` : sql`key_id in (${sql.join(keyIds.map(clean))})`,
    );
  if (typeof provider === 'string') conditions.push(sql`provider = ${clean(provider)}`);
  if (typeof model === 'string') conditions.push(sql`model = ${clean(model)}`);
  if (typeof from === 'number') conditions.push(sql`day >= ${dayOf(from)}`);
  if (typeof to === 'number') conditions.push(sql`day <= ${dayOf(to - 1)}`);
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

/** The groups behind the last one of a page. */
function after(grouped: readonly Column[], cursor: string | null) {
  if (cursor === null) return sql<SqlBool>`1 = 1`;
  const last = readValues(cursor, grouped.length).map(String);
  const behind = grouped.map((column, index) => {
    const same = grouped.slice(0, index).map((one, at) => sql`${sql.ref(one)} = ${last[at]}`);
    const beyond = sql`${sql.ref(column)} ${sql.raw(column === 'day' ? '<' : '>')} ${last[index]}`;
    return sql`(${sql.join([...same, beyond], sql` and `)})`;
  });
  return sql<SqlBool>`(${sql.join(behind, sql` or `)})`;
}

interface Sums extends Partial<Record<Column, string>> {
  readonly requests: number;
  readonly errors: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost_usd: number;
  readonly cache_saved_usd: number;
}

async function keyNames(
  database: Kysely<StoreTables>,
  rows: readonly Sums[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(rows.map(({ key_id }) => key_id ?? ''))].filter((id) => id !== '');
  if (ids.length === 0) return new Map();
  const keys = await database
    .selectFrom('api_keys')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute();
  return new Map(keys.map(({ id, name }) => [id, name]));
}

function usageOf(row: Sums, names: ReadonlyMap<string, string>): UsageRow {
  const { day, account_id: accountId, key_id: keyId, provider, model } = row;
  return {
    ...(day === undefined ? {} : { day }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(keyId === undefined ? {} : { keyId: keyId || null, keyName: names.get(keyId) ?? null }),
    ...(provider === undefined ? {} : { provider: provider || null }),
    ...(model === undefined ? {} : { model: model || null }),
    requests: row.requests,
    errors: row.errors,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    costUsd: row.cost_usd,
    cacheSavedUsd: row.cache_saved_usd,
  };
}
