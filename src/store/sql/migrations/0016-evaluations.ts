import type { Kysely, Migration } from 'kysely';

const table = 'evaluations';

/** The evaluation sets of accounts. The prompts are the last column: lists read their beginnings. */
export const evaluations: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable(table)
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('request_id', 'text')
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('scores', 'text', (column) => column.notNull())
      .addColumn('costs', 'text', (column) => column.notNull())
      .addColumn('prompt', 'text', (column) => column.notNull())
      .execute();
    await database.schema
      .createIndex('evaluations_by_account')
      .on(table)
      .columns(['account_id', 'at', 'id'])
      .execute();
    await database.schema
      .createIndex('evaluations_by_request')
      .on(table)
      .columns(['account_id', 'request_id'])
      .unique()
      .execute();
  },
};
