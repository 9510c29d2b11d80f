import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../helpers/gateway.js';
import { at } from '../../helpers/json.js';
import { ask, post } from '../../helpers/sse.js';
import { startUpstream, type Upstream } from '../../helpers/upstream.js';

const apiKey = 'f7Qp2c=Zx9kLmWv3';

let upstream: Upstream;
let gateway: RunningGateway;
beforeEach(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    auth: {
      keys: [
        { name: 'one', key: 'sk_one' },
        { name: 'two', key: 'sk_two' },
      ],
    },
    providers: {
      up: {
        api: 'openai-compatible',
        baseUrl: `${upstream.url}/v1`,
        apiKey,
        headers: { 'X-Tenant': 'tenant-4711' },
      },
    },
  });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});
const url = (path = '/v1/files/1'): string => `${gateway.url}/proxy/up${path}`;

describe('a page that a provider serves', () => {
  it('gets no origin, no scripts and nothing else of the gateway’s own in a browser', async () => {
    upstream.script([
      {
        raw: Buffer.from('<script>alert(1)</script>'),
        contentType: 'text/html',
        headers: {
          'set-cookie': ['a=1'],
          'content-security-policy': "default-src 'self'",
          'content-security-policy-report-only': 'report-uri /x',
          'access-control-allow-origin': '*',
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': '*',
          'strict-transport-security': 'max-age=1',
          'clear-site-data': '"*"',
          refresh: '0; url=/docs',
          'service-worker-allowed': '/',
          'alt-svc': 'h3=":443"',
          'report-to': '{}',
          nel: '{}',
          'cross-origin-resource-policy': 'cross-origin',
          'www-authenticate': 'Basic realm="x"',
          'x-content-type-options': 'none',
          'content-disposition': 'inline',
          'x-kept': 'yes',
        },
      },
    ]);
    const { headers, text } = await ask('GET', url(), gateway.auth);
    expect(text).toBe('<script>alert(1)</script>');
    expect(headers).toMatchObject({
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'content-type': 'text/html',
      'x-kept': 'yes',
    });
    for (const name of [
      'set-cookie',
      'content-security-policy-report-only',
      'access-control-allow-origin',
      'access-control-allow-credentials',
      'access-control-expose-headers',
      'strict-transport-security',
      'clear-site-data',
      'refresh',
      'service-worker-allowed',
      'alt-svc',
      'report-to',
      'nel',
      'cross-origin-resource-policy',
      'www-authenticate',
    ])
      expect(headers, name).not.toHaveProperty(name);
  });

  it('is not opened by a link, key or not', async () => {
    const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };
    expect((await ask('GET', `${url()}?key=${gateway.key}`, headers)).status).toBe(403);
    expect(upstream.requests).toEqual([]);
  });
});

describe('an error of a provider that repeats its key', () => {
  const message = `{"error":{"message":"the key ${apiKey} of tenant-4711 is not valid"}}`;
  const masked = message
    .replace(apiKey, '*'.repeat(apiKey.length))
    .replace('tenant-4711', '*'.repeat(11));

  it.each([302, 400, 401, 404, 429, 500])('is passed through without it: %i', async (status) => {
    upstream.script([{ raw: Buffer.from(message), contentType: 'application/json', status }]);
    expect(await ask('GET', url(), gateway.auth)).toMatchObject({ status, text: masked });
  });

  it('is found at every cut', async () => {
    const cut = { raw: Buffer.from(message), contentType: 'application/json', status: 500 };
    for (const size of [1, 2, 3, 7]) {
      const events = Array.from({ length: Math.ceil(message.length / size) }, (_, n) =>
        Buffer.from(message.slice(n * size, (n + 1) * size)),
      );
      upstream.script([{ ...cut, events, writes: 'events' }]);
      expect((await ask('GET', url(), gateway.auth)).text).toBe(masked);
    }
  });

  it.each([
    ['gzip', gzipSync(message), masked],
    ['br', brotliCompressSync(message), masked],
    ['secret', Buffer.from(message), ''],
    ['constructor', Buffer.from(message), ''],
    ['__proto__', Buffer.from(message), ''],
  ])('is not hidden by the coding %s', async (coding, raw, text) => {
    upstream.script([
      {
        raw,
        contentType: 'application/json',
        status: 401,
        headers: { 'content-encoding': coding },
      },
    ]);
    const reply = await ask('GET', url(), gateway.auth);
    expect(reply).toMatchObject({ status: 401, text });
    expect(reply.headers).not.toHaveProperty('content-encoding');
  });

  it('has an end, however little it was compressed to', async () => {
    const raw = gzipSync(Buffer.alloc(20 * 1024 * 1024, ' '));
    upstream.script([
      { raw, contentType: 'text/plain', status: 500, headers: { 'content-encoding': 'gzip' } },
    ]);
    await expect(ask('GET', url(), gateway.auth)).rejects.toThrow();
  });

  it('is not passed in a header either', async () => {
    upstream.script([
      {
        raw: Buffer.from(''),
        contentType: 'text/plain',
        status: 302,
        headers: { location: `https://x.example/?key=${apiKey}`, 'x-debug': `Bearer ${apiKey}` },
      },
    ]);
    const { headers } = await ask('GET', url(), gateway.auth);
    expect(JSON.stringify(headers)).not.toContain(apiKey);
  });

  it('does not lead a client elsewhere whose key is in a header that it would send there', async () => {
    const location = 'https://x.example/file';
    const moved = { raw: Buffer.from(''), contentType: 'text/plain', status: 302 };
    upstream.script([{ ...moved, headers: { location } }]);
    expect((await ask('GET', url(), gateway.auth)).headers.location).toBe(location);
    for (const name of ['x-api-key', 'api-key', 'x-goog-api-key'])
      expect((await ask('GET', url(), { [name]: gateway.key })).headers, name).not.toHaveProperty(
        'location',
      );
  });

  it('does not change answers that succeed', async () => {
    upstream.script([{ raw: Buffer.from(message), contentType: 'application/json' }]);
    expect((await ask('GET', url(), gateway.auth)).text).toBe(message);
  });
});

describe('an Idempotency-Key', () => {
  it('goes to the provider with a prefix of the account, so that accounts cannot share one', async () => {
    const sent = async (key: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'abc' };
      await post(url(), {}, headers);
      return upstream.requests.at(-1)?.headers['idempotency-key'];
    };
    const [one, again, two] = [await sent('sk_one'), await sent('sk_one'), await sent('sk_two')];
    expect(one).toMatch(/^[0-9a-f]{16}-abc$/);
    expect(again).toBe(one);
    expect(two).toMatch(/^[0-9a-f]{16}-abc$/);
    expect(two).not.toBe(one);
  });
});

describe('an error of the gateway itself below /proxy', () => {
  it.each([
    [
      'Anthropic',
      { 'x-api-key': 'sk_wrong', 'anthropic-version': '2023-06-01' },
      { type: 'error', error: { type: 'authentication_error' } },
    ],
    [
      'Google',
      { 'x-goog-api-key': 'sk_wrong' },
      { error: { code: 401, status: 'UNAUTHENTICATED' } },
    ],
    ['OpenAI', { authorization: 'Bearer sk_wrong' }, { error: { code: 'invalid_api_key' } }],
  ])('has the shape that the SDK of %s reads', async (_sdk, headers, body) => {
    const reply = await ask('GET', url(), headers);
    expect(reply).toMatchObject({ status: 401, json: body });
    expect(at(reply.json, 'error', 'message')).toMatch(/^authorization: /);
  });
});
