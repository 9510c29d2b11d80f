import { type Kysely, type Selectable, sql, type SqlBool } from 'kysely';
import { invalidField } from '../../../errors.js';
import type { Page, PageRequest } from '../../contracts/page.js';
import {
  everyAccountId,
  type PeriodRow,
  type PeriodTier,
  periodTiers,
} from '../../contracts/periods.js';
import { addPeriods, periodKey } from './add-periods.js';
import { clean } from '../columns.js';
import type { Database, StoreTables, UsagePeriodTable } from '../tables.js';
import { transact } from '../transact.js';

/** Rows per transaction, few enough that no other statement waits long. */
const maxMoved = 500;
/** Of one account and period: more have to be packed together, so that their counts are short. */
const maxMerged = 5_000;
/** After a period's end. What is written later is packed the next time. */
const packedAfterMs = 2 * 60_000;
const key = sql.join(periodKey.map((column) => sql.ref(column)));
/** Rows that are not yet in the sums over all accounts: open ones, and those of earlier versions. */
export const notPacked = sql`measure in ('open', 'latency', 'ttft', 'none')`;

type Row = Selectable<UsagePeriodTable>;

/** Packs the rows of periods that have ended, and merges those that are old; returns how many. */
export async function mergePeriods(
  database: Kysely<StoreTables>,
  now: number,
  maxRows: number,
): Promise<number> {
  let moved = 0;
  for (const { spanMs } of periodTiers) {
    while (moved < maxRows) {
      const some = Math.min(maxMoved, maxRows - moved);
      const before = now - spanMs - packedAfterMs;
      const count = await transact(database, (transaction) =>
        packSome(transaction, spanMs, before, some),
      );
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

/** Sums over all accounts are made here too, so that requests need not be added to them. */
async function packSome(
  transaction: Database,
  spanMs: number,
  before: number,
  limit: number,
): Promise<number> {
  const rows = await takeRows(
    transaction,
    sql`select ${key} from usage_periods
      where ${notPacked} and span_ms = ${spanMs} and at < ${before} order by at limit ${limit}`,
  );
  const packed = rows.map((row): Row => ({ ...row, measure: 'packed' }));
  const everyones = packed.map((row): Row => ({ ...row, account_id: everyAccountId, key_id: '' }));
  await addPeriods(transaction, [...packed, ...everyones]);
  return rows.length;
}

interface Bounds {
  readonly now: number;
  readonly maxRows: number;
}

/** One account and one longer period after the other, once all of that period is old. */
async function mergeTier(
  database: Kysely<StoreTables>,
  { spanMs, keptMs }: PeriodTier,
  next: PeriodTier,
  { now, maxRows }: Bounds,
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
 * Deletes and returns the rows whose keys are selected. What becomes of them is added afterwards, so
 * that two replicas that do it at once cannot both add it.
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
  database: Kysely<StoreTables>,
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
    query = query.where(sql<SqlBool>`(${key}) > (${sql.join(readCursor(cursor, accountId))})`);
  const rows = await query.execute();
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(fromColumns),
    next: rows.length > limit && last ? cursorOf(last) : null,
  };
}

const cursorOf = (row: Selectable<UsagePeriodTable>): string =>
  Buffer.from(JSON.stringify(periodKey.slice(1).map((column) => row[column]))).toString(
    'base64url',
  );

function readCursor(cursor: string, accountId: string): (string | number)[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(values) && values.length === periodKey.length - 1)
      return [
        accountId,
        ...values.map((value) => (typeof value === 'number' ? value : clean(String(value)))),
      ];
  } catch {
    // answered below
  }
  throw invalidField('cursor', 'must be the cursor of an earlier page', 'bad_request');
}

const fromColumns = (row: Selectable<UsagePeriodTable>): PeriodRow => ({
  at: row.at,
  spanMs: row.span_ms,
  accountId: row.account_id,
  keyId: row.key_id,
  provider: row.provider,
  model: row.model,
  measure: row.measure,
  bucket: row.bucket,
  latencies: row.latencies,
  firstTokens: row.first_tokens,
  requests: row.requests,
  errors: row.errors,
  promptTokens: row.prompt_tokens,
  completionTokens: row.completion_tokens,
  costUsd: row.cost_usd,
});
