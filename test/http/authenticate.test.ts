import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { sendRaw } from '../helpers/raw.js';
import { ask, post } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const key = 'sk_AbCdEf_0123456789';
const body = { messages: [{ role: 'user', content: 'Hi' }], models: ['up/m'] };
const nativePaths = [
  '/api/v1/completions',
  '/api/v1/chat/completions',
  '/api/v1/model-select',
  '/api/v1/modelSelect',
  '/api/v1/model-router/model-select',
];
const openaiPaths = [
  '/v1/chat/completions',
  '/v1/embeddings',
  '/v1/models',
  '/v1/models/up/m',
  '/proxy/up/models',
];
const publicPaths = ['/healthz', '/readyz', '/openapi.json', '/docs', '/metrics'];

let upstream: Upstream;
let gateway: RunningGateway;
const start = (config: object): Promise<RunningGateway> =>
  startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    auth: { keys: [{ name: 'ci', key }] },
    ...config,
  });
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await start({});
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const wrongKeys: [string, Record<string, string>][] = [
  ['no header', {}],
  ['an empty header', { authorization: '' }],
  ['the scheme alone', { authorization: 'Bearer' }],
  ['an empty key', { authorization: 'Bearer ' }],
  ['another key', { authorization: 'Bearer sk_other' }],
  ['the key in upper case', { authorization: `Bearer ${key.toUpperCase()}` }],
  ['the key in lower case', { authorization: `Bearer ${key.toLowerCase()}` }],
  ['a space inside the key', { authorization: `Bearer ${key.slice(0, 5)} ${key.slice(5)}` }],
  ['the key and something after it', { authorization: `Bearer ${key} x` }],
  ['the beginning of the key', { authorization: `Bearer ${key.slice(0, -1)}` }],
  ['more than the key', { authorization: `Bearer ${key}0` }],
  ['the key without its scheme', { authorization: key }],
  ['no space after the scheme', { authorization: `Bearer${key}` }],
  ['the key quoted', { authorization: `Bearer "${key}"` }],
  ['Basic', { authorization: `Basic ${Buffer.from(`user:${key}`).toString('base64')}` }],
  ['Basic with the key as it is', { authorization: `Basic ${key}` }],
  ['two schemes', { authorization: `Bearer Bearer ${key}` }],
  ['two keys in one header', { authorization: `Bearer ${key}, Bearer ${key}` }],
  ['another header', { 'x-signalbox-key': key }],
  ['another key in x-api-key', { 'x-api-key': 'sk_other' }],
  ['a wrong key before a right one', { authorization: 'Bearer sk_other', 'x-api-key': key }],
  ['a cookie', { cookie: `authorization=Bearer ${key}` }],
  ['a name that objects have', { authorization: 'Bearer __proto__' }],
  ['a key of 8,000 characters', { authorization: `Bearer ${'k'.repeat(8_000)}` }],
];

