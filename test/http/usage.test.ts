import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { expectConforms } from '../helpers/conforms.js';
import { databases, type TestDatabase } from '../helpers/databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { listAt, textAt } from '../helpers/json.js';
import { requestRow } from '../helpers/request-row.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { until } from '../helpers/until.js';

const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });
const dayMs = 86_400_000;
const day = (ago: number): string => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);

describe.each(databases)('sums of usage on %s', (_name, make) => {
  let upstream: Upstream;
  let database: TestDatabase;
  let gateway: RunningGateway;
  beforeAll(async () => {
    [upstream, database] = await Promise.all([startUpstream(), make()]);
    const store = await openStore(database.url);
    const row = {
      accountId: 'fixed:one',
      keyId: 'fixed:one',
      costUsd: 0.1,
      promptTokens: 100,
      completionTokens: 10,
    };
    await store.requests.add([
      requestRow({ ...row, at: Date.now() - dayMs }),
      requestRow({ ...row, at: Date.now() - dayMs }),
      requestRow({ ...row, at: Date.now() - dayMs, model: 'other' }),
      requestRow({
        ...row,
        at: Date.now() - 2 * dayMs,
        code: 'all_failed',
        status: 502,
        costUsd: null,
        promptTokens: null,
        completionTokens: null,
      }),
      requestRow({ ...row, at: Date.now() - 40 * dayMs }),
      requestRow({ ...row, at: Date.now() - dayMs, accountId: 'fixed:two', keyId: 'fixed:two' }),
    ]);
    await store.close();
    gateway = await startGateway({
      providers: {
        up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKey: 'sk-up' },
      },
      models: { 'up/known': { inputPrice: 1, outputPrice: 2 } },
      database: { url: database.url },
      auth: {
        keys: [
          { name: 'one', key: 'sk_one' },
          { name: 'two', key: 'sk_two' },
          { name: 'three', key: 'sk_three' },
        ],
      },
    });
  });
  afterAll(async () => {
    await Promise.all([gateway.close(), upstream.close()]);
    await database.drop();
  });
  const usage = (query = '', key = 'sk_one'): Promise<Reply> =>
    ask('GET', `${gateway.url}/api/v1/usage?${query}`, bearer(key));
  const items = async (query = '', key = 'sk_one'): Promise<unknown[]> =>
    listAt((await usage(query, key)).json, 'items');

  it('are by day and model of the last 30 days unless said otherwise, newest first', async () => {
    const { json } = await usage();
    expectConforms('usage.response', json);
    expect(json).toEqual({
      object: 'list',
      from: day(30),
      to: day(0),
      next: null,
      items: [
        {
          day: day(1),
          provider: 'up',
          model: 'known',
          requests: 2,
          errors: 0,
          refused: 0,
          clientClosed: 0,
          promptTokens: 200,
          completionTokens: 20,
          costUsd: 0.2,
          estimatedUsd: 0,
          heldUsd: 0,
          cacheSavedUsd: 0,
        },
        {
          day: day(1),
          provider: 'up',
          model: 'other',
          requests: 1,
          errors: 0,
          refused: 0,
          clientClosed: 0,
          promptTokens: 100,
          completionTokens: 10,
          costUsd: 0.1,
          estimatedUsd: 0,
          heldUsd: 0,
          cacheSavedUsd: 0,
        },
        {
          day: day(2),
          provider: 'up',
          model: 'known',
          requests: 1,
          errors: 1,
          refused: 0,
          clientClosed: 0,
          promptTokens: 0,
          completionTokens: 0,
          costUsd: 0,
          estimatedUsd: 0,
          heldUsd: 0,
          cacheSavedUsd: 0,
        },
      ],
    });
  });

  it('are grouped by what is asked for, without the dust of fractions', async () => {
    expect(await items('by=day')).toEqual([
      {
        day: day(1),
        requests: 3,
        errors: 0,
        refused: 0,
        clientClosed: 0,
        promptTokens: 300,
        completionTokens: 30,
        costUsd: 0.3,
        estimatedUsd: 0,
        heldUsd: 0,
        cacheSavedUsd: 0,
      },
      {
        day: day(2),
        requests: 1,
        errors: 1,
        refused: 0,
        clientClosed: 0,
        promptTokens: 0,
        completionTokens: 0,
        costUsd: 0,
        estimatedUsd: 0,
        heldUsd: 0,
        cacheSavedUsd: 0,
      },
    ]);
    expect(await items('by=model,model')).toMatchObject([
      { provider: 'up', model: 'known', requests: 3 },
      { model: 'other', requests: 1 },
    ]);
    expect(await items('by=key')).toEqual([
      {
        keyId: 'fixed:one',
        keyName: null,
        requests: 4,
        errors: 1,
        refused: 0,
        clientClosed: 0,
        promptTokens: 300,
        completionTokens: 30,
        costUsd: 0.3,
        estimatedUsd: 0,
        heldUsd: 0,
        cacheSavedUsd: 0,
      },
    ]);
    expect(await items('by=account')).toMatchObject([{ accountId: 'fixed:one', requests: 4 }]);
    expect(await items('by=provider')).toEqual([
      {
        provider: 'up',
        requests: 4,
        errors: 1,
        refused: 0,
        clientClosed: 0,
        promptTokens: 300,
        completionTokens: 30,
        costUsd: 0.3,
        estimatedUsd: 0,
        heldUsd: 0,
        cacheSavedUsd: 0,
      },
    ]);
  });

  it('are of the time, the key and the model that are asked for', async () => {
    expect(await items(`from=${day(60)}&by=account`)).toMatchObject([{ requests: 5 }]);
    expect(await items(`from=${day(60)}&to=${day(30)}&by=day`)).toMatchObject([
      { day: day(40), requests: 1 },
    ]);
    expect(await items(`from=${day(2)}&to=${day(1)}&by=day`)).toMatchObject([{ day: day(2) }]);
    expect(await items('model=up/other')).toMatchObject([{ model: 'other', requests: 1 }]);
    expect(await items('key=one&by=key')).toMatchObject([{ keyId: 'fixed:one', requests: 4 }]);
    expect(await items('key=fixed:two')).toEqual([]);
  });

  it('include only requests of the account', async () => {
    expect(await items('by=account', 'sk_two')).toMatchObject([
      { accountId: 'fixed:two', requests: 1 },
    ]);
    expect((await usage('account=all', 'sk_two')).status).toBe(403);
  });

  it('have a request at once', async () => {
    await post(
      `${gateway.url}/v1/chat/completions`,
      { model: 'up/known', messages: [{ role: 'user', content: 'Hi' }] },
      bearer('sk_three'),
    );
    await until(async () => (await items('', 'sk_three')).length > 0);
    expect(await items('', 'sk_three')).toEqual([
      {
        day: day(0),
        provider: 'up',
        model: 'known',
        requests: 1,
        errors: 0,
        refused: 0,
        clientClosed: 0,
        promptTokens: 10,
        completionTokens: 5,
        costUsd: 2e-5,
        estimatedUsd: 0,
        heldUsd: 0,
        cacheSavedUsd: 0,
      },
    ]);
  });

  it('come page by page', async () => {
    const [first] = await items('limit=1');
    const { json } = await usage('limit=1');
    const second = await usage(`limit=2&cursor=${textAt(json, 'next')}`);
    expect([first, ...listAt(second.json, 'items')]).toEqual(await items());
    expect(second.json).toMatchObject({ next: null });
    expect((await usage('cursor=x')).status).toBe(400);
    expect((await usage(`by=day&cursor=${textAt(json, 'next')}`)).status).toBe(400);
  });

  it('are a table in CSV if that is asked for, by format or Accept', async () => {
    const table = [
      'day,provider,model,requests,errors,promptTokens,completionTokens,costUsd,estimatedUsd,heldUsd,cacheSavedUsd,refused,clientClosed',
      `${day(1)},up,known,2,0,200,20,0.2,0,0,0,0,0`,
      `${day(1)},up,other,1,0,100,10,0.1,0,0,0,0,0`,
      `${day(2)},up,known,1,1,0,0,0,0,0,0,0,0`,
      '',
    ].join('\r\n');
    const byFormat = await usage('format=csv');
    expect(byFormat.text).toBe(table);
    expect(byFormat.headers['content-type']).toMatch(/^text\/csv/);
    expect(byFormat.headers['content-disposition']).toBe('attachment; filename="usage.csv"');
    const headers = { ...bearer('sk_one'), accept: 'text/csv' };
    expect((await ask('GET', `${gateway.url}/api/v1/usage`, headers)).text).toBe(table);
  });

  it('refuse a parameter that they do not know, and name the one that was meant', async () => {
    const { status, json } = await usage('accuont=all');
    expect(status).toBe(400);
    expect(json).toMatchObject({
      message: 'accuont: is not a known parameter; did you mean account?',
    });
    expect((await usage('format=csv&limit=3')).status).toBe(400);
  });

  it.each([
    ['by', 'by=hour'],
    ['by', 'by=day,'],
    ['from', 'from=2020-01-01'],
    ['from', 'from=x'],
    ['to', 'to=x'],
    ['model', 'model=a&model=b'],
    ['limit', 'limit=1001'],
    ['format', 'format=xml'],
  ])('name %s where ?%s cannot be served', async (field, query) => {
    const { status, json } = await usage(query);
    expect(status).toBe(422);
    expect(textAt(json, 'message')).toMatch(new RegExp(`^${field}: must `));
  });
});
