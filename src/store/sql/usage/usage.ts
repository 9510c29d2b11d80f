import { type Insertable, sql, type SqlBool } from 'kysely';
import type { RequestFilter, Spender, UsageGrouping, UsageRow } from '../../contracts/requests.js';
import { RepeatedInsert } from '../repeated-insert.js';
import type { Database, UsageDayTable } from '../tables.js';
import { addingTo, allOf, namedBy, requestSums, summed } from '../sums.js';
import { pageOfValues, readValues } from '../pages.js';
import type { Page, PageRequest } from '../../contracts/page.js';
import { fieldsOf } from '../columns.js';

/** A row of the daily sums of usage. */
export type DayColumns = Insertable<UsageDayTable>;

/** The columns of the primary key, in the order by which sums are sorted. */
export const dayKey = ['day', 'account_id', 'key_id', 'provider', 'model'] as const;

/** The columns that are summed. */
export const daySums = [...requestSums, 'cache_saved_usd'] as const;

const insertDays = new RepeatedInsert('usage_days', addingTo('usage_days', dayKey, daySums), [
  ...dayKey,
  ...daySums,
]);

/** Adds sums to those that are there. */
export async function addUsage(database: Database, rows: readonly DayColumns[]): Promise<void> {
  await insertDays.run(database, rows);
}

/** What budgets count of a key or an account: see `RequestStore.spentUsd`. */
export async function readSpentUsd(
  database: Database,
  spender: Spender,
  firstDay: string,
  lastDay: string,
): Promise<number> {
  const days = database
    .selectFrom('usage_days')
    .select(sql<number>`coalesce(sum(cost_usd + held_usd), 0)`.as('spent'))
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
export const groupings = {
  day: ['day'],
  account: ['account_id'],
  key: ['key_id'],
  provider: ['provider'],
  model: ['provider', 'model'],
} as const satisfies Record<UsageGrouping, readonly string[]>;

type Column = (typeof dayKey)[number];

/** Sums of the days that overlap the filter's time, newest day first, then by name. */
export async function sumUsage(
  database: Database,
  filter: RequestFilter,
  by: readonly UsageGrouping[],
  page: PageRequest,
): Promise<Page<UsageRow>> {
  const wanted = new Set<Column>(by.flatMap((grouping) => [...groupings[grouping]]));
  const grouped = dayKey.filter((column) => wanted.has(column));
  let query = database
    .selectFrom('usage_days')
    .select([...grouped])
    .select(daySums.map((column) => summed(column)))
    .where(selectsDays(filter, 'usage_days'))
    .where(after(grouped, page.cursor))
    .groupBy([...grouped])
    .limit(page.limit + 1);
  for (const column of grouped) query = query.orderBy(column, column === 'day' ? 'desc' : 'asc');
  const rows = await query.execute();
  const names = await keyNames(database, rows);
  return pageOfValues(
    rows,
    page.limit,
    (row) => grouped.map((column) => row[column]),
    (row) => usageOf(row, names),
  );
}

/** What a filter selects of sums by day: whole UTC days. */
export function selectsDays(
  filter: Pick<RequestFilter, 'accountId' | 'keyIds' | 'provider' | 'model' | 'from' | 'to'>,
  table: string,
) {
  const conditions = namedBy(filter, table);
  if (typeof filter.from === 'number') conditions.push(sql`day >= ${dayOf(filter.from)}`);
  if (typeof filter.to === 'number') conditions.push(sql`day <= ${dayOf(filter.to - 1)}`);
  return allOf(conditions);
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

type Sums = Pick<UsageDayTable, (typeof daySums)[number]> & Partial<Pick<UsageDayTable, Column>>;

type SumFields = Omit<UsageRow, 'keyId' | 'keyName' | 'provider' | 'model'> & {
  readonly [Name in 'keyId' | 'provider' | 'model']?: string;
};

/** The names of issued keys by their ids. */
export async function keyNames(
  database: Database,
  rows: readonly { readonly key_id?: string | null }[],
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
  const { keyId, provider, model, ...fields } = fieldsOf<SumFields>(row);
  return {
    ...fields,
    ...(keyId === undefined ? {} : { keyId: keyId || null, keyName: names.get(keyId) ?? null }),
    ...(provider === undefined ? {} : { provider: provider || null }),
    ...(model === undefined ? {} : { model: model || null }),
  };
}