describe('a request', () => {
  it.each(wrongKeys)('with %s is 401', async (_what, headers) => {
    const reply = await post(`${gateway.url}/api/v1/completions`, body, headers);
    expect(reply).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      json: { error: 'Unauthorized', message: expect.stringMatching(/^authorization: /) as string },
    });
    expectConforms('error', reply.json);
    expect(reply.text).not.toContain(key);
  });

  it.each(nativePaths)('without a key is 401 on %s, whatever its method', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const reply = await ask(method, gateway.url + path);
      expect(reply).toMatchObject({ status: 401, json: { error: 'Unauthorized' } });
      expectConforms('error', reply.json);
    }
  });

  it.each(openaiPaths)("without a key is 401 in OpenAI's shape on %s", async (path) => {
    for (const method of ['GET', 'POST']) {
      const reply = await ask(method, gateway.url + path);
      expect(reply).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
        json: { error: { type: 'authentication_error', code: 'invalid_api_key' } },
      });
      expectConforms('openai-error', reply.json);
    }
  });

  it.each([
    ['as the interface writes it', `Bearer ${key}`],
    ['with the scheme in lower case', `bearer ${key}`],
    ['with the scheme in upper case', `BEARER ${key}`],
    ['with spaces before it', `Bearer    ${key}`],
    ['with spaces around all of it', `  Bearer ${key}   `],
  ])('with the key %s passes', async (_how, authorization) => {
    expect((await post(`${gateway.url}/api/v1/completions`, body, { authorization })).status).toBe(
      200,
    );
  });

  it.each(['x-api-key', 'X-Api-Key', 'api-key'])(
    'with the key in %s passes, on every surface',
    async (name) => {
      const headers = { [name]: key };
      const { models: _models, ...chat } = body;
      for (const [path, sent] of [
        ['/api/v1/completions', body],
        ['/v1/chat/completions', { ...chat, model: 'up/m' }],
        ['/api/v1/model-select', { ...chat, llm_providers: [{ name: 'up/m' }] }],
      ] as const)
        expect((await post(gateway.url + path, sent, headers)).status, path).toBe(200);
      for (const path of ['/v1/models', '/api/v1/keys', '/api/v1/conversations'])
        expect((await ask('GET', gateway.url + path, headers)).status, path).toBe(200);
    },
  );

  it('is refused before anybody looks at its body, whatever that holds', async () => {
    for (const [payload, headers] of [
      ['{"broken', {}],
      ['x'.repeat(100_000), { 'content-type': 'text/plain' }],
      [Buffer.alloc(10), { 'content-encoding': 'gzip' }],
      ['', {}],
    ] as const) {
      expect((await post(`${gateway.url}/api/v1/completions`, payload, headers)).status).toBe(401);
      expect((await post(`${gateway.url}/v1/chat/completions`, payload, headers)).status).toBe(401);
    }
  });

  it('is refused before its body has come', async () => {
    const reply = await sendRaw(
      gateway.port,
      'POST /api/v1/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    );
    expect(reply).toMatchObject({ status: 401, json: { error: 'Unauthorized' } });
  });

  it('with two Authorization headers goes by the first', async () => {
    const send = (first: string, second: string): Promise<{ status: number }> =>
      sendRaw(
        gateway.port,
        `GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${first}\r\nAuthorization: Bearer ${second}\r\n\r\n`,
      );
    expect((await send(key, 'sk_wrong')).status).toBe(200);
    expect((await send('sk_wrong', key)).status).toBe(401);
  });

  it('for what is public needs no key, and a wrong one does not matter', async () => {
    for (const path of publicPaths) {
      expect(await ask('GET', gateway.url + path), path).toMatchObject({ status: 200 });
      expect(
        await ask('GET', gateway.url + path, { authorization: 'Bearer wrong' }),
        path,
      ).toMatchObject({ status: 200 });
    }
  });
});

describe('the configuration', () => {
  it('can ask for a key on /metrics', async () => {
    const closed = await start({ metrics: { requireKey: true } });
    expect(await ask('GET', `${closed.url}/metrics`)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      json: { error: 'Unauthorized' },
    });
    expect(
      (await ask('GET', `${closed.url}/metrics`, { authorization: `Bearer ${key}` })).status,
    ).toBe(200);
    expect((await ask('GET', `${closed.url}/healthz`)).status).toBe(200);
    await closed.close();
  });

  it('can ask for a key on /metrics where nothing else needs one', async () => {
    const closed = await start({
      auth: { required: false, keys: [{ name: 'ci', key }] },
      metrics: { requireKey: true },
    });
    expect((await ask('GET', `${closed.url}/metrics`)).status).toBe(401);
    expect(
      (await ask('GET', `${closed.url}/metrics`, { authorization: `Bearer ${key}` })).status,
    ).toBe(200);
    await closed.close();
  });

  it('can let everybody in', async () => {
    const open = await start({ auth: { required: false, keys: [{ name: 'ci', key }] } });
    for (const headers of [
      { authorization: '' },
      { authorization: 'Bearer wrong' },
      { authorization: `Bearer ${key}` },
    ]) {
      expect((await post(`${open.url}/api/v1/completions`, body, headers)).status).toBe(200);
    }
    await open.close();
  });

  it('never takes an empty key for one', async () => {
    await expect(start({ auth: { keys: [{ name: 'ci', key: '' }] } })).rejects.toThrow(
      'must not be empty',
    );
  });
});
