import type { Kysely, Migration } from 'kysely';

const table = 'research_notes';

/** The notes of research runs. They are the last column, so that lists need not read them. */
export const researchNotes: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable(table)
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('notes', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('research_notes_key', ['account_id', 'id'])
      .execute();
    await database.schema.createIndex('research_notes_by_age').on(table).column('at').execute();
  },
};
