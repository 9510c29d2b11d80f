import { type Kysely, type Selectable, sql, type SqlBool } from 'kysely';
import { invalidField } from '../../errors.js';
import type { Page, PageRequest } from '../contracts/page.js';
import { type PeriodRow, type PeriodTier, periodTiers } from '../contracts/periods.js';
import { addPeriods, periodKey } from './add-periods.js';
import { clean } from './columns.js';
import type { Database, StoreTables, UsagePeriodTable } from './tables.js';
import { transact } from './transact.js';

/** Rows per transaction, few enough that no other statement waits long. */
const maxMerged = 500;
const key = sql.join(periodKey.map((column) => sql.ref(column)));

/** Merges rows that are older than their tier keeps them; returns how many. */
export async function mergePeriods(
  database: Kysely<StoreTables>,
  now: number,
  maxRows: number,
): Promise<number> {
  let merged = 0;
  for (const [index, tier] of periodTiers.entries()) {
    const next = periodTiers[index + 1];
    while (next && merged < maxRows) {
      const some = Math.min(maxMerged, maxRows - merged);
      const count = await transact(database, (transaction) =>
        mergeSome(transaction, tier, next, now, some),
      );
      merged += count;
      if (count < some) break;
    }
  }
  return merged;
}

async function mergeSome(
  transaction: Database,
  { spanMs, keptMs }: PeriodTier,
  next: PeriodTier,
  now: number,
  limit: number,
): Promise<number> {
  const old = sql`select ${key} from usage_periods
    where span_ms = ${spanMs} and at < ${now - keptMs} order by at limit ${limit}`;
  return await moveRows(transaction, old, (row) => ({
    ...row,
    at: Math.floor(row.at / next.spanMs) * next.spanMs,
    span_ms: next.spanMs,
  }));
}

/**
 * Replaces the rows whose keys are selected by what becomes of them; returns how many. Deletes them
 * first, so that two replicas that do it at once cannot both add them.
 */
export async function moveRows(
  transaction: Database,
  keys: ReturnType<typeof sql>,
  move: (row: Selectable<UsagePeriodTable>) => Selectable<UsagePeriodTable>,
): Promise<number> {
  const { rows } = await sql<Selectable<UsagePeriodTable>>`
    delete from usage_periods where (${key}) in (${keys}) returning *`.execute(transaction);
  await addPeriods(transaction, rows.map(move));
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
  requests: row.requests,
  errors: row.errors,
  promptTokens: row.prompt_tokens,
  completionTokens: row.completion_tokens,
  costUsd: row.cost_usd,
});
