import { type Insertable, type Selectable, sql, type SqlBool } from 'kysely';
import { pageOfValues, readValues } from '../pages.js';
import type { Page, PageRequest } from '../../contracts/page.js';
import {
  everyAccountId,
  type PeriodRow,
  type PeriodTier,
  periodTiers,
} from '../../contracts/periods.js';
import { fieldsOf } from '../columns.js';
import type { Database, UsagePeriodTable } from '../tables.js';
import { transact } from '../transact.js';
import { LatencyCounts } from '../../latency-buckets.js';
import { RepeatedInsert } from '../repeated-insert.js';
import { addingTo, columnList, requestSums, sumRows } from '../sums.js';

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

const insertPeriods = new RepeatedInsert(
  'usage_periods',
  addingTo('usage_periods', periodKey, requestSums, ['latencies', 'first_tokens']),
  [...periodKey, ...requestSums, 'latencies', 'first_tokens'],
);

/** Adds `open` and `packed` rows to those that are there. */
export async function addPeriods(
  database: Database,
  rows: readonly PeriodColumns[],
): Promise<void> {
  const sums = sumRows(rows, periodKey, requestSums, (sum, row) => {
    sum.latencies = `${sum.latencies ?? ''},${row.latencies ?? ''}`;
    sum.first_tokens = `${sum.first_tokens ?? ''},${row.first_tokens ?? ''}`;
  });
  await insertPeriods.run(
    database,
    sums.map((sum) => ({
      ...sum,
      latencies: packed(sum.latencies ?? ''),
      first_tokens: packed(sum.first_tokens ?? ''),
    })),
  );
}

function packed(counts: string): string {
  const latencies = new LatencyCounts();
  latencies.addPacked(counts);
  return latencies.packed();
}

/** Rows per transaction, few enough that no other statement waits long. */
const maxMoved = 500;
/** Rows of one account and period that are merged at once: many together pack into short counts. */
const maxMerged = 5_000;
/** After a period's end. What is written later is packed the next time. */
const packedAfterMs = 2 * 60_000;
const key = columnList(periodKey);
/** Rows that are not yet in the sums over all accounts: open ones, and those of earlier versions. */
export const notPacked = sql`measure in ('open', 'latency', 'ttft', 'none')`;

type Row = Selectable<UsagePeriodTable>;

/** Packs the rows of periods that have ended, and merges those that are old; returns how many. */
export async function mergePeriods(
  database: Database,
  now: number,
  maxRows: number,
): Promise<number> {
  let moved = 0;
  for (const { spanMs } of periodTiers) {
    while (moved < maxRows) {
      const some = Math.min(maxMoved, maxRows - moved);
      const before = now - spanMs - packedAfterMs;
      const count = await transact(database, async (transaction) => {
        const rows = await takeRows(
          transaction,
          sql`select ${key} from usage_periods
      where ${notPacked} and span_ms = ${spanMs} and at < ${before} order by at limit ${some}`,
        );
        // sums over all accounts are made here too, so that requests need not be added to them
        const packed = rows.map((row): Row => ({ ...row, measure: 'packed' }));
        const everyones = packed.map((row): Row => ({
          ...row,
          account_id: everyAccountId,
          key_id: '',
        }));
        await addPeriods(transaction, [...packed, ...everyones]);
        return rows.length;
      });
      moved += count;
      if (count < some) break;
    }
  }
  for (const [index, tier] of periodTiers.entries()) {
    const next = periodTiers[index + 1];
    if (next && moved < maxRows)
      moved += await mergeTier(database, tier, next, { now, maxRows: maxRows - moved });
  }
  return moved;
}

/** Merges account by account and period by period, once a longer period is old as a whole. */
async function mergeTier(
  database: Database,
  { spanMs, keptMs }: PeriodTier,
  next: PeriodTier,
  { now, maxRows }: { now: number; maxRows: number },
): Promise<number> {
  const startOf = (at: number): number => Math.floor(at / next.spanMs) * next.spanMs;
  const { rows: old } = await sql<Pick<Row, 'account_id' | 'at'>>`
    select account_id, at from usage_periods where measure = 'packed' and span_ms = ${spanMs}
      and at < ${startOf(now - keptMs)} order by at limit ${maxRows}`.execute(database);
  const periods = new Map(
    old.map(({ account_id: account, at }) => [`${startOf(at)} ${account}`, { account, at }]),
  );
  let merged = 0;
  for (const { account, at } of periods.values()) {
    const start = startOf(at);
    merged += await transact(database, async (transaction) => {
      const rows = await takeRows(
        transaction,
        sql`select ${key} from usage_periods where account_id = ${account} and at >= ${start}
          and at < ${start + next.spanMs} and span_ms = ${spanMs} and measure = 'packed'
          limit ${maxMerged}`,
      );
      const moved = rows.map((row): Row => ({ ...row, at: start, span_ms: next.spanMs }));
      await addPeriods(transaction, moved);
      return rows.length;
    });
  }
  return merged;
}

/**
 * Deletes and returns the rows whose keys are selected. The caller adds the new rows after that: only
 * the replica that has deleted a row adds what becomes of it.
 */
async function takeRows(transaction: Database, keys: ReturnType<typeof sql>): Promise<Row[]> {
  const { rows } = await sql<Row>`
    delete from usage_periods where (${key}) in (${keys}) returning *`.execute(transaction);
  return rows.map(withoutClass);
}

/** A row of one class of latency, as earlier versions wrote them, becomes an open one. */
function withoutClass(row: Row): Row {
  const { measure, bucket, requests } = row;
  if (measure === 'open' || measure === 'packed') return row;
  const counts = `${bucket}:${requests}`;
  return {
    ...row,
    measure: 'open',
    bucket: 0,
    requests: measure === 'ttft' ? 0 : requests,
    latencies: measure === 'latency' ? counts : '',
    first_tokens: measure === 'ttft' ? counts : '',
  };
}

/** Adds some sums of an account to those of another one; returns how many rows. */
export async function foldPeriods(
  transaction: Database,
  from: string,
  into: string,
  maxRows: number,
): Promise<number> {
  const rows = await takeRows(
    transaction,
    sql`select ${key} from usage_periods where account_id = ${from} limit ${maxRows}`,
  );
  // those that are open are not yet in the sums over all accounts, and stay so
  await addPeriods(
    transaction,
    rows.map((row): Row => ({ ...row, account_id: into, key_id: '' })),
  );
  return rows.length;
}

/** All rows of an account, oldest first. */
export async function listPeriods(
  database: Database,
  accountId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<PeriodRow>> {
  let query = database
    .selectFrom('usage_periods')
    .selectAll()
    .where('account_id', '=', accountId)
    .limit(limit + 1);
  for (const column of periodKey) query = query.orderBy(column);
  if (cursor !== null)
    query = query.where(
      sql<SqlBool>`(${key}) > (${sql.join([accountId, ...readValues(cursor, periodKey.length - 1)])})`,
    );
  const rows = await query.execute();
  return pageOfValues(
    rows,
    limit,
    (row) => periodKey.slice(1).map((column) => row[column]),
    (row) => fieldsOf<PeriodRow>(row),
  );
}
