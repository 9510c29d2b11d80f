import { CompiledQuery, Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/contracts/store.js';
import { LibsqlDialect } from '../../../src/store/drivers/libsql/dialect.js';
import { createSqlStore } from '../../../src/store/sql/sql-store.js';
import type { StoreTables } from '../../../src/store/sql/tables.js';
import { libsqlPlace, type Place } from '../../helpers/stores.js';

const page = { limit: 20, cursor: null };
const span = { from: 0, to: 1_000 };
const grid = { start: 0, intervalMs: 100 };
const division = { intervalMs: 100, by: 'model' } as const;

/** What the dashboard's lists and charts read; each by the account's index, or by age for all. */
const reads: Record<string, [index: RegExp, read: (store: Store) => Promise<unknown>]> = {
  'requests of an account': [
    /requests_by_account/,
    ({ requests }) => requests.list({ accountId: 'a', failed: true }, page),
  ],
  'requests of all accounts': [
    /requests_by_age/,
    ({ requests }) => requests.list({ accountId: null, ...span }, page),
  ],
  'counts of requests of an account': [
    /requests_by_account/,
    ({ requests }) => requests.counts({ accountId: 'a', ...span }, grid),
  ],
  'counts of requests of all accounts': [
    /COVERING INDEX requests_by_age/,
    ({ requests }) => requests.counts({ accountId: null, ...span }, grid),
  ],
  'figures of an account': [
    /sqlite_autoindex_usage_periods_1 \(account_id=\? AND at/,
    ({ periods }) => periods.series({ accountId: 'a', ...span }, division),
  ],
  'figures of all accounts': [
    /usage_periods_by_age \(span_ms=\? AND at/,
    ({ periods }) => periods.series({ accountId: null, ...span }, division),
  ],
  'the largest groups': [
    /usage_periods_by_age \(span_ms=\? AND at/,
    ({ periods }) => periods.groups({ accountId: null, ...span }, 'model', 8),
  ],
  conversations: [/INDEX/, ({ conversations }) => conversations.list('a', page)],
  sessions: [/INDEX selections_by/, ({ selections }) => selections.list('a', page)],
  feedback: [/feedback_by_account/, ({ feedback }) => feedback.list('a', page)],
};

describe('what the dashboard shows', () => {
  const queries: CompiledQuery[] = [];
  let place: Place;
  let database: Kysely<StoreTables>;
  let store: Store;
  beforeAll(async () => {
    place = libsqlPlace();
    await (await place.open()).ping();
    database = new Kysely<StoreTables>({
      dialect: new LibsqlDialect(place.url.slice('file:'.length)),
      log: ({ query }) => void queries.push(query),
    });
    store = createSqlStore(database, 'libsql', () => Promise.resolve());
  });
  afterAll(async () => {
    await database.destroy();
    await place.remove();
  });

  it.each(Object.entries(reads))('%s are read from an index', async (_what, [index, read]) => {
    queries.length = 0;
    await read(store);
    const [query] = queries;
    const { rows } = await database.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${query!.sql}`, [...query!.parameters]),
    );
    const plan = rows.map(({ detail }) => detail).join('\n');
    expect(plan).toMatch(index);
    // a whole table, or a sort of all rows; groups and their order are few
    expect(plan).not.toMatch(/^SCAN \w+$/m);
  });
});
