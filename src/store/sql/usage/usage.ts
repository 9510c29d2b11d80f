import { type Insertable, type Kysely, sql } from 'kysely';
import type { Spender } from '../../contracts/requests.js';
import { RepeatedInsert } from '../repeated-insert.js';
import type { Database, StoreTables, UsageDayTable } from '../tables.js';

/** A row of the daily sums of usage. */
export type DayColumns = Insertable<UsageDayTable>;

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
