import { type Kysely, type Migration, sql } from 'kysely';
import { firstAccountId } from '../contracts/accounts.js';

/**
 * The whole schema, with type names that both databases understand: text, whole numbers up to 2^53,
 * fractions. An index for each list and each lookup; large texts come last, so that lists need not
 * read them.
 */
const schema = `
  create table revisions (topic text primary key, revision bigint not null);
  create table secrets (name text primary key, value text not null);
  create table accounts (
    id text primary key, email text unique, password_hash text, role text not null,
    created_at bigint not null, disabled_at bigint, requests_per_minute bigint,
    tokens_per_minute bigint, day_budget_usd double precision, month_budget_usd double precision);
  create table sign_ins (
    token_hash text primary key, account_id text not null, csrf_token text not null,
    created_at bigint not null, expires_at bigint not null);
  create index sign_ins_by_account on sign_ins (account_id);
  create index sign_ins_by_age on sign_ins (expires_at);
  create table password_resets (
    token_hash text primary key, account_id text not null, expires_at bigint not null);
  create index password_resets_by_account on password_resets (account_id);
  create table api_keys (
    id text primary key, account_id text not null, name text not null, prefix text not null,
    hash text not null unique, scopes text not null, models text, requests_per_minute bigint,
    tokens_per_minute bigint, day_budget_usd double precision, month_budget_usd double precision,
    created_at bigint not null, expires_at bigint, revoked_at bigint, last_used_at bigint,
    revision bigint not null, toolkits text);
  create index api_keys_by_account on api_keys (account_id, created_at, id);
  create index api_keys_by_revision on api_keys (revision);
  create table rotated_secrets (
    hash text primary key, key_id text not null, valid_until bigint not null);
  create index rotated_secrets_by_key on rotated_secrets (key_id, valid_until);
  create table preferences (
    id text primary key, account_id text not null, name text not null, settings text not null,
    created_at bigint not null, updated_at bigint not null, deleted_at bigint,
    revision bigint not null, router text);
  create index preferences_by_account on preferences (account_id, created_at, id);
  create index preferences_by_revision on preferences (revision);
  create table trainings (
    id text primary key, account_id text not null, preference_id text not null,
    state text not null, progress double precision not null, doing text not null,
    wishes text not null, dataset text, report text, error text, attempts bigint not null,
    owner text, lease_until bigint, created_at bigint not null, updated_at bigint not null);
  create index trainings_by_preference on trainings (preference_id, created_at);
  create index trainings_by_account on trainings (account_id, state);
  create index trainings_by_state on trainings (state, created_at);
  create table learnings (
    account_id text not null, preference_id text not null, state text, updated_at bigint not null,
    revision bigint not null,
    constraint learnings_key primary key (account_id, preference_id));
  create index learnings_by_revision on learnings (revision);
  create index learnings_by_age on learnings (updated_at);
  create table conversations (
    id text primary key, account_id text not null, title text not null, title_source text not null,
    message_count bigint not null, created_at bigint not null, updated_at bigint not null,
    bytes bigint default 0 not null);
  create index conversations_by_account on conversations (account_id, updated_at, id);
  create index conversations_by_age on conversations (updated_at);
  create table messages (
    id text primary key, conversation_id text not null, position bigint not null,
    role text not null, content text not null, digest text not null, provider text, model text,
    finish_reason text, usage text, cost_usd double precision, created_at bigint not null);
  create unique index messages_by_position on messages (conversation_id, position);
  create table selections (
    id text primary key, account_id text not null, key_id text, previous_id text,
    at bigint not null, label text not null, candidates text not null, reason text not null,
    tradeoff text, preference_id text, content text);
  create index selections_by_previous on selections (account_id, previous_id, at, id);
  create index selections_by_age on selections (at);
  create table requests (
    id text primary key, request_id text not null, account_id text not null, key_id text,
    surface text not null, at bigint not null, status bigint not null, code text, provider text,
    model text, plan_id text, conversation_id text, response_id text, stream bigint not null,
    latency_ms bigint not null, ttft_ms bigint, prompt_tokens bigint, completion_tokens bigint,
    cost_usd double precision, plan text, attempts text, content text, error text, field text);
  create index requests_by_key on requests (key_id, at, id);
  create index requests_by_response on requests (response_id);
  create index requests_by_failure on requests (at, id) where code is not null;
  create index requests_by_conversation on requests (conversation_id, at, id)
    where conversation_id is not null;
  create index requests_by_account on requests (account_id, at, id, code, status, provider, model);
  create index requests_by_age on requests (at, id, code, status, provider, model);
  create table usage_days (
    day text not null, account_id text not null, key_id text not null, provider text not null,
    model text not null, requests bigint not null, errors bigint not null,
    prompt_tokens bigint not null, completion_tokens bigint not null,
    cost_usd double precision not null, cache_saved_usd double precision default 0 not null,
    constraint usage_days_key primary key (day, account_id, key_id, provider, model));
  create index usage_days_by_key on usage_days (key_id, day);
  create index usage_days_by_account on usage_days (account_id, day);
  create table usage_periods (
    account_id text not null, key_id text not null, provider text not null, model text not null,
    measure text not null, at bigint not null, span_ms bigint not null, bucket bigint not null,
    requests bigint not null, errors bigint not null, prompt_tokens bigint not null,
    completion_tokens bigint not null, cost_usd double precision not null, latencies text,
    first_tokens text,
    constraint usage_periods_key primary key
      (account_id, at, span_ms, key_id, provider, model, measure, bucket));
  create index usage_periods_by_age on usage_periods (measure, span_ms, at);
  create table choice_days (
    day text not null, account_id text not null, key_id text not null, preference_id text not null,
    chosen text not null, candidate text not null, measured bigint not null,
    choices bigint not null, priced bigint not null, quality double precision not null,
    uncertainty double precision not null, chosen_quality double precision not null,
    chosen_uncertainty double precision not null, variance double precision not null,
    prompt_usd double precision not null, answer_usd double precision not null,
    answer_squares double precision not null, actual_usd double precision not null,
    chosen_prompt_usd double precision not null, chosen_answer_usd double precision not null,
    tokens double precision not null, expected_tokens double precision not null,
    constraint choice_days_key primary key
      (day, account_id, key_id, preference_id, measured, chosen, candidate));
  create index choice_days_by_account on choice_days (account_id, day);
  create table shadows (
    plan_id text primary key, response_id text, at bigint not null, pair bigint not null,
    measured bigint not null, request_id text not null, account_id text not null,
    key_id text not null, preference_id text not null, chosen text not null, shadow text not null,
    chosen_quality double precision not null, chosen_uncertainty double precision not null,
    quality double precision not null, uncertainty double precision not null,
    log_ratio double precision not null, cost_usd double precision not null);
  create index shadows_by_account on shadows (account_id, at);
  create index shadows_by_age on shadows (at);
  create table shadow_refusals (account_id text primary key, at bigint not null);
  create table research_notes (
    account_id text not null, id text not null, at bigint not null, notes text not null,
    constraint research_notes_key primary key (account_id, id));
  create index research_notes_by_age on research_notes (at);
  create table evaluations (
    id text primary key, account_id text not null, request_id text, at bigint not null,
    scores text not null, costs text not null, prompt text not null);
  create index evaluations_by_account on evaluations (account_id, at, id);
  create unique index evaluations_by_request on evaluations (account_id, request_id);
  create table feedback (
    id text primary key, account_id text not null, key_id text, at bigint not null,
    session_id text, response_id text, provider text, model text, score double precision,
    comment text, tokens_per_second double precision, predicted double precision);
  create index feedback_by_account on feedback (account_id, at, id);
  create index feedback_by_session on feedback (session_id);
  create index feedback_by_response on feedback (response_id);
  create index feedback_by_age on feedback (at);
  create table audit (
    id text primary key, at bigint not null, act text not null, account_id text, target text,
    actor text not null, actor_account_id text, actor_key_id text, address text, details text);
  create index audit_by_age on audit (at, id);
  create index audit_by_account on audit (account_id, at, id);
  create index audit_by_actor on audit (actor_account_id, at, id);
  create index audit_by_act on audit (act, at, id);

  insert into revisions (topic, revision) values ('keys', 0), ('preferences', 0), ('learnings', 0)`;

