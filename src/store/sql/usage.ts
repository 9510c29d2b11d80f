import { type Insertable, type Kysely, sql } from 'kysely';
import type { NewRequest, Spender } from '../contracts/requests.js';
import { clean, wholeOrNull } from './columns.js';
import { RepeatedInsert } from './repeated-insert.js';
import type { Database, StoreTables, UsageDayTable } from './tables.js';

type Sums = Insertable<UsageDayTable>;

const keyColumns = ['day', 'account_id', 'key_id', 'provider', 'model'] as const;

const sumColumns = [
  'requests',
  'errors',
  'prompt_tokens',
  'completion_tokens',
  'cost_usd',
  'cache_saved_usd',
] as const;

const insertDays = new RepeatedInsert<'usage_days'>(
  [...keyColumns, ...sumColumns],
  (database, rows) =>
    database
      .insertInto('usage_days')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns([...keyColumns])
          .doUpdateSet((eb) =>
            Object.fromEntries(
              sumColumns.map((column) => [
                column,
                eb(`usage_days.${column}`, '+', eb.ref(`excluded.${column}`)),
              ]),
            ),
          ),
      ),
);

/** Adds requests to the sums of their days. A request with a code counts as an error. */
export async function addUsage(database: Database, requests: readonly NewRequest[]): Promise<void> {
  await insertDays.run(database, sumsOf(requests));
}

/**
 * One row for each day, account, key, provider and model, in the order of their keys, so that two
 * replicas cannot deadlock.
 */
function sumsOf(requests: readonly NewRequest[]): Sums[] {
  const sums = new Map<string, Sums>();
  for (const request of requests) {
    const row = usageSum(request);
    const key = JSON.stringify(keyColumns.map((column) => row[column]));
    const sum = sums.get(key);
    if (!sum) sums.set(key, row);
    else for (const column of sumColumns) sum[column] += row[column];
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** What a request adds to the sums of its day. */
export function usageSum(request: NewRequest): Sums {
  const { provider, model } = request.summedAs ?? request;
  return {
    day: dayOf(request.at),
    account_id: request.accountId,
    key_id: request.keyId ?? '',
    provider: clean(provider) ?? '',
    model: clean(model) ?? '',
    requests: 1,
    errors: request.code === null ? 0 : 1,
    prompt_tokens: wholeOrNull(request.promptTokens) ?? 0,
    completion_tokens: wholeOrNull(request.completionTokens) ?? 0,
    cost_usd: finite(request.costUsd),
    cache_saved_usd: finite(request.cacheSavedUsd),
  };
}

const finite = (usd: number | null | undefined): number =>
  typeof usd === 'number' && Number.isFinite(usd) ? usd : 0;

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
