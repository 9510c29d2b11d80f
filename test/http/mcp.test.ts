import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createGateway } from '../../src/gateway.js';
import { type RunningGateway, startGateway, testKey } from '../helpers/gateway.js';
import { startHost } from '../helpers/host.js';
import { at } from '../helpers/json.js';
import { callMcp, connectMcp, type Era, eras } from '../helpers/mcp-client.js';
import { metricOf } from '../helpers/metrics.js';
import { type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { ask, post } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let world: SearchWorld;
/** Has a search engine. */
let gateway: RunningGateway;
/** Has none, and needs no keys. */
let open: RunningGateway;
const clients: { close(): Promise<void> }[] = [];
const models = { 'up/small': { inputPrice: 1, outputPrice: 2 }, 'up/large': {} };
const prompt = 'Prove that 2 is prime.';

beforeAll(async () => {
  [upstream, world] = await Promise.all([startUpstream({ hasLists: false }), startSearchWorld()]);
  world.pages = [{ title: 'Heron', url: `${world.url}/heron`, text: 'Heron 4.0 is out.' }];
  const providers = { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } } as const;
  gateway = await startGateway({
    providers,
    models,
    limits: { maxRetries: 0, maxBodyBytes: 50_000 },
    auth: {
      keys: [
        { name: 'test', key: testKey },
        { name: 'chooser', key: 'sk_chooser', scopes: ['model-select'] },
        { name: 'administrator', key: 'sk_admin', scopes: ['admin'] },
        { name: 'once', key: 'sk_once', limits: { requestsPerMinute: 1 } },
        { name: 'thrifty', key: 'sk_thrifty', limits: { dayBudgetUsd: 1.5 } },
      ],
    },
    search: {
      engines: [{ type: 'searxng', url: world.url, pricePerThousand: 1_000 }],
      cacheMs: 0,
    },
  });
  open = await startGateway({ providers, models, auth: { required: false } });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  upstream.script([{}]);
  world.queries = [];
});
afterAll(() => Promise.all([gateway, open, upstream, world].map((one) => one.close())));

async function connected(era: Era = 'stateless', key = testKey, to = gateway.url) {
  const client = await connectMcp(`${to}/mcp`, key, era);
  clients.push(client);
  return client;
}
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};
const accept = { accept: 'application/json, text/event-stream' };
const send = (body: object, headers: Record<string, string>, to = gateway) =>
  post(`${to.url}/mcp`, body, { ...accept, ...headers });
const rows = async (): Promise<Record<string, unknown>[]> => {
  await until(async () => (await listed()).length > 0);
  return listed();
};
const listed = async (): Promise<Record<string, unknown>[]> =>
  at((await ask('GET', `${gateway.url}/api/v1/requests`, gateway.auth)).json, 'items') as Record<
    string,
    unknown
  >[];

describe.each(eras)('/mcp, for a client of the %s generation', (era) => {
  it('lists its tools', async () => {
    const { tools } = await (await connected(era)).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['select_model', 'complete', 'search']);
    expect(tools[0]).toMatchObject({ annotations: { readOnlyHint: true } });
  });

  it('selects a model, of those given or of all', async () => {
    const before = upstream.requests.length;
    const client = await connected(era);
    const given = { prompt, models: ['up/small'] };
    expect(await callMcp(client, 'select_model', given)).toEqual({
      text: 'up/small',
      isError: false,
    });
    const any = await callMcp(client, 'select_model', { prompt, tradeoff: 'cost' });
    expect(any.text).toMatch(/^up\/(small|large)$/);
    expect(upstream.requests).toHaveLength(before);
  });

  it('asks a model', async () => {
    upstream.script([{ text: ['It has ', 'two divisors.'] }]);
    const call = { prompt, system: 'Be short.', model: 'up/large' };
    expect(await callMcp(await connected(era), 'complete', call)).toEqual({
      text: 'It has two divisors.',
      isError: false,
    });
    expect(upstream.requests.at(-1)?.body).toMatchObject({
      model: 'large',
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: prompt },
      ],
    });
  });

  it('searches the web', async () => {
    const { text, isError } = await callMcp(await connected(era), 'search', { query: 'heron' });
    expect(isError).toBe(false);
    expect(text).toBe(`[1] Heron (${world.url}/heron)\nHeron 4.0 is out.`);
    expect(world.queries).toEqual(['heron']);
  });

  it('tells a failure as the result of the tool', async () => {
    upstream.script([{ status: 503 }]);
    const client = await connected(era);
    const failed = await callMcp(client, 'complete', { prompt, model: 'up/small' });
    expect(failed).toMatchObject({ isError: true, text: expect.stringContaining('503') as string });
    const unknown = await callMcp(client, 'complete', { prompt, model: 'nobody/none' });
    expect(unknown.text).toContain('nobody');
    const wrong = await callMcp(client, 'complete', { question: prompt });
    expect(wrong).toMatchObject({
      isError: true,
      text: expect.stringContaining('prompt') as string,
    });
  });

  it('cancels the call of a client that leaves', async () => {
    upstream.script([{ hang: 'beforeHeaders' }]);
    const before = upstream.requests.length;
    const disconnects = 'signalbox_client_disconnects_total';
    const gone = await metricOf(gateway, disconnects, 'surface="mcp"');
    const client = await connected(era);
    const leaving = new AbortController();
    const call = callMcp(client, 'complete', { prompt }, leaving.signal);
    const ended = expect(call).rejects.toThrow();
    await until(() => upstream.requests.length > before);
    // in the older generation a client that cancels one call keeps its connection open
    if (era === 'stateless') leaving.abort();
    else await client.close();
    await ended;
    const left = (): Promise<number> => metricOf(gateway, disconnects, 'surface="mcp"');
    await until(async () => (await left()) === gone + 1);
  });
});

