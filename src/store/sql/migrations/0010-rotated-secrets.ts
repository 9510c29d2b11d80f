import type { Kysely, Migration } from 'kysely';

const text = 'text';

/** The secrets of keys that a rotation has replaced. */
export const rotatedSecrets: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('rotated_secrets')
      .addColumn('hash', text, (column) => column.primaryKey())
      .addColumn('key_id', text, (column) => column.notNull())
      .addColumn('valid_until', 'bigint', (column) => column.notNull())
      .execute();
    await database.schema
      .createIndex('rotated_secrets_by_key')
      .on('rotated_secrets')
      .columns(['key_id', 'valid_until'])
      .execute();
  },
};
