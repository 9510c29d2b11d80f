import type { CreateTableBuilder, Kysely, Migration } from 'kysely';

const text = 'text';
const whole = 'bigint';
const fraction = 'double precision';

const names = ['day', 'account_id', 'key_id', 'preference_id', 'chosen', 'candidate'];
const sums = [
  'quality',
  'uncertainty',
  'chosen_quality',
  'chosen_uncertainty',
  'variance',
  'prompt_usd',
  'answer_usd',
  'answer_squares',
  'actual_usd',
  'chosen_prompt_usd',
  'chosen_answer_usd',
  'tokens',
  'expected_tokens',
];

/** Sums of choices by day, and what was predicted of rated answers. */
export const choices: Migration = {
  async up(database: Kysely<unknown>) {
    let table: CreateTableBuilder<string, string> = database.schema.createTable('choice_days');
    for (const name of names) table = table.addColumn(name, text, (column) => column.notNull());
    for (const name of ['measured', 'choices', 'priced'])
      table = table.addColumn(name, whole, (column) => column.notNull());
    for (const name of sums) table = table.addColumn(name, fraction, (column) => column.notNull());
    await table
      .addPrimaryKeyConstraint('choice_days_key', [
        'day',
        'account_id',
        'key_id',
        'preference_id',
        'measured',
        'chosen',
        'candidate',
      ])
      .execute();
    await database.schema
      .createIndex('choice_days_by_account')
      .on('choice_days')
      .columns(['account_id', 'day'])
      .execute();
    await database.schema.alterTable('feedback').addColumn('predicted', fraction).execute();
  },
};
