import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { administratorOf, type Browser, signedUp } from '../helpers/browser.js';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt } from '../helpers/json.js';
import { memoryDatabases } from '../helpers/memory-databases.js';
import { requestRow } from '../helpers/request-row.js';
import { ask, post, postStream } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
let admin: Browser;
let member: Browser;

beforeAll(async () => {
  upstream = await startUpstream();
  const baseUrl = `${upstream.url.replace('//', '//user:pass@')}/v1?token=hidden`;
  gateway = await startGateway({
    providers: {
      up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKeys: ['one', 'two'] },
      secretive: { api: 'openai-compatible', baseUrl, listModels: ['small', 'embed-1'] },
    },
    models: {
      'up/gpt-4o': { inputPrice: 2.5, outputPrice: 10, contextLength: 128_000 },
      'up/claude-sonnet-4-5': { inputPrice: 3, outputPrice: 15 },
      'up/cheap': { inputPrice: 0.1, outputPrice: 0.2, quality: 0.4 },
      'up/gpt-unpriced': {},
    },
    aliases: { smart: ['up/gpt-4o', 'up/claude-sonnet-4-5'] },
    routing: { auto: ['up/gpt-4o', 'up/cheap'], deny: ['up/claude*'] },
    limits: { maxRetries: 0 },
  });
  admin = await administratorOf(gateway, 'admin@example.org');
  member = await signedUp(gateway.url, 'member@example.org');
});
afterAll(() => Promise.all([gateway.close(), upstream.close()]));

const modelsOf = async (query: string): Promise<unknown[]> => {
  const { status, json } = await member.ask('GET', `/api/v1/models${query}`);
  expect(status).toBe(200);
  for (const model of listAt(json, 'items')) expectConforms('described-model.response', model);
  return listAt(json, 'items');
};
const names = (models: unknown[]): unknown[] => models.map((model) => at(model, 'id'));

describe('the list of models with what is known of them', () => {
  it('has prices, abilities by kind with intervals and basis, aliases and what auto may choose', async () => {
    const [model] = await modelsOf('?search=GPT-4o&provider=up');
    expect(model).toMatchObject({
      id: 'up/gpt-4o',
      type: 'chat',
      auto: true,
      aliases: ['smart'],
      contextLength: 128_000,
      prices: { input: 2.5, output: 10, blended: 4.375 },
      quality: { basis: 'measured' },
    });
    const [low, high] = listAt(model, 'quality', 'interval') as number[];
    expect(at(model, 'quality', 'quality')).toBeGreaterThan(low!);
    expect(at(model, 'quality', 'quality')).toBeLessThan(high!);
    expect(listAt(model, 'quality', 'kinds')).toContainEqual({
      kind: 'coding',
      quality: expect.any(Number) as number,
      interval: [expect.any(Number), expect.any(Number)],
      measured: true,
    });
  });

  it('says where an ability is from: a guess is less sure, and a stated quality is as it is', async () => {
    const models = await modelsOf('');
    const one = (id: string): unknown => models.find((model) => at(model, 'id') === id);
    const widthOf = (id: string): number => {
      const [low = 0, high = 0] = listAt(one(id), 'quality', 'interval') as number[];
      return high - low;
    };
    expect(one('up/gpt-unpriced')).toMatchObject({ quality: { basis: 'guess' } });
    expect(widthOf('up/gpt-unpriced')).toBeGreaterThan(widthOf('up/gpt-4o'));
    expect(one('up/cheap')).toMatchObject({
      quality: { basis: 'stated', quality: 0.4, interval: null, kinds: [] },
    });
  });

  it('leaves out what the caller may not use', async () => {
    expect(names(await modelsOf(''))).not.toContain('up/claude-sonnet-4-5');
  });

  it('is filtered and sorted, with unknown prices last, page by page', async () => {
    expect(names(await modelsOf('?use=auto&sort=price'))).toEqual(['up/cheap', 'up/gpt-4o']);
    expect(names(await modelsOf('?provider=up&sort=quality'))[0]).toBe('up/gpt-4o');
    expect(names(await modelsOf('?provider=up&sort=price')).at(-1)).toBe('up/gpt-unpriced');
    const first = await member.ask('GET', '/api/v1/models?sort=price&provider=up&limit=1');
    const next = at(first.json, 'next') as string;
    const rest = await modelsOf(`?sort=price&provider=up&limit=1&cursor=${next}`);
    expect(names([...listAt(first.json, 'items'), ...rest])).toEqual(['up/cheap', 'up/gpt-4o']);
  });

  it.each([
    ['?sort=size', 'sort: must be one of: name, price, quality, latency'],
    ['?use=none', 'use: must be one of: auto, all'],
    ['?cursor=x', 'cursor: is not a cursor of this list'],
  ])('refuses %s', async (query, message) => {
    expect(await member.ask('GET', `/api/v1/models${query}`)).toMatchObject({
      status: 422,
      json: { message },
    });
  });
});

