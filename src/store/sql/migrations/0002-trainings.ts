import type { Kysely, Migration } from 'kysely';

const text = 'text';
const whole = 'bigint';
const fraction = 'double precision';

/** Trainings, and the router that was trained for a preference. */
export const trainings: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('trainings')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('preference_id', text, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('progress', fraction, (column) => column.notNull())
      .addColumn('doing', text, (column) => column.notNull())
      .addColumn('wishes', text, (column) => column.notNull())
      .addColumn('dataset', text)
      .addColumn('report', text)
      .addColumn('error', text)
      .addColumn('attempts', whole, (column) => column.notNull())
      .addColumn('owner', text)
      .addColumn('lease_until', whole)
      .addColumn('created_at', whole, (column) => column.notNull())
      .addColumn('updated_at', whole, (column) => column.notNull())
      .execute();
    await database.schema
      .createIndex('trainings_by_preference')
      .on('trainings')
      .columns(['preference_id', 'created_at'])
      .execute();
    await database.schema
      .createIndex('trainings_by_account')
      .on('trainings')
      .columns(['account_id', 'state'])
      .execute();
    await database.schema
      .createIndex('trainings_by_state')
      .on('trainings')
      .columns(['state', 'created_at'])
      .execute();
    await database.schema.alterTable('preferences').addColumn('router', text).execute();
  },
};
