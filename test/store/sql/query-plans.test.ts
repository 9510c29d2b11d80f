import { CompiledQuery, Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/contracts/store.js';
import { LibsqlDialect } from '../../../src/store/drivers/libsql/driver.js';
import { postgresDialect } from '../../../src/store/drivers/postgres/dialect.js';
import { createSqlStore } from '../../../src/store/sql/sql-store.js';
import type { StoreTables } from '../../../src/store/sql/tables.js';
import { libsqlPlace, type Place, postgresPlace } from '../../helpers/stores.js';

const page = { limit: 20, cursor: null };
/** A small part of the time of the rows below. */
const span = { from: 1_100_000, to: 1_130_000 };
const grid = { start: span.from, intervalMs: 1_000 };
const division = { intervalMs: 1_000, by: 'model' } as const;
const models = [
  { provider: 'p1', model: 'm1' },
  { provider: null, model: 'm2' },
];

type Read = readonly [
  sqlite: readonly RegExp[],
  postgres: readonly RegExp[],
  read: (store: Store) => Promise<unknown>,
];

/** What the dashboard's lists and charts read; each by the account's index, or by age for all. */
const reads: Record<string, Read> = {
  'requests of an account': [
    [/requests_by_account/],
    [/Index Scan Backward using requests_by_failure/],
    ({ requests }) => requests.list({ accountId: 'a1', failed: true }, page),
  ],
  'requests of all accounts': [
    [/requests_by_age/],
    [/Index Scan Backward using requests_by_age/],
    ({ requests }) => requests.list({ accountId: null, ...span }, page),
  ],
  'requests of several models': [
    [/requests_by_age/],
    [/Index Scan Backward using requests_by_age/],
    ({ requests }) => requests.list({ accountId: null, models, ...span }, page),
  ],
  'requests of several models of an account': [
    [/requests_by_account/],
    [/Index Scan Backward using requests_by_account/],
    ({ requests }) => requests.list({ accountId: 'a1', models }, page),
  ],
  'the dearest requests': [
    [/SEARCH requests USING INDEX requests_by_cost \(<expr>=\?/],
    [/Index.* Scan Backward using requests_by_cost/],
    ({ requests }) => requests.list({ accountId: null, ...span }, page, 'cost'),
  ],
  'the dearest requests of a model': [
    [/SEARCH requests USING INDEX requests_by_cost \(<expr>=\?/],
    // few enough to be sorted: any index that begins with the model finds them
    [/Index Scan on requests_by_(cost|latency|tokens)/],
    ({ requests }) =>
      requests.list({ accountId: null, models: [models[0]!], ...span }, page, 'cost'),
  ],
  'the dearest requests of a key': [
    [/SEARCH requests USING INDEX requests_by_cost \(<expr>=\?/],
    [/Index Scan (Backward )?using requests_by_cost/],
    ({ requests }) => requests.list({ accountId: null, keyIds: ['k1'] }, page, 'cost'),
  ],
  'requests with a status of errors': [
    [/requests_by_failure/],
    [/Index Scan Backward using requests_by_failure/],
    ({ requests }) => requests.list({ accountId: null, statusClass: 5 }, page),
  ],
  'the newest requests of a model': [
    [/requests_by_age/],
    [/Index Scan Backward using requests_by_age/],
    ({ requests }) => requests.list({ accountId: null, models: [models[0]!], ...span }, page),
  ],
  'the slowest requests': [
    [/SEARCH requests USING INDEX requests_by_latency \(<expr>=\?/],
    [/Index.* Scan Backward using requests_by_latency/],
    ({ requests }) => requests.list({ accountId: null, ...span }, page, 'latency'),
  ],
  'the requests with the most tokens': [
    [/SEARCH requests USING INDEX requests_by_tokens \(<expr>=\?/],
    [/Index.* Scan Backward using requests_by_tokens/],
    ({ requests }) => requests.list({ accountId: null, ...span }, page, 'tokens'),
  ],
  'why requests failed': [
    [/COVERING INDEX requests_by_failure/],
    [/Scan.* requests_by_failure/],
    ({ requests }) => requests.failures({ accountId: null, ...span }, 20),
  ],
  'counts of requests of an account': [
    [/requests_by_account/],
    [/Scan.* requests_by_account/],
    ({ requests }) => requests.counts({ accountId: 'a1', ...span }, grid),
  ],
  'counts of requests of all accounts': [
    [/COVERING INDEX requests_by_age/],
    [/Index Only Scan using requests_by_age/],
    ({ requests }) => requests.counts({ accountId: null, ...span }, grid),
  ],
  'counts of requests of several models': [
    [/COVERING INDEX requests_by_age/],
    [/Index Only Scan using requests_by_age/],
    ({ requests }) => requests.counts({ accountId: null, models, ...span }, grid),
  ],
  'figures of an account': [
    [/sqlite_autoindex_usage_periods_1 \(account_id=\? AND at/],
    [/Scan.* usage_periods_key/],
    ({ periods }) => periods.series({ accountId: 'a1', ...span }, division),
  ],
  'figures of all accounts': [
    [
      /sqlite_autoindex_usage_periods_1 \(account_id=\? AND at/,
      /usage_periods_by_age \(measure=\? AND span_ms=\? AND at/,
    ],
    [/Scan.* usage_periods_key/, /Scan.* usage_periods_by_age/],
    ({ periods }) => periods.series({ accountId: null, ...span }, division),
  ],
  'figures by account': [
    [/usage_periods_by_age \(measure=\? AND span_ms=\? AND at/],
    [/Scan.* usage_periods_by_age/],
    ({ periods }) => periods.series({ accountId: null, ...span }, { ...division, by: 'account' }),
  ],
  'the largest groups': [
    [/usage_periods_by_age \(measure=\? AND span_ms=\? AND at/],
    [/Scan.* usage_periods_by_age/],
    ({ periods }) => periods.groups({ accountId: null, ...span }, 'key', 8),
  ],
  conversations: [
    [/INDEX/],
    [/conversations_by_account/],
    ({ conversations }) => conversations.list('a1', page),
  ],
  sessions: [
    [/INDEX selections_by/],
    [/selections_by/],
    ({ selections }) => selections.list('a1', page),
  ],
  feedback: [
    [/feedback_by_account/],
    [/feedback_by_account/],
    ({ feedback: rated }) => rated.list('a1', page),
  ],
  'the audit log': [
    [/audit_by_age/],
    [/audit_by_age/],
    ({ audit }) => audit.list({ accountId: null }, page),
  ],
  'acts of a kind': [
    [/audit_by_act \(act=\?/],
    [/Index Scan Backward using audit_by_act/],
    ({ audit }) => audit.list({ act: 'config.refuse' }, page),
  ],
};

/** Rows, so that PostgreSQL sees large tables: it reads small ones whole. */
const rows: Record<string, string> = {
  requests: `(id, request_id, account_id, surface, at, status, code, provider, model, stream,
    latency_ms) select 'r' || n, 'q', 'a' || (n % 9), 'openai', n * 30, 200,
    case n % 50 when 0 then 'timeout' end, 'p' || (n % 7), 'm' || (n % 7), 0, 1`,
  usage_periods: `(account_id, at, span_ms, key_id, provider, model, measure, bucket, requests,
    errors, prompt_tokens, completion_tokens, cost_usd, latencies, first_tokens)
    select case n % 9 when 0 then '' else 'a' || (n % 9) end, n * 30, 60000, 'k' || (n % 3), 'p', 'm' || n,
    case when n > 39000 then 'open' else 'packed' end, 0, 1, 0, 1, 1, 1, '1:1', ''`,
  conversations: `(id, account_id, title, title_source, message_count, created_at, updated_at)
    select 'c' || n, 'a' || (n % 900), 't', 'first', 2, n, n`,
  selections: `(id, account_id, at, label, candidates, reason)
    select 's' || n, 'a' || (n % 900), n, 'l', '[]', 'r'`,
  feedback: `(id, account_id, at) select 'f' || n, 'a' || (n % 900), n`,
  audit: `(id, at, act, actor) select 'u' || n, n,
    case n % 100 when 0 then 'config.refuse' else 'account.sign-in' end, 'ann'`,
};

async function fill(database: Kysely<StoreTables>): Promise<void> {
  for (const [table, values] of Object.entries(rows))
    await sql
      .raw(`insert into ${table} ${values} from generate_series(1, 40000) n`)
      .execute(database);
  // analyze alone does not say which pages an index-only scan may trust
  for (const table of Object.keys(rows)) await sql.raw(`vacuum analyze ${table}`).execute(database);
}

const kinds = [
  {
    name: 'libsql',
    kind: 'libsql' as const,
    place: () => Promise.resolve(libsqlPlace()),
    dialect: (url: string) => new LibsqlDialect(url.slice('file:'.length)),
    // the orders are read for each API, provider and model that there is
    fill: async (database: Kysely<StoreTables>): Promise<void> => {
      const one = `insert into requests ${rows['requests']!} from (select 1 as n)`;
      await sql.raw(one).execute(database);
    },
    explain: 'explain query plan',
    patterns: ([sqlite]: Read) => sqlite,
    // a whole table, or a sort of all rows; groups and their order are few
    whole: /^SCAN (requests|usage_periods|conversations|selections|feedback|audit)$/m,
  },
  {
    name: 'PostgreSQL',
    kind: 'postgres' as const,
    place: postgresPlace,
    dialect: (url: string) => postgresDialect(url, { poolSize: 2, onWarning: () => undefined }),
    fill,
    explain: 'explain',
    patterns: ([, postgres]: Read) => postgres,
    whole: /Seq Scan on (requests|usage_periods|conversations|selections|feedback|audit)/,
  },
];

describe.each(kinds)('what the dashboard shows, on $name,', (row) => {
  const queries: CompiledQuery[] = [];
  let place: Place;
  let database: Kysely<StoreTables>;
  let store: Store;
  beforeAll(async () => {
    place = await row.place();
    await (await place.open()).ping();
    database = new Kysely<StoreTables>({
      dialect: row.dialect(place.url),
      log: ({ query }) => void queries.push(query),
    });
    await row.fill(database);
    store = createSqlStore(database, row.kind, () => Promise.resolve());
  }, 60_000);
  afterAll(async () => {
    await database.destroy();
    await place.remove();
  });

  it.each(Object.entries(reads))('%s: is read from an index', async (_what, read) => {
    queries.length = 0;
    await read[2](store);
    const plans = [...queries].map(async (query) => {
      const { rows: lines } = await database.executeQuery<Record<string, string>>(
        CompiledQuery.raw(`${row.explain} ${query.sql}`, [...query.parameters]),
      );
      return (
        lines
          .map((line) => line['detail'] ?? line['QUERY PLAN'])
          .join('\n')
          // a subquery of that name, not the table
          .replace(/^(CO-ROUTINE requests\n[^]*?)\nSCAN requests$/m, '$1')
      );
    });
    const plan = (await Promise.all(plans)).join('\n');
    for (const pattern of row.patterns(read)) expect(plan).toMatch(pattern);
    expect(plan).not.toMatch(row.whole);
  });
});
