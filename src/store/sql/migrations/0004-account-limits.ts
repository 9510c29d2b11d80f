import type { Kysely, Migration } from 'kysely';

/** Limits of accounts, which bound the sum of their keys. */
export const accountLimits: Migration = {
  async up(database: Kysely<unknown>) {
    for (const [column, type] of [
      ['requests_per_minute', 'bigint'],
      ['tokens_per_minute', 'bigint'],
      ['day_budget_usd', 'double precision'],
      ['month_budget_usd', 'double precision'],
    ] as const)
      await database.schema.alterTable('accounts').addColumn(column, type).execute();
    // what an account has spent is summed when nothing counts it yet
    await database.schema
      .createIndex('usage_days_by_account')
      .on('usage_days')
      .columns(['account_id', 'day'])
      .execute();
  },
};
