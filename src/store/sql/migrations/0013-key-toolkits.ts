import type { Kysely, Migration } from 'kysely';

/** The toolkits that a key may use: JSON, or null for none. */
export const keyToolkits: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema.alterTable('api_keys').addColumn('toolkits', 'text').execute();
  },
};
