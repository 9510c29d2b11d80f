import { type CreateTableBuilder, type Kysely, type Migration, sql } from 'kysely';
import { chunks } from '../columns.js';

const text = 'text';
const whole = 'bigint';
const fraction = 'double precision';

const dayMs = 86_400_000;
/** Rows per statement: 13 parameters each. */
const maxRows = 64;

interface Day {
  day: string;
  account_id: string;
  key_id: string;
  provider: string;
  model: string;
  requests: number;
  errors: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost_usd: number;
}

/**
 * Sums over short periods, which begin with those of the days so far, and indexes of the request log
 * from which counts over time can be read without its rows.
 */
export const usagePeriods: Migration = {
  async up(database: Kysely<unknown>) {
    await createTable(database);
    await copyDays(database);
    await widenIndexes(database);
  },
};

async function createTable(database: Kysely<unknown>): Promise<void> {
  let table: CreateTableBuilder<string, string> = database.schema.createTable('usage_periods');
  for (const name of ['account_id', 'key_id', 'provider', 'model', 'measure'])
    table = table.addColumn(name, text, (column) => column.notNull());
  const sums = ['requests', 'errors', 'prompt_tokens', 'completion_tokens'];
  for (const name of ['at', 'span_ms', 'bucket', ...sums])
    table = table.addColumn(name, whole, (column) => column.notNull());
  await table
    .addColumn('cost_usd', fraction, (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_periods_key', [
      'account_id',
      'at',
      'span_ms',
      'key_id',
      'provider',
      'model',
      'measure',
      'bucket',
    ])
    .execute();
  await database.schema
    .createIndex('usage_periods_by_age')
    .on('usage_periods')
    .columns(['span_ms', 'at'])
    .execute();
}

async function copyDays(database: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Day>`select day, account_id, key_id, provider, model, requests, errors,
    prompt_tokens, completion_tokens, cost_usd from usage_days`.execute(database);
  for (const some of chunks(rows, maxRows)) {
    const values = some.map(
      (day) => sql`(${day.account_id}, ${Date.parse(day.day)}, ${dayMs}, ${day.key_id},
        ${day.provider}, ${day.model}, 'none', 0, ${day.requests}, ${day.errors},
        ${day.prompt_tokens}, ${day.completion_tokens}, ${day.cost_usd})`,
    );
    await sql`insert into usage_periods (account_id, at, span_ms, key_id, provider, model, measure,
      bucket, requests, errors, prompt_tokens, completion_tokens, cost_usd)
      values ${sql.join(values)}`.execute(database);
  }
}

const shown = ['at', 'id', 'code', 'status', 'provider', 'model'];

async function widenIndexes(database: Kysely<unknown>): Promise<void> {
  const indexes = { requests_by_account: ['account_id', ...shown], requests_by_age: shown };
  for (const [name, columns] of Object.entries(indexes)) {
    await database.schema.dropIndex(name).execute();
    await database.schema.createIndex(name).on('requests').columns(columns).execute();
  }
}
