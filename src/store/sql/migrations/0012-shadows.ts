import type { Kysely, Migration } from 'kysely';

const text = 'text';
const whole = 'bigint';
const fraction = 'double precision';

const names = ['request_id', 'account_id', 'key_id', 'preference_id', 'chosen', 'shadow'];
const figures = [
  'chosen_quality',
  'chosen_uncertainty',
  'quality',
  'uncertainty',
  'log_ratio',
  'cost_usd',
];

/** Requests that were sent to a second model too, and the accounts that want none. */
export const shadows: Migration = {
  async up(database: Kysely<unknown>) {
    let table = database.schema
      .createTable('shadows')
      .addColumn('plan_id', text, (column) => column.primaryKey())
      .addColumn('response_id', text)
      .addColumn('at', whole, (column) => column.notNull())
      .addColumn('pair', whole, (column) => column.notNull())
      .addColumn('measured', whole, (column) => column.notNull());
    for (const name of names) table = table.addColumn(name, text, (column) => column.notNull());
    for (const name of figures)
      table = table.addColumn(name, fraction, (column) => column.notNull());
    await table.execute();
    const indexes = { shadows_by_account: ['account_id', 'at'], shadows_by_age: ['at'] };
    for (const [name, columns] of Object.entries(indexes))
      await database.schema.createIndex(name).on('shadows').columns(columns).execute();
    await database.schema
      .createTable('shadow_refusals')
      .addColumn('account_id', text, (column) => column.primaryKey())
      .addColumn('at', whole, (column) => column.notNull())
      .execute();
  },
};
