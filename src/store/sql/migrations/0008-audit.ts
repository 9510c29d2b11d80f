import type { Kysely, Migration } from 'kysely';

const text = 'text';

/** The log of administrative acts. */
export const audit: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('audit')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('act', text, (column) => column.notNull())
      .addColumn('account_id', text)
      .addColumn('target', text)
      .addColumn('actor', text, (column) => column.notNull())
      .addColumn('actor_account_id', text)
      .addColumn('actor_key_id', text)
      .addColumn('address', text)
      .addColumn('details', text)
      .execute();
    for (const [name, columns] of Object.entries({
      audit_by_age: ['at', 'id'],
      audit_by_account: ['account_id', 'at', 'id'],
      audit_by_actor: ['actor_account_id', 'at', 'id'],
    }))
      await database.schema.createIndex(name).on('audit').columns(columns).execute();
  },
};
