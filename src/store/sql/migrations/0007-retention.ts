import type { Kysely, Migration } from 'kysely';

/** Indexes by which old rows are found and deleted. */
export const retention: Migration = {
  async up(database: Kysely<unknown>) {
    const byAge = { conversations: 'updated_at', feedback: 'at', sign_ins: 'expires_at' };
    for (const [table, column] of Object.entries(byAge))
      await database.schema.createIndex(`${table}_by_age`).on(table).columns([column]).execute();
  },
};
