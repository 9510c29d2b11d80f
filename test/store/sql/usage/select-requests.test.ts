import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestFilter } from '../../../../src/store/contracts/requests.js';
import { selectRequests } from '../../../../src/store/sql/usage/select-requests.js';
import { libsqlPlace, type Place } from '../../../helpers/stores.js';

const filters: Record<string, Partial<RequestFilter>> = {
  nothing: {},
  'one key': { keyIds: ['one'] },
  'several keys': { keyIds: ['one', 'two'] },
  provider: { provider: 'up' },
  model: { provider: 'up', model: 'known' },
  status: { status: 429 },
  'a class of statuses': { statusClass: 4 },
  code: { code: 'rate_limited' },
  failure: { failed: true },
  success: { failed: false },
  conversation: { conversationId: 'talk' },
  latency: { minLatencyMs: 1_000, maxLatencyMs: 2_000 },
  cost: { minCostUsd: 0.1, maxCostUsd: 1 },
  time: { from: 1, to: 2 },
};

describe('the requests that a filter selects', () => {
  let place: Place;
  beforeAll(async () => {
    place = libsqlPlace();
    await place.open();
  });
  afterAll(() => place.remove());

  it.each(
    Object.entries(filters).flatMap(([name, filter]) =>
      [null, 'somebody'].map((accountId) => ({
        name,
        whose: accountId === null ? 'all accounts' : 'an account',
        filter: { accountId, ...filter },
      })),
    ),
  )('by $name of $whose are read from an index in the order of time', async ({ filter }) => {
    const database = place.connect();
    const page = { limit: 20, cursor: null };
    const { sql, parameters } = selectRequests(database, filter, page).compile();
    const { rows } = await database.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
    );
    const plan = rows.map(({ detail }) => detail).join('\n');
    expect(plan).toMatch(/(SCAN|SEARCH) requests USING INDEX requests_by_/);
    expect(plan).not.toContain('TEMP B-TREE');
  });
});
