import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';
import {
  type GroupNames,
  type PeriodFilter,
  type PeriodStore,
  periodTiers,
  type SeriesDivision,
  type SeriesGrouping,
  type SeriesRow,
} from '../contracts/periods.js';
import { clean } from './columns.js';
import { listPeriods, mergePeriods } from './merge-periods.js';
import type { StoreTables } from './tables.js';

const groupings = {
  account: ['account_id'],
  key: ['key_id'],
  provider: ['provider'],
  model: ['provider', 'model'],
} as const satisfies Record<SeriesGrouping, readonly string[]>;

/** The sums of short periods in SQL. */
export function createPeriodStore(database: Kysely<StoreTables>): PeriodStore {
  return {
    series: (filter, division) => readSeries(database, filter, division),
    groups: (filter, by, limit) => largestGroups(database, filter, by, limit),
    list: (accountId, page) => listPeriods(database, clean(accountId), page),
    merge: (now, maxRows) => mergePeriods(database, now, maxRows),
  };
}

/** As one text, so that the statement's columns are the same for all groupings. */
const separator = '\n';

function nameOf(by: SeriesGrouping | null): RawBuilder<string> {
  if (by === null) return sql<string>`''`;
  const columns = groupings[by].map((column) => sql.ref(`usage_periods.${column}`));
  return sql<string>`${sql.join(columns, sql` || ${sql.lit(separator)} || `)}`;
}

const namesOf = (by: SeriesGrouping | null, name: string): GroupNames =>
  by === null ? [] : by === 'model' ? splitOnce(name) : [name];

function splitOnce(name: string): string[] {
  const at = name.indexOf(separator);
  return [name.slice(0, at), name.slice(at + 1)];
}

const wholeSum = (column: string): RawBuilder<number> =>
  sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;

/** The query for a series; each row is the sum of one point, group, measure and bucket. */
function seriesQuery(
  database: Kysely<StoreTables>,
  filter: PeriodFilter,
  { intervalMs, by, groups }: SeriesDivision,
) {
  const point =
    intervalMs === null
      ? sql<number>`cast(0 as bigint)`
      : sql<number>`cast((usage_periods.at - ${filter.from}) / ${intervalMs} as bigint)`;
  return database
    .selectFrom('usage_periods')
    .select([point.as('point'), nameOf(by).as('name'), 'measure', 'bucket'])
    .select([
      wholeSum('requests').as('requests'),
      wholeSum('errors').as('errors'),
      wholeSum('prompt_tokens').as('promptTokens'),
      wholeSum('completion_tokens').as('completionTokens'),
      sql<number>`sum(cost_usd)`.as('costUsd'),
    ])
    .where(selects(filter))
    .where(within(by, groups))
    .groupBy(['point', 'name', 'measure', 'bucket']);
}

async function readSeries(
  database: Kysely<StoreTables>,
  filter: PeriodFilter,
  division: SeriesDivision,
): Promise<SeriesRow[]> {
  if (division.groups?.length === 0) return [];
  const rows = await seriesQuery(database, filter, division).execute();
  return rows.map(({ name, ...row }) => ({ ...row, group: namesOf(division.by, name) }));
}

async function largestGroups(
  database: Kysely<StoreTables>,
  filter: PeriodFilter,
  by: SeriesGrouping,
  limit: number,
): Promise<GroupNames[]> {
  const rows = await database
    .selectFrom('usage_periods')
    .select([nameOf(by).as('name'), wholeSum('requests').as('count')])
    .where(selects(filter))
    .where('measure', '!=', 'ttft')
    .groupBy('name')
    .orderBy('count', 'desc')
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ name }) => namesOf(by, name));
}

function within(by: SeriesGrouping | null, groups: readonly GroupNames[] | undefined) {
  if (by === null || groups === undefined) return sql<SqlBool>`1 = 1`;
  const names = groups.map((group) => clean(group.join(separator)));
  return sql<SqlBool>`${nameOf(by)} in (${sql.join(names)})`;
}

/** The index by age begins with the span. */
const everySpan = sql`usage_periods.span_ms in (${sql.join(
  periodTiers.map(({ spanMs }) => sql.lit(spanMs)),
)})`;

/** Reads an index in the order of time: an account's, or that of the age of all rows. */
function selects({ accountId, keyIds, provider, model, from, to }: PeriodFilter) {
  const conditions = [
    accountId === null ? everySpan : sql`usage_periods.account_id = ${clean(accountId)}`,
    sql`usage_periods.at >= ${from}`,
    sql`usage_periods.at < ${to}`,
  ];
  if (keyIds)
    conditions.push(
      keyIds.length === 0 ? sql`1 = 0` : sql`key_id in (${sql.join(keyIds.map(clean))})`,
    );
  if (typeof provider === 'string') conditions.push(sql`provider = ${clean(provider)}`);
  if (typeof model === 'string') conditions.push(sql`model = ${clean(model)}`);
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}