describe('the measured latency of a model', () => {
  it('is of answers that were streamed: one that was asked for whole has no first token', async () => {
    const fresh = await startGateway({
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: { 'up/streamed': {}, 'up/whole': {} },
    });
    const messages = [{ role: 'user', content: 'Hello' }];
    for (let count = 0; count < 3; count++) {
      const body = { model: 'up/streamed', messages, stream: true };
      await postStream(`${fresh.url}/v1/chat/completions`, body, { headers: fresh.auth });
      await post(`${fresh.url}/v1/chat/completions`, { model: 'up/whole', messages }, fresh.auth);
    }
    const { json } = await ask('GET', `${fresh.url}/api/v1/models`, fresh.auth);
    await fresh.close();
    expect(json).toMatchObject({
      items: [
        { id: 'up/streamed', ttftMs: expect.any(Number) as number },
        { id: 'up/whole', ttftMs: null },
      ],
    });
  });
});

describe('the list of providers', () => {
  it('shows members their names and condition, and nothing of addresses, keys and health', async () => {
    const { json } = await member.ask('GET', '/api/v1/providers');
    for (const provider of listAt(json, 'items')) {
      expectConforms('provider.response', provider);
      expect(at(provider, 'details')).toBeNull();
    }
    expect(json).toMatchObject({
      items: [{ name: 'up', api: 'openai-compatible', models: 3 }, {}],
    });
  });

  it('shows administrators addresses without what is secret in them', async () => {
    const { json, text } = await admin.ask('GET', '/api/v1/providers/secretive');
    expectConforms('provider.response', json);
    expect(json).toMatchObject({ details: { baseUrl: `${upstream.url}/v1`, keys: 0 } });
    expect(text).not.toMatch(/user:pass|hidden/);
  });

  it('is 404 for a name that no provider has', async () => {
    for (const path of ['/api/v1/providers/none', '/api/v1/providers/__proto__'])
      expect((await admin.ask('GET', path)).status).toBe(404);
  });
});

