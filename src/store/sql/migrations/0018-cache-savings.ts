import type { Kysely, Migration } from 'kysely';

/** What prompt caches saved, by day. Of the days so far it is not known, and counts as nothing. */
export const cacheSavings: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .alterTable('usage_days')
      .addColumn('cache_saved_usd', 'double precision', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
