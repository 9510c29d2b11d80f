import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { SummedFigures } from '../contracts/requests.js';
import { clean, type ColumnsOf } from './columns.js';

/** The end of an insert that adds rows to those of the same key: sums as numbers, and lists joined. */
export function addingTo(
  table: string,
  key: readonly string[],
  sums: readonly string[],
  lists: readonly string[] = [],
): RawBuilder<unknown> {
  const set = [
    ...sums.map((column) => sql`${sql.ref(`${table}.${column}`)} + ${excluded(column)}`),
    ...lists.map(
      (column) => sql`coalesce(${sql.ref(`${table}.${column}`)}, '') || ',' || ${excluded(column)}`,
    ),
  ].map((value, index) => sql`${sql.ref([...sums, ...lists][index]!)} = ${value}`);
  return sql`on conflict (${columnList(key)}) do update set ${sql.join(set)}`;
}

const excluded = (column: string) => sql.ref(`excluded.${column}`);

/** The names of columns, separated by commas. */
export const columnList = (columns: readonly string[]): RawBuilder<unknown> =>
  sql.join(columns.map((column) => sql.ref(column)));

/**
 * One row of each key with the sums of all, in the order of the keys, so that two replicas that add
 * them cannot deadlock.
 * @param alsoAdd adds what is not a number
 */
export function sumRows<Row extends Record<Sum, number>, Sum extends string>(
  rows: Iterable<Row>,
  key: readonly (keyof Row)[],
  sums: readonly Sum[],
  alsoAdd?: (sum: Row, row: Row) => void,
): Row[] {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    const name = JSON.stringify(key.map((column) => row[column]));
    const same = byKey.get(name);
    if (same) {
      const numbers: Record<Sum, number> = same;
      for (const column of sums) numbers[column] += row[column];
      alsoAdd?.(same, row);
    } else byKey.set(name, { ...row });
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

const wholeRequestSums = [
  'requests',
  'errors',
  'refused',
  'client_closed',
  'prompt_tokens',
  'completion_tokens',
] as const;

/** The columns of `SummedFigures`. */
export const requestSums = [
  ...wholeRequestSums,
  'cost_usd',
  'estimated_usd',
  'held_usd',
] as const satisfies readonly (keyof ColumnsOf<SummedFigures>)[];

/** The sums of no requests, to add to. */
export const noSums = (): Record<(typeof requestSums)[number], number> =>
  Object.fromEntries(requestSums.map((column) => [column, 0])) as ReturnType<typeof noSums>;

const wholeSums: ReadonlySet<string> = new Set([...wholeRequestSums, 'choices', 'priced']);

/** The sum of a column, under its name; PostgreSQL would answer a sum of whole numbers as text. */
export const summed = <Column extends string>(column: Column) =>
  (wholeSums.has(column)
    ? sql<number>`cast(sum(${sql.ref(column)}) as bigint)`
    : sql<number>`sum(${sql.ref(column)})`
  ).as(column);

/** Whose rows, and of which model, are selected; null: any. */
interface Names {
  readonly accountId: string | null;
  readonly keyIds?: readonly string[] | null;
  readonly provider?: string | null;
  readonly model?: string | null;
}

/** The conditions of the names of a filter. */
export function namedBy(
  { accountId, keyIds, provider, model }: Names,
  table: string,
): RawBuilder<unknown>[] {
  const conditions = Object.entries({ account_id: accountId, provider, model }).flatMap(
    ([column, value]) =>
      typeof value === 'string' ? [sql`${sql.ref(`${table}.${column}`)} = ${clean(value)}`] : [],
  );
  if (keyIds?.length === 0) conditions.push(sql`1 = 0`);
  else if (keyIds)
    conditions.push(sql`${sql.ref(`${table}.key_id`)} in (${sql.join(keyIds.map(clean))})`);
  return conditions;
}

/** All of some conditions. */
export const allOf = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.join([sql`1 = 1`, ...conditions], sql` and `)}`;