/** A migration that runs statements one after the other. */
const statements = (...all: readonly string[]): Migration => ({
  async up(database: Kysely<unknown>) {
    for (const statement of all) await sql.raw(statement).execute(database);
  },
});

const beginning: Migration = {
  async up(database: Kysely<unknown>) {
    await statements(...schema.split(';')).up(database);
    await sql`insert into accounts (id, role, created_at)
      values (${firstAccountId}, 'admin', ${Date.now()})`.execute(database);
  },
};

/** New columns of the sums by day and by period, `0` in the rows that are there. */
const summedColumns = (type: string, columns: readonly string[], tables: readonly string[]) =>
  tables.flatMap((table) =>
    columns.map((column) => `alter table ${table} add column ${column} ${type} default 0 not null`),
  );

const estimatedAndHeld = statements(
  ...summedColumns(
    'double precision',
    ['estimated_usd', 'held_usd'],
    ['requests', 'usage_days', 'usage_periods'],
  ),
);

const keyEconomy = statements('alter table api_keys add column economy double precision');

const responses = statements(
  `create table responses (
    account_id text not null, id text not null, previous_id text, at bigint not null, input text not null,
    response text not null, constraint responses_key primary key (account_id, id))`,
  'create index responses_by_age on responses (at)',
  `create table response_items (
    account_id text not null, id text not null, response_id text not null, at bigint not null,
    constraint response_items_key primary key (account_id, id))`,
  'create index response_items_by_response on response_items (account_id, response_id)',
  'create index response_items_by_age on response_items (at)',
);

