import { type RawBuilder, sql, type SqlBool } from 'kysely';
import {
  everyAccountId,
  type GroupNames,
  type PeriodFilter,
  type PeriodStore,
  periodTiers,
  type SeriesDivision,
  type SeriesGrouping,
  type SeriesRow,
} from '../../contracts/periods.js';
import { clean, fieldsOf } from '../columns.js';
import { listPeriods, mergePeriods, notPacked } from './merge-periods.js';
import { allOf, namedBy, requestSums, summed } from '../sums.js';
import type { Database } from '../tables.js';
import { groupings } from './usage.js';

/** The sums of short periods in SQL. */
export const createPeriodStore = (database: Database): PeriodStore => ({
  async series(filter, division) {
    if (division.groups?.length === 0) return [];
    const rows = await seriesQuery(database, filter, division).execute();
    return rows.map(({ name, ...row }) => ({
      ...fieldsOf<Omit<SeriesRow, 'group'>>(row),
      group: namesOf(division.by, name),
    }));
  },
  async groups(filter, by, limit) {
    const sources = sourcesOf(filter, by).map(
      (source) => sql`select ${nameOf(by)} as name, requests from usage_periods
        where ${source} and measure <> 'ttft'`,
    );
    const { rows } = await sql<{ name: string }>`
      select name, sum(requests) as count from (${sql.join(sources, sql` union all `)}) as named
      group by name order by count desc, name limit ${limit}`.execute(database);
    return rows.map(({ name }) => namesOf(by, name));
  },
  list: (accountId, page) => listPeriods(database, clean(accountId), page),
  merge: (now, maxRows) => mergePeriods(database, now, maxRows),
});

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

/** The query for a series; each row is the sum of one point, group, measure and bucket. */
function seriesQuery(
  database: Database,
  filter: PeriodFilter,
  { intervalMs, by, groups, maxRows }: SeriesDivision,
) {
  const point =
    intervalMs === null
      ? sql<number>`cast(0 as bigint)`
      : sql<number>`cast((usage_periods.at - ${filter.from}) / ${intervalMs} as bigint)`;
  const [first, ...others] = sourcesOf(filter, by).map((source) =>
    database
      .selectFrom('usage_periods')
      .select([point.as('point'), nameOf(by).as('name'), 'measure', 'bucket'])
      .select([
        ...requestSums.map((column) => summed(column)),
        sql<string | null>`string_agg(latencies, ',')`.as('latencies'),
        sql<string | null>`string_agg(first_tokens, ',')`.as('first_tokens'),
      ])
      .where(source)
      .where(within(by, groups))
      .groupBy(['point', 'name', 'measure', 'bucket']),
  );
  // in one statement: rows may be packed meanwhile
  const all = others.reduce((some, one) => some.unionAll(one), first!);
  return maxRows === undefined ? all : all.limit(maxRows);
}

function within(by: SeriesGrouping | null, groups: readonly GroupNames[] | undefined) {
  if (by === null || groups === undefined) return sql<SqlBool>`1 = 1`;
  const names = groups.map((group) => clean(group.join(separator)));
  return sql<SqlBool>`${nameOf(by)} in (${sql.join(names)})`;
}

const isPacked = sql`measure = 'packed'`;

/** The index by age begins with the measure and the span. */
const everySpan = sql`usage_periods.span_ms in (${sql.join(
  periodTiers.map(({ spanMs }) => sql.lit(spanMs)),
)})`;

/**
 * The conditions of the rows to read. Each uses an index in time order, and together they count each
 * request once. For one account: its rows. For all accounts: the sums over all accounts and the rows
 * that are not packed yet; or, by account or key, which those sums do not have, the rows of all
 * accounts.
 */
function sourcesOf(filter: PeriodFilter, by: SeriesGrouping | null): RawBuilder<SqlBool>[] {
  const { accountId, keyIds } = filter;
  if (accountId !== null) return [selects(filter, [ownedBy(accountId)])];
  const everyones = ownedBy(everyAccountId);
  const later = selects(filter, [notPacked, everySpan]);
  if (keyIds || by === 'account' || by === 'key')
    return [selects(filter, [isPacked, everySpan, sql`not ${everyones}`]), later];
  return [selects(filter, [everyones]), later];
}

const ownedBy = (accountId: string) => sql`usage_periods.account_id = ${clean(accountId)}`;

const selects = (
  filter: PeriodFilter,
  conditions: readonly RawBuilder<unknown>[],
): RawBuilder<SqlBool> =>
  allOf([
    ...conditions,
    sql`usage_periods.at >= ${filter.from}`,
    sql`usage_periods.at < ${filter.to}`,
    ...namedBy({ ...filter, accountId: null }, 'usage_periods'),
  ]);