describe('a test of a provider', () => {
  const test = (body?: object, browser = admin) =>
    browser.ask('POST', '/api/v1/providers/up/test', body);
  const conditionOf = async (): Promise<unknown> =>
    (await admin.ask('GET', '/api/v1/providers/up')).json;

  it('calls the cheapest model that auto may choose, as a request of the administrator’s own', async () => {
    upstream.script([{ usage: { prompt: 10, completion: 10 } }]);
    expect(await conditionOf()).toMatchObject({ condition: 'untried', details: { health: null } });
    const { json } = await test();
    expectConforms('provider-test.response', json);
    expect(json).toMatchObject({ ok: true, model: 'up/cheap', costUsd: 3e-6, error: null });
    const { json: log } = await admin.ask('GET', '/api/v1/requests?limit=1');
    expect(log).toMatchObject({ items: [{ keyId: null, status: 200, promptTokens: 10 }] });
    expect(await conditionOf()).toMatchObject({
      condition: 'ok',
      details: { health: { attempts: 1, failures: 0, lastFailure: null } },
    });
  });

  it('that lacks a model shows the model’s error, and works as before', async () => {
    upstream.script([{ status: 404 }]);
    const { json } = await test({ model: 'gpt-4o' });
    expect(json).toMatchObject({ ok: false, model: 'up/gpt-4o', error: { status: 404 } });
    const found = await conditionOf();
    expectConforms('provider.response', found);
    expect(found).toMatchObject({
      condition: 'ok',
      details: {
        health: {
          attempts: 2,
          failures: 0,
          lastFailure: null,
          lastModelError: { model: 'gpt-4o', code: 'model_not_found', status: 404 },
        },
      },
    });
  });

  it('of a provider that has answered 404 alone says that nothing is known yet', async () => {
    const fresh = await startGateway({
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: { 'up/gone': {} },
    });
    const browser = await administratorOf(fresh, 'other@example.org');
    upstream.script([{ status: 404 }]);
    await browser.ask('POST', '/api/v1/providers/up/test', {});
    const { json } = await browser.ask('GET', '/api/v1/providers/up');
    await fresh.close();
    expect(json).toMatchObject({
      condition: 'untried',
      details: { health: { attempts: 1, lastModelError: { model: 'gone' } } },
    });
  });

  it('tells the provider’s words where it fails, and which keys rest', async () => {
    upstream.script([{ status: 401 }]);
    const { json } = await test({ model: 'gpt-4o' });
    expectConforms('provider-test.response', json);
    expect(json).toMatchObject({
      ok: false,
      model: 'up/gpt-4o',
      error: {
        status: 401,
        message: 'up answered 401: scripted 401',
      },
    });
    const found = await conditionOf();
    expectConforms('provider.response', found);
    expect(found).toMatchObject({
      condition: 'resting',
      details: {
        cooldowns: [{ why: 'refused' }, { why: 'refused' }],
        health: { failures: 2, lastFailure: { code: 'provider_auth', status: 401 } },
      },
    });
  });

  it('is refused for models that may not be used, and to members', async () => {
    expect((await test({ model: 'claude-sonnet-4-5' })).status).toBe(400);
    expect((await test({}, member)).status).toBe(403);
    expect((await test({ model: '' })).status).toBe(422);
    expect((await admin.ask('POST', '/api/v1/providers/none/test')).status).toBe(404);
  });
});

describe('a provider that a restarted gateway has not called', () => {
  it('is as the request log of the last day says', async () => {
    const databases = memoryDatabases(null, {
      onWarning: () => undefined,
      onNews: () => undefined,
    });
    const { store } = await databases.get();
    const failedAt = Date.now() - 60_000;
    const failure = { code: 'upstream_overloaded', status: 503, error: 'up answered 503: busy' };
    await store.requests.add([
      requestRow({ at: failedAt - 1_000_000 }),
      requestRow({ at: failedAt - 7_000, latencyMs: 400 }),
      requestRow({ at: failedAt - 5_000, latencyMs: 200, ttftMs: null }),
      requestRow({ at: failedAt, ...failure }),
      requestRow({ at: failedAt + 1_000, code: 'budget_spent', status: 429, provider: 'up' }),
    ]);
    const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, listModels: ['known'] };
    const fresh = await startGateway({ providers: { up, other: up } }, { databases });
    const browser = await administratorOf(fresh, 'admin@example.org');
    const { json } = await browser.ask('GET', '/api/v1/providers');
    for (const item of listAt(json, 'items')) expectConforms('provider.response', item);
    expect(listAt(json, 'items')).toMatchObject([
      {
        name: 'up',
        condition: 'failing',
        details: {
          health: {
            isLogged: true,
            // a quarter of an hour, and an hour
            ...{ attempts: 3, failures: 1, latencyMs: 200, ttftMs: null },
            lastFailure: { code: 'upstream_overloaded', message: 'up answered 503: busy' },
          },
        },
      },
      { name: 'other', condition: 'untried', details: { health: null } },
    ]);
    const test = async (step: Parameters<Upstream['script']>[0][number]): Promise<unknown> => {
      upstream.script([step]);
      await browser.ask('POST', '/api/v1/providers/up/test', { model: 'known' });
      return at((await browser.ask('GET', '/api/v1/providers/up')).json, 'details', 'health');
    };
    // that it lacks a model says nothing of the provider
    expect(await test({ status: 404 })).toMatchObject({
      attempts: 1,
      isLogged: true,
      lastFailure: { code: 'upstream_overloaded', at: new Date(failedAt).toISOString() },
      lastModelError: { model: 'known' },
    });
    expect(await test({})).toMatchObject({ lastFailure: null });
    // nor does what it refuses
    expect(await test({ status: 400 })).toMatchObject({ lastFailure: { code: 'request_refused' } });
    expect(at((await browser.ask('GET', '/api/v1/providers/up')).json, 'condition')).toBe('ok');
    await fresh.close();
  });
});
