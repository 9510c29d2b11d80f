import { type CreateTableBuilder, type Kysely, type Migration, sql } from 'kysely';
import { firstAccountId } from '../../contracts/accounts.js';

type Table = CreateTableBuilder<string>;

/** Type names that both databases understand: text, whole numbers up to 2^53, fractions. */
const text = 'text';
const whole = 'bigint';
const fraction = 'double precision';

const accounts = (table: Table): Table =>
  table
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('email', text, (column) => column.unique())
    .addColumn('password_hash', text)
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('disabled_at', whole);

const signIns = (table: Table): Table =>
  table
    .addColumn('token_hash', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('csrf_token', text, (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('expires_at', whole, (column) => column.notNull());

const resets = (table: Table): Table =>
  table
    .addColumn('token_hash', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('expires_at', whole, (column) => column.notNull());

const apiKeys = (table: Table): Table =>
  table
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('prefix', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull().unique())
    .addColumn('scopes', text, (column) => column.notNull())
    .addColumn('models', text)
    .addColumn('requests_per_minute', whole)
    .addColumn('tokens_per_minute', whole)
    .addColumn('day_budget_usd', fraction)
    .addColumn('month_budget_usd', fraction)
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('expires_at', whole)
    .addColumn('revoked_at', whole)
    .addColumn('last_used_at', whole)
    .addColumn('revision', whole, (column) => column.notNull());

const preferences = (table: Table): Table =>
  table
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('settings', text, (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('updated_at', whole, (column) => column.notNull())
    .addColumn('deleted_at', whole)
    .addColumn('revision', whole, (column) => column.notNull());

const conversations = (table: Table): Table =>
  table
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('title', text, (column) => column.notNull())
    .addColumn('title_source', text, (column) => column.notNull())
    .addColumn('message_count', whole, (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('updated_at', whole, (column) => column.notNull());

const messages = (table: Table): Table =>
  table
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('conversation_id', text, (column) => column.notNull())
    .addColumn('position', whole, (column) => column.notNull())
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('digest', text, (column) => column.notNull())
    .addColumn('provider', text)
    .addColumn('model', text)
    .addColumn('finish_reason', text)
    .addColumn('usage', text)
    .addColumn('cost_usd', fraction)
    .addColumn('created_at', whole, (column) => column.notNull());

const selections = (table: Table): Table =>
  table
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('key_id', text)
    .addColumn('previous_id', text)
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('label', text, (column) => column.notNull())
    .addColumn('candidates', text, (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('tradeoff', text)
    .addColumn('preference_id', text)
    .addColumn('content', text);

const requests = (table: Table): Table =>
  table
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('request_id', text, (column) => column.notNull())
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('key_id', text)
    .addColumn('surface', text, (column) => column.notNull())
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('status', whole, (column) => column.notNull())
    .addColumn('code', text)
    .addColumn('provider', text)
    .addColumn('model', text)
    .addColumn('plan_id', text)
    .addColumn('conversation_id', text)
    .addColumn('response_id', text)
    .addColumn('stream', whole, (column) => column.notNull())
    .addColumn('latency_ms', whole, (column) => column.notNull())
    .addColumn('ttft_ms', whole)
    .addColumn('prompt_tokens', whole)
    .addColumn('completion_tokens', whole)
    .addColumn('cost_usd', fraction)
    .addColumn('plan', text)
    .addColumn('attempts', text)
    .addColumn('content', text);

const usageDays = (table: Table): Table =>
  table
    .addColumn('day', text, (column) => column.notNull())
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('key_id', text, (column) => column.notNull())
    .addColumn('provider', text, (column) => column.notNull())
    .addColumn('model', text, (column) => column.notNull())
    .addColumn('requests', whole, (column) => column.notNull())
    .addColumn('errors', whole, (column) => column.notNull())
    .addColumn('prompt_tokens', whole, (column) => column.notNull())
    .addColumn('completion_tokens', whole, (column) => column.notNull())
    .addColumn('cost_usd', fraction, (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_days_key', [
      'day',
      'account_id',
      'key_id',
      'provider',
      'model',
    ]);

const feedback = (table: Table): Table =>
  table
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('account_id', text, (column) => column.notNull())
    .addColumn('key_id', text)
    .addColumn('at', whole, (column) => column.notNull())
    .addColumn('session_id', text)
    .addColumn('response_id', text)
    .addColumn('provider', text)
    .addColumn('model', text)
    .addColumn('score', fraction)
    .addColumn('comment', text)
    .addColumn('tokens_per_second', fraction);

const tables: Record<string, (table: Table) => Table> = {
  revisions: (table) =>
    table
      .addColumn('topic', text, (column) => column.primaryKey())
      .addColumn('revision', whole, (column) => column.notNull()),
  secrets: (table) =>
    table
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('value', text, (column) => column.notNull()),
  accounts,
  sign_ins: signIns,
  password_resets: resets,
  api_keys: apiKeys,
  preferences,
  conversations,
  messages,
  selections,
  requests,
  usage_days: usageDays,
  feedback,
};

/** One for each list and each lookup. */
const indexes: Record<string, [table: string, columns: string[]]> = {
  sign_ins_by_account: ['sign_ins', ['account_id']],
  password_resets_by_account: ['password_resets', ['account_id']],
  api_keys_by_account: ['api_keys', ['account_id', 'created_at', 'id']],
  api_keys_by_revision: ['api_keys', ['revision']],
  preferences_by_account: ['preferences', ['account_id', 'created_at', 'id']],
  preferences_by_revision: ['preferences', ['revision']],
  conversations_by_account: ['conversations', ['account_id', 'updated_at', 'id']],
  selections_by_previous: ['selections', ['account_id', 'previous_id', 'at', 'id']],
  selections_by_age: ['selections', ['at']],
  requests_by_account: ['requests', ['account_id', 'at', 'id']],
  requests_by_key: ['requests', ['key_id', 'at', 'id']],
  requests_by_age: ['requests', ['at', 'id']],
  requests_by_response: ['requests', ['response_id']],
  usage_days_by_key: ['usage_days', ['key_id', 'day']],
  feedback_by_account: ['feedback', ['account_id', 'at', 'id']],
  feedback_by_session: ['feedback', ['session_id']],
};

/** The first schema. */
export const beginning: Migration = {
  async up(database: Kysely<unknown>) {
    for (const [name, columns] of Object.entries(tables))
      await columns(database.schema.createTable(name)).execute();
    await database.schema
      .createIndex('messages_by_position')
      .on('messages')
      .columns(['conversation_id', 'position'])
      .unique()
      .execute();
    for (const [name, [table, columns]] of Object.entries(indexes))
      await database.schema.createIndex(name).on(table).columns(columns).execute();
    await sql`insert into revisions (topic, revision) values ('keys', 0), ('preferences', 0)`.execute(
      database,
    );
    await sql`insert into accounts (id, role, created_at) values (${firstAccountId}, 'admin', ${Date.now()})`.execute(
      database,
    );
  },
};
