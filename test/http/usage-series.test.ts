import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { expectConforms } from '../helpers/conforms.js';
import { databases, type TestDatabase } from '../helpers/databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt } from '../helpers/json.js';
import { requestRow } from '../helpers/request-row.js';
import { ask, type Reply } from '../helpers/sse.js';

const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** The full hour before the last one. */
const hour = Math.floor(Date.now() / hourMs) * hourMs - 2 * hourMs;
const iso = (ms: number): string => new Date(ms).toISOString();

describe.each(databases)('figures over time on %s', (_name, make) => {
  let database: TestDatabase;
  let gateway: RunningGateway;
  beforeAll(async () => {
    database = await make();
    const store = await openStore(database.url);
    const row = { accountId: 'fixed:one', keyId: 'fixed:one', at: hour + 1 };
    await store.requests.add([
      ...Array.from({ length: 18 }, () => requestRow({ ...row, latencyMs: 1_000, ttftMs: 200 })),
      requestRow({ ...row, latencyMs: 9_000, ttftMs: 2_000 }),
      requestRow({ ...row, latencyMs: 9_000, ttftMs: null, model: 'other', stream: true }),
      requestRow({ ...row, at: hour + 30 * minuteMs, code: 'rate_limited', status: 429 }),
      requestRow({ ...row, at: hour - 1 }),
      requestRow({ ...row, at: hour - 40 * dayMs }),
      requestRow({ ...row, accountId: 'fixed:two', keyId: 'fixed:two' }),
    ]);
    await store.close();
    gateway = await startGateway({
      database: { url: database.url },
      auth: {
        keys: [
          { name: 'one', key: 'sk_one' },
          { name: 'two', key: 'sk_two' },
        ],
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });
  const get = (path: string, key = 'sk_one'): Promise<Reply> =>
    ask('GET', `${gateway.url}/api/v1/${path}`, bearer(key));
  const series = (query: string, key?: string): Promise<Reply> => get(`usage/series?${query}`, key);
  const wholeHour = `from=${hour}&to=${hour + hourMs}`;

  it('are cut into points, with totals, percentiles and those of the time before', async () => {
    const { status, json } = await series(wholeHour);
    expect(status).toBe(200);
    expectConforms('usage-series.response', json);
    expect(json).toMatchObject({
      from: iso(hour),
      to: iso(hour + hourMs),
      intervalSeconds: 60,
      totals: { requests: 21, errors: 1, promptTokens: 210, completionTokens: 105 },
      previous: { requests: 1, errors: 0 },
      groups: [],
    });
    const totals = at(json, 'totals') as Record<string, number>;
    const within = (name: string, exact: number): void => {
      expect(Math.abs(totals[name]! / exact - 1), name).toBeLessThan(0.05);
    };
    within('latencyP50Ms', 1_000);
    within('latencyP95Ms', 9_000);
    within('ttftP50Ms', 200);
    const counts = listAt(json, 'points', 'requests');
    expect(counts).toHaveLength(60);
    expect([counts[0], counts[1], counts[30]]).toEqual([20, 0, 1]);
    expect(listAt(json, 'points', 'latencyP50Ms')[1]).toBeNull();
    expect(listAt(json, 'times')[30]).toBe(iso(hour + 30 * minuteMs));
  });

  it('are split by what is asked for, the largest first, with its share', async () => {
    const groups = listAt((await series(`${wholeHour}&by=model`)).json, 'groups');
    expect(groups).toMatchObject([
      { provider: 'up', model: 'known', share: 20 / 21, totals: { requests: 20, errors: 1 } },
      { provider: 'up', model: 'other', share: 1 / 21, totals: { ttftP50Ms: null } },
    ]);
    expect(listAt(groups[0], 'points', 'requests')[0]).toBe(19);
    expect(listAt((await series(`${wholeHour}&by=key`)).json, 'groups')).toMatchObject([
      { keyId: 'fixed:one', keyName: null, share: 1 },
    ]);
    expect((await series(`${wholeHour}&model=up/other`)).json).toMatchObject({
      totals: { requests: 1 },
    });
  });

  it('have points as long as the time range asks for', async () => {
    const days = async (count: number): Promise<unknown> =>
      at((await series(`from=${Date.now() - count * dayMs}`)).json, 'intervalSeconds');
    expect([await days(1 / 24), await days(1), await days(7), await days(90)]).toEqual([
      60, 600, 3_600, 86_400,
    ]);
    expect((await series(`from=${hour - 50 * dayMs}`)).json).toMatchObject({
      totals: { requests: 23 },
    });
  });

  it.each([
    ['interval=2m', 'interval: must be one of'],
    [`from=${hour - 8 * hourMs}&interval=1m`, 'interval: makes '],
    [`from=${hour - 30 * dayMs}&to=${hour - 29 * dayMs}&interval=1h`, 'interval: is shorter'],
    ['by=day', 'by: must be one of'],
    ['from=2026-01-02&to=2026-01-01', 'from: must be before to'],
  ])('are not answered for %s', async (query, message) => {
    const { status, json } = await series(query);
    expect(status).toBe(422);
    expect(JSON.stringify(json)).toContain(message);
  });

  it("are each account's own", async () => {
    expect((await series(wholeHour, 'sk_two')).json).toMatchObject({ totals: { requests: 1 } });
    expect((await series('account=all', 'sk_two')).status).toBe(403);
  });

  it('of more models than a filter may name are refused', async () => {
    const models = Array.from({ length: 51 }, (_, index) => `up/m${index}`).join(',');
    for (const path of ['requests', 'requests/histogram']) {
      const { status, json } = await get(`${path}?model=${models}`);
      expect(status).toBe(422);
      expect(JSON.stringify(json)).toContain('model: must be at most 50 models');
    }
  });

  it('of the request log are counted by the filters of its list', async () => {
    const count = async (query: string): Promise<[number, number]> => {
      const { json, status } = await get(`requests/histogram?${wholeHour}&${query}`);
      expect(status).toBe(200);
      expectConforms('request-histogram.response', json);
      const sum = (name: string): number =>
        listAt(json, name).reduce((all: number, one) => all + Number(one), 0);
      const listed = listAt(
        (await get(`requests?limit=100&${wholeHour}&${query}`)).json,
        'items',
      ).length;
      expect(sum('requests')).toBe(listed);
      return [sum('requests'), sum('errors')];
    };
    expect(await count('')).toEqual([21, 1]);
    expect(await count('failed=true')).toEqual([1, 1]);
    expect(await count('status=429')).toEqual([1, 1]);
    expect(await count('model=up/other')).toEqual([1, 0]);
    expect(await count('model=up/other,up/known')).toEqual([21, 1]);
    expect(await count('model=up/other,%20up/unknown,')).toEqual([1, 0]);
    expect(await count('provider=up&model=other,unknown')).toEqual([1, 0]);
    expect(await count('model=other/known,up/unknown')).toEqual([0, 0]);
    expect(await count('stream=true&surface=openai')).toEqual([1, 0]);
    expect(await count('surface=proxy')).toEqual([0, 0]);
    expect(await count('minLatency=9000')).toEqual([2, 0]);
    const { json } = await get(`requests/histogram?from=${hour + 2}&to=${hour + hourMs}`);
    expect(listAt(json, 'requests')[0]).toBe(0);
  });
});
