import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { databases, type TestDatabase } from '../helpers/databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { requestRow } from '../helpers/request-row.js';
import { ask } from '../helpers/sse.js';

const minuteMs = 60_000;
const points = 180;
const models = 120;

describe.each(databases)('figures over time of very many groups, on %s,', (_name, make) => {
  let database: TestDatabase;
  let gateway: RunningGateway;
  const start = Math.floor(Date.now() / minuteMs) * minuteMs - 5 * 60 * minuteMs;
  beforeAll(async () => {
    database = await make();
    const store = await openStore(database.url);
    // every model once in each minute, and the tenth to the nineteenth a second time
    const rows = Array.from({ length: points * models }, (_, index) => {
      const number = index % models;
      const row = requestRow({
        accountId: 'fixed:one',
        keyId: 'fixed:one',
        at: start + Math.floor(index / models) * minuteMs,
        model: `m${String(number).padStart(3, '0')}`,
      });
      return number >= 10 && number < 20 ? [row, { ...row, id: `${row.id}+` }] : [row];
    }).flat();
    await store.requests.add(rows);
    await store.close();
    gateway = await startGateway({
      database: { url: database.url },
      auth: { keys: [{ name: 'one', key: 'sk_one' }] },
    });
  }, 120_000);
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  it('are those of the largest ones, with the totals of all', async () => {
    const { status, json } = await ask(
      'GET',
      `${gateway.url}/api/v1/usage/series?by=model&interval=1m&from=${start}&to=${start + points * minuteMs}`,
      { authorization: 'Bearer sk_one' },
    );
    expect(status).toBe(200);
    const groups = Array.from({ length: 8 }, (_, index) => ({
      model: `m01${index}`,
      totals: { requests: 2 * points },
    }));
    expect(json).toMatchObject({ totals: { requests: points * (models + 10) }, groups });
  });
});