const failuresAndOrders = statements(
  ...summedColumns('bigint', ['refused', 'client_closed'], ['usage_days', 'usage_periods']),
  'drop index requests_by_failure',
  `create index requests_by_failure on requests (at, id, account_id, code, provider, key_id)
    where code is not null`,
  'create index requests_by_latency on requests ((latency_ms + 0), id, at)',
  'create index requests_by_cost on requests (coalesce(cost_usd, 0), id, at)',
  'create index requests_by_tokens on requests ((coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0)), id, at)',
  'create index requests_by_client on requests (request_id) where request_id <> id',
);

const alerts = statements(
  `create table alerts (
    id text primary key, at bigint not null, kind text not null, text text not null,
    attempts integer not null, tried_at bigint, sent_at bigint, sent_to text not null, error text)`,
  'create index alerts_by_age on alerts (at, id)',
);

const priceEditions = statements(
  'create table price_editions (id text primary key, at bigint not null, source text not null, data text not null)',
);

const traceIds = statements(
  'alter table requests add column trace_id text',
  'create index requests_by_trace on requests (trace_id) where trace_id is not null',
);

/** Not the bare column: the databases would choose the index for filters by model in time order too. */
const costsOfModels = statements(
  `create index requests_by_model_cost on requests (coalesce(model, ''), coalesce(cost_usd, 0), id, at)`,
);

const dropped = (...names: string[]): string[] =>
  names.map((name) => `drop index requests_by_${name}`);

const orderedValues = {
  latency: '(latency_ms + 0)',
  cost: 'coalesce(cost_usd, 0)',
  tokens: '(coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0))',
};

/**
 * Orders of each group (API, provider and model) replace those of all requests; as one expression, so
 * that no filter in time order chooses the index. Keys' and accounts' indexes get all sorted values.
 */
const ordersOfGroups = statements(
  ...dropped('latency', 'cost', 'tokens', 'model_cost', 'key', 'account'),
  ...Object.entries(orderedValues).map(
    ([name, value]) => `create index requests_by_${name} on requests
      ((surface || ' ' || coalesce(provider, '') || '/' || coalesce(model, '')), ${value}, id, at)`,
  ),
  `create index requests_by_key on requests
    (key_id, at, id, latency_ms, cost_usd, prompt_tokens, completion_tokens)`,
  `create index requests_by_account on requests (account_id, at, id, code, status, provider, model,
    latency_ms, cost_usd, prompt_tokens, completion_tokens)`,
);

/** The index of failures gets all sorted values: most failures are at the end of the orders by cost. */
const ordersOfFailures = statements(
  'drop index requests_by_failure',
  `create index requests_by_failure on requests (at, id, account_id, code, provider, key_id,
    latency_ms, cost_usd, prompt_tokens, completion_tokens) where code is not null`,
);

/**
 * The groups' orders get the key, to skip requests of other keys; the index of keys gets the model; that
 * of failures gets the status, and passed-on answers of providers, which have no code.
 */
const ordersOfKeys = statements(
  ...dropped('latency', 'cost', 'tokens', 'key', 'failure'),
  ...Object.entries(orderedValues).map(
    ([name, value]) => `create index requests_by_${name} on requests
      ((surface || ' ' || coalesce(provider, '') || '/' || coalesce(model, '')), ${value}, id, at,
      (coalesce(key_id, '${name}')))`,
  ),
  `create index requests_by_key on requests
    (key_id, at, id, provider, model, latency_ms, cost_usd, prompt_tokens, completion_tokens)`,
  `create index requests_by_failure on requests (at, id, account_id, code, provider, key_id, status,
    latency_ms, cost_usd, prompt_tokens, completion_tokens)
    where code is not null or status >= 400`,
);

const rowsOfResponses = statements(
  ...dropped('response'),
  'create index requests_by_response on requests (response_id) where response_id is not null',
);

/**
 * All migrations by name, oldest first. The first one makes the whole schema, under the name of the
 * last of those that it replaced. A released migration is never changed; add another one instead.
 */
export const migrations: ReadonlyMap<string, Migration> = new Map([
  ['0018-cache-savings', beginning],
  ['0019-estimated-and-held', estimatedAndHeld],
  ['0020-key-economy', keyEconomy],
  ['0021-responses', responses],
  ['0022-failures-and-orders', failuresAndOrders],
  ['0023-alerts', alerts],
  ['0024-price-editions', priceEditions],
  ['0025-trace-ids', traceIds],
  ['0026-costs-of-models', costsOfModels],
  ['0027-orders-of-groups', ordersOfGroups],
  ['0028-orders-of-failures', ordersOfFailures],
  ['0029-orders-of-keys', ordersOfKeys],
  ['0030-rows-of-responses', rowsOfResponses],
]);
