import { type Insertable, sql } from 'kysely';
import { LatencyCounts } from '../../latency-buckets.js';
import { RepeatedInsert } from '../repeated-insert.js';
import type { Database, UsagePeriodTable } from '../tables.js';

/** A row of the table. */
export type PeriodColumns = Insertable<UsagePeriodTable>;

/** The columns of the primary key, in its order. */
export const periodKey = [
  'account_id',
  'at',
  'span_ms',
  'key_id',
  'provider',
  'model',
  'measure',
  'bucket',
] as const;

/** The columns that are summed. */
const periodSums = [
  'requests',
  'errors',
  'prompt_tokens',
  'completion_tokens',
  'cost_usd',
] as const;

type Sum = (typeof periodSums)[number];

/** Counts are added by writing them behind the others. */
const joined = (column: 'latencies' | 'first_tokens') =>
  sql<string>`coalesce(usage_periods.${sql.ref(column)}, '') || ',' || excluded.${sql.ref(column)}`;

const insertPeriods = new RepeatedInsert<'usage_periods'>(
  [...periodKey, ...periodSums, 'latencies', 'first_tokens'],
  (database, rows) =>
    database
      .insertInto('usage_periods')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns([...periodKey]).doUpdateSet((eb) => ({
          ...Object.fromEntries(
            periodSums.map((column) => [
              column,
              eb(`usage_periods.${column}`, '+', eb.ref(`excluded.${column}` as Sum)),
            ]),
          ),
          latencies: joined('latencies'),
          first_tokens: joined('first_tokens'),
        })),
      ),
);

/** Adds `open` and `packed` rows to those that are there. */
export async function addPeriods(
  database: Database,
  rows: readonly PeriodColumns[],
): Promise<void> {
  const sums = new Map<string, PeriodSums>();
  for (const row of rows) {
    const key = JSON.stringify(periodKey.map((column) => row[column]));
    let sum = sums.get(key);
    if (!sum) sums.set(key, (sum = new PeriodSums(row)));
    sum.add(row);
  }
  // in the order of their keys, so that two replicas cannot deadlock
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum.row());
  await insertPeriods.run(database, sorted);
}

const nothing = { requests: 0, errors: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 };

/** Rows of the same key. */
class PeriodSums {
  private readonly sums: PeriodColumns;
  private readonly latencies = new LatencyCounts();
  private readonly firstTokens = new LatencyCounts();

  constructor(like: PeriodColumns) {
    this.sums = { ...like, ...nothing };
  }

  add(row: PeriodColumns): void {
    for (const column of periodSums) this.sums[column] += row[column];
    this.latencies.addPacked(row.latencies ?? '');
    this.firstTokens.addPacked(row.first_tokens ?? '');
  }

  row(): PeriodColumns {
    return {
      ...this.sums,
      latencies: this.latencies.packed(),
      first_tokens: this.firstTokens.packed(),
    };
  }
}