describe('/mcp', () => {
  it('offers a key the tools of its scopes', async () => {
    const { tools } = await (await connected('stateless', 'sk_chooser')).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['select_model']);
    expect((await send(initialize, { authorization: 'Bearer sk_admin' })).json).toMatchObject({
      error: { message: expect.stringContaining('lacks the scope') as string },
    });
  });

  it('has no search without an engine', async () => {
    const { tools } = await (await connected('stateless', testKey, open.url)).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['select_model', 'complete']);
  });

  it.each([
    ['no key', {}, 401],
    ['an unknown key', { authorization: 'Bearer sk_wrong' }, 401],
    [
      'an unknown key, under a strange name',
      { authorization: 'Bearer sk_wrong', host: 'evil.example' },
      421,
    ],
    ['a page of another site', { origin: 'https://evil.example' }, 403],
  ])('refuses %s in the words of JSON-RPC', async (_name, headers, status) => {
    const reply = await send(initialize, headers);
    expect(reply).toMatchObject({ status, json: { jsonrpc: '2.0', id: null } });
  });

  it.each([
    ['a page of another site', { origin: 'https://evil.example' }, 403],
    ['a name that is not its own', { host: 'evil.example' }, 421],
  ])('refuses %s also where no key is required', async (_name, headers, status) => {
    expect((await send(initialize, headers, open)).status).toBe(status);
    expect((await send(initialize, {}, open)).status).toBe(200);
  });

  it('bounds bodies, and takes one message at a time', async () => {
    const large = { ...initialize, more: 'x'.repeat(50_000) };
    expect((await send(large, gateway.auth)).status).toBe(413);
    const batch = await send([initialize, initialize], gateway.auth);
    expect(batch).toMatchObject({
      status: 400,
      json: { error: { code: -32600, message: expect.stringContaining('batch') as string } },
    });
  });

  it('takes no longer names of models than other routes', async () => {
    const client = await connected();
    const model = `up/${'kimi-'.repeat(200)}`;
    for (const [tool, more] of [
      ['complete', { model }],
      ['select_model', { models: [model] }],
    ] as const) {
      const { isError, text } = await callMcp(client, tool, { prompt, ...more });
      expect(isError).toBe(true);
      expect(text).toContain('512');
    }
    expect(upstream.requests.some(({ body }) => body?.['model'] === model.slice(3))).toBe(false);
  });

  it.each(['GET', 'DELETE'])('has no sessions for %s', async (method) => {
    const reply = await ask(method, `${gateway.url}/mcp`, gateway.auth);
    expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });

  it('holds a key to its limits', async () => {
    const client = await connected('handshake', 'sk_once');
    expect((await callMcp(client, 'select_model', { prompt })).isError).toBe(false);
    const second = await callMcp(client, 'complete', { prompt });
    expect(second).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^limits: /) as string,
    });
  });

  it('counts searches towards the budget of a key', async () => {
    const client = await connected('stateless', 'sk_thrifty');
    expect((await callMcp(client, 'search', { query: 'heron' })).isError).toBe(false);
    const second = await callMcp(client, 'search', { query: 'heron' });
    expect(second).toMatchObject({
      isError: true,
      text: expect.stringContaining('1 USD are spent') as string,
    });
    expect(world.queries).toHaveLength(1);
  });

  it('logs and measures each call of a tool, and no message of the protocol', async () => {
    const fresh = await startGateway({
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models,
      search: { engines: [{ type: 'searxng', url: world.url, pricePerThousand: 1_000 }] },
    });
    const saved = gateway;
    gateway = fresh;
    try {
      const client = await connected();
      await client.listTools();
      await callMcp(client, 'select_model', { prompt });
      await callMcp(client, 'complete', { prompt, model: 'up/small' });
      await callMcp(client, 'search', { query: 'heron' });
      upstream.script([{ status: 400 }]);
      await callMcp(client, 'complete', { prompt, model: 'up/small' });
      await until(async () => (await rows()).length === 4);
      expect((await rows()).reverse()).toMatchObject([
        { surface: 'model_select', status: 200 },
        { surface: 'mcp', status: 200, provider: 'up', model: 'small' },
        { surface: 'mcp', status: 200, provider: null, costUsd: 1 },
        { surface: 'mcp', code: 'request_refused', provider: 'up' },
      ]);
      const name = 'signalbox_request_duration_seconds_count';
      expect(await metricOf(fresh, name, 'surface="mcp"', 'status="200"')).toBe(2);
      expect(await metricOf(fresh, name, 'surface="resources"')).toBeGreaterThan(0);
      expect(await metricOf(fresh, 'signalbox_search_duration_seconds_count')).toBe(1);
    } finally {
      gateway = saved;
      await fresh.close();
    }
  });

  it('is part of a mounted gateway, also by itself and behind a body parser', async () => {
    const mounted = createGateway({
      auth: { keys: [{ name: 'me', key: testKey }] },
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models,
    });
    const app = express().use(express.json());
    const host = await startHost(app.use('/ai', mounted.router).use('/alone', mounted.routers.mcp));
    try {
      for (const path of ['/ai', '/alone']) {
        const client = await connected('stateless', testKey, host.url + path);
        expect((await client.listTools()).tools).toHaveLength(2);
        await client.close();
      }
    } finally {
      await host.close();
      await mounted.close();
    }
  });
});
