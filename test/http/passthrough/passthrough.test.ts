import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { upstreamPath } from '../../../src/http/passthrough/passthrough.js';
import { type RunningGateway, startGateway } from '../../helpers/gateway.js';
import { expressRows, type RunningHost, startHost } from '../../helpers/host.js';
import { openRaw, sendRaw } from '../../helpers/raw.js';
import { ask, post, postStream } from '../../helpers/sse.js';
import { startUpstream, type Upstream } from '../../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
const ok = { raw: Buffer.from('{"fine":true}'), contentType: 'application/json' };

beforeEach(async () => {
  upstream = await startUpstream();
  upstream.script([ok]);
  gateway = await startGateway({
    providers: {
      openai: { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'openai-secret' },
      claude: { api: 'anthropic', baseUrl: upstream.url, apiKey: 'claude-secret' },
      google: { api: 'gemini', baseUrl: `${upstream.url}/v1beta`, apiKey: 'google-secret' },
      azure: { api: 'azure-openai', baseUrl: upstream.url, apiKey: 'azure-secret' },
      tenant: {
        api: 'openai-compatible',
        baseUrl: `${upstream.url}/tenant/v1`,
        apiKey: 'tenant-secret',
        headers: { 'X-Team': 'blue' },
      },
      closed: {
        api: 'openai',
        baseUrl: `${upstream.url}/v1`,
        apiKey: 'closed-secret',
        allowProxy: false,
      },
      down: { api: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'down-secret' },
    },
    proxy: { forwardHeaders: ['x-trace', 'Authorization', 'X-API-Key'] },
  });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const proxy = (path: string): string => `${gateway.url}/proxy${path}`;

describe("a pass-through takes the gateway's key where the provider's own SDK puts its key", () => {
  it.each([
    ['as a bearer token', 'openai', (key: string) => ({ authorization: `Bearer ${key}` })],
    ['as x-api-key', 'claude', (key: string) => ({ 'x-api-key': key })],
    ['as api-key', 'azure', (key: string) => ({ 'api-key': key })],
    ['as x-goog-api-key', 'google', (key: string) => ({ 'x-goog-api-key': key })],
  ])('%s', async (_where, provider, headers) => {
    expect((await ask('GET', proxy(`/${provider}/v1/models`), headers(gateway.key))).json).toEqual({
      fine: true,
    });
    expect(await ask('GET', proxy(`/${provider}/v1/models`), headers('sk_wrong'))).toMatchObject({
      status: 401,
      json: {
        error: {
          message:
            'authorization: this API key is not known; check that it is complete and belongs to this gateway',
        },
      },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it.each(['key', '%6Bey'])('as ?%s=, which does not travel on', async (name) => {
    const reply = await ask(
      'GET',
      proxy(`/google/v1beta/models?a=1&${name}=${gateway.key}&pageSize=2`),
    );
    expect(reply.json).toEqual({ fine: true });
    expect(upstream.requests[0]?.path).toBe('/v1beta/models?a=1&pageSize=2');
    expect((await ask('GET', proxy(`/google/v1beta/models?${name}=sk_wrong`))).status).toBe(401);
  });

  it('and nobody passes without one, whatever the path', async () => {
    for (const path of ['/openai/v1/models', '/nobody/v1', '/', ''])
      expect((await ask('GET', proxy(path))).status, path).toBe(401);
    expect(upstream.requests).toEqual([]);
  });
});

describe('a pass-through shows the provider its own key in its own way', () => {
  it.each([
    ['openai', { authorization: 'Bearer openai-secret' }],
    ['claude', { 'x-api-key': 'claude-secret' }],
    ['google', { 'x-goog-api-key': 'google-secret' }],
    ['azure', { 'api-key': 'azure-secret' }],
    ['tenant', { authorization: 'Bearer tenant-secret', 'x-team': 'blue' }],
  ])('%s', async (provider, expected) => {
    await ask('GET', proxy(`/${provider}/v1/models`), gateway.auth);
    const { headers } = upstream.requests[0]!;
    expect(headers).toMatchObject(expected);
    expect(headers.host).toBe(new URL(upstream.url).host);
  });
});

describe('a pass-through leads any path to the provider', () => {
  it.each([
    ['/openai/v1/files?limit=2&after=a%2Fb', '/v1/files?limit=2&after=a%2Fb'],
    ['/openai/files', '/v1/files'],
    ['/openai/v1/', '/v1/'],
    ['/claude/v1/messages', '/v1/messages'],
    ['/claude/messages/batches', '/v1/messages/batches'],
    [
      '/google/v1beta/models/gemini-2.5-flash:countTokens',
      '/v1beta/models/gemini-2.5-flash:countTokens',
    ],
    ['/google/v1/models', '/v1/models'],
    [
      '/google/upload/v1beta/files?uploadType=resumable',
      '/upload/v1beta/files?uploadType=resumable',
    ],
    [
      '/azure/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
      '/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    ],
    ['/tenant/v1/models', '/tenant/v1/models'],
    ['/tenant/models', '/tenant/v1/models'],
    ['/tenant/tenant/v1/models', '/tenant/v1/models'],
    ['/tenant/v2/rerank', '/tenant/v2/rerank'],
    ['/%6fpenai/v1/models', '/v1/models'],
    ['/openai/v1/models/org%2Fmodel%20one', '/v1/models/org%2Fmodel%20one'],
    ["/openai/v1/a'b(c)*,;=~:@$!+", "/v1/a'b(c)*,;=~:@$!+"],
    ['/openai/v1/search?q=a?b/../c&url=http://x//y', '/v1/search?q=a?b/../c&url=http://x//y'],
  ])('%s', async (path, expected) => {
    expect((await ask('GET', proxy(path), gateway.auth)).status).toBe(200);
    expect(upstream.requests[0]?.path).toBe(expected);
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'with %s and its body',
    async (method) => {
      const body = method === 'GET' || method === 'OPTIONS' ? undefined : { a: [1, 'ü'] };
      const length: Record<string, string> = body
        ? { 'content-length': String(Buffer.byteLength(JSON.stringify(body))) }
        : {};
      expect(
        (await ask(method, proxy('/openai/v1/things/7'), { ...gateway.auth, ...length }, body))
          .json,
      ).toEqual({ fine: true });
      expect(upstream.requests[0]).toMatchObject({ method, path: '/v1/things/7' });
      expect(upstream.requests[0]?.body).toEqual(body);
    },
  );

  it('but not with TRACE, whose answer repeats the key of the provider', async () => {
    const reply = await sendRaw(
      gateway.port,
      `TRACE /proxy/openai/v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(reply.status).toBe(405);
    expect(upstream.requests).toEqual([]);
  });

  it('with HEAD', async () => {
    upstream.script([{ status: 200, body: '', headers: { 'content-type': 'application/json' } }]);
    expect(await ask('HEAD', proxy('/openai/v1/things/7'), gateway.auth)).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-type': 'application/json' },
    });
  });

  it('and a version that stands in the path already is not doubled', () => {
    expect(upstreamPath('https://a.example', '/x')).toBe('/x');
    expect(upstreamPath('https://a.example/v1', '/v1/x')).toBe('/v1/x');
    expect(upstreamPath('https://a.example/v1', '/x')).toBe('/v1/x');
    expect(upstreamPath('https://a.example/api/v1/', '/v1beta/x')).toBe('/api/v1beta/x');
    expect(upstreamPath('https://a.example/v1', '/v1')).toBe('/v1');
  });
});

describe('no path leads a pass-through away from the provider', () => {
  it.each([
    '/proxy/openai/../admin',
    '/proxy/openai/v1/../../admin',
    '/proxy/tenant/v1/%2e%2e/%2E./admin',
    '/proxy/tenant/v1/..%2f..%2Fadmin',
    '/proxy/tenant/..\\..\\admin',
    '/proxy/tenant/..%5cadmin',
    '/proxy/tenant/v1/.',
    '/proxy/tenant/v1/..?x=1',
    '/proxy/tenant/v1/..;x=1/admin',
    '/proxy/tenant/v1/%2E.%3b/admin',
    '/proxy/tenant/v1/..#/x',
    '/proxy/tenant/v1/..%00/admin',
  ])('%s is refused', async (path) => {
    const reply = await sendRaw(
      gateway.port,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(reply).toMatchObject({ status: 400, json: { error: { code: 'bad_request' } } });
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    ['/proxy/openai//evil.example/v1/models', 200],
    ['/proxy/openai/%2F%2Fevil.example/x', 200],
    ['/proxy/openai/\\evil.example\\x', 200],
    ['/proxy/openai/@evil.example/x', 200],
    ['/proxy/openai/http://evil.example/x', 200],
    ['/proxy/openai/v1/x#@evil.example', 200],
    ['/proxy//evil.example/x', 404],
    ['/proxy/openai@evil.example/v1/models', 404],
    ['/proxy/openai%2F..%2Fevil/v1', 404],
    ['/proxy/openai:80@evil.example/', 404],
    ['//evil.example/proxy/openai/v1/models', 404],
    ['http://evil.example/proxy/openai/v1/models', 404],
    ['/proxy/__proto__/x', 404],
    ['/proxy/constructor/x', 404],
    ['/proxy/%zz/v1/models', 400],
    ['/proxy/openai/v1/%zz', 200],
  ])('%s', async (path, status) => {
    const reply = await sendRaw(
      gateway.port,
      `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${gateway.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(reply.status).toBe(status);
    expect(upstream.requests).toHaveLength(status === 200 ? 1 : 0);
    if (status === 200) expect(upstream.requests[0]?.headers.host).toBe(new URL(upstream.url).host);
    else
      expect(reply.json).toMatchObject({
        error: expect.anything() as object,
        message: expect.any(String) as string,
      });
  });
});

describe('nothing of the gateway or its client goes up with a pass-through', () => {
  const secrets = {
    cookie: 'session=1',
    'x-forwarded-for': '10.0.0.1',
    'x-forwarded-host': 'internal',
    'x-forwarded-proto': 'https',
    forwarded: 'for=10.0.0.1',
    via: '1.1 edge',
    'x-real-ip': '10.0.0.1',
    referer: 'http://intranet/',
    origin: 'http://intranet',
    'user-agent': 'curl/8',
    'x-custom': 'mine',
    'proxy-authorization': 'Basic eA==',
    te: 'trailers',
  };

  it.each([
    ['at once', {}],
    ['after a 100-continue', { expect: '100-continue' }],
  ])(
    "but what describes the content, the provider's own switches and the configured headers (%s)",
    async (_when, extra) => {
      const wanted = {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'tools',
        'x-trace': 't1',
      };
      await ask(
        'POST',
        proxy('/claude/v1/messages'),
        {
          ...secrets,
          ...wanted,
          ...extra,
          authorization: `Bearer ${gateway.key}`,
          'x-api-key': gateway.key,
          'api-key': gateway.key,
        },
        { a: 1 },
      );
      const { headers, body } = upstream.requests[0]!;
      expect(headers).toMatchObject({ ...wanted, 'x-api-key': 'claude-secret' });
      const others = Object.keys(headers).filter(
        (name) =>
          !(name in wanted) &&
          !['host', 'x-api-key', 'connection', 'content-length', 'transfer-encoding'].includes(
            name,
          ),
      );
      expect(others).toEqual([]);
      expect(JSON.stringify(headers)).not.toContain(gateway.key);
      expect(body).toEqual({ a: 1 });
    },
  );

  it("and a provider's upload in pieces works", async () => {
    const headers = {
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'content-range': 'bytes 0-1/2',
    };
    await ask(
      'POST',
      proxy('/google/upload/v1beta/files'),
      { ...gateway.auth, ...headers },
      { file: {} },
    );
    expect(upstream.requests[0]?.headers).toMatchObject(headers);
  });

  it('and no cookie of the provider comes down', async () => {
    upstream.script([
      {
        ...ok,
        headers: {
          'set-cookie': ['__cf_bm=1', 'b=2'],
          'x-ratelimit-remaining': '7',
          'x-request-id': 'theirs',
        },
      },
    ]);
    const { headers } = await ask('GET', proxy('/openai/v1/models'), gateway.auth);
    expect(headers).not.toHaveProperty('set-cookie');
    expect(headers).toMatchObject({
      'x-ratelimit-remaining': '7',
      'content-type': 'application/json',
    });
  });

  it("and what holds for the connection to the provider does not hold for the client's", async () => {
    upstream.script([{ ...ok, headers: { connection: 'close', 'keep-alive': 'timeout=1' } }]);
    const headers = await new Promise<IncomingMessage['headers']>((resolve, reject) => {
      httpRequest(
        proxy('/openai/v1/models'),
        { headers: { ...gateway.auth, connection: 'keep-alive' } },
        (res) => resolve(res.resume().headers),
      )
        .on('error', reject)
        .end();
    });
    expect(headers.connection).toBe('keep-alive');
    expect(headers['keep-alive']).not.toBe('timeout=1');
  });
});

describe('a pass-through answers as the provider does', () => {
  it('byte for byte, errors too', async () => {
    const body = Buffer.from(
      '{"type":"error","error":{"type":"overloaded_error","message":"Ünavailable"}}',
    );
    upstream.script([
      {
        raw: body,
        contentType: 'application/json',
        status: 529,
        headers: { 'x-should-retry': 'true', 'request-id': 'req_1' },
      },
    ]);
    const reply = await post(proxy('/claude/v1/messages'), { model: 'm' }, gateway.auth);
    expect(reply).toMatchObject({
      status: 529,
      text: body.toString(),
      headers: { 'x-should-retry': 'true', 'request-id': 'req_1' },
    });
  });

  it('a conversation with Anthropic, as its own SDK would have it', async () => {
    upstream.script([{ text: ['Hel', 'lo'] }]);
    const body = {
      model: 'claude-sonnet-4-5',
      max_tokens: 64,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: 'Hi' }],
    };
    const headers = {
      'x-api-key': gateway.key,
      'anthropic-version': '2023-06-01',
      'x-stainless-lang': 'js',
      'x-stainless-retry-count': '0',
      'user-agent': 'Anthropic/JS',
    };
    const whole = await post(proxy('/claude/v1/messages'), body, headers);
    expect(whole.json).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
    });
    const streamed = await postStream(
      proxy('/claude/v1/messages?beta=true'),
      { ...body, stream: true },
      { headers },
    );
    expect(streamed.headers['content-type']).toContain('text/event-stream');
    expect(streamed.frames.map(({ event }) => event)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(upstream.requests.map((call) => call.body)).toEqual([body, { ...body, stream: true }]);
    expect(upstream.requests[1]).toMatchObject({
      path: '/v1/messages?beta=true',
      headers: { 'x-api-key': 'claude-secret', 'x-stainless-lang': 'js' },
    });
  });

  it('event by event: the first arrives while the provider is still silent about the rest, and a client that leaves takes the call with it', async () => {
    upstream.script([{ hang: 'afterFirstEvent' }]);
    const reply = await postStream(
      proxy('/claude/v1/messages'),
      { model: 'm', stream: true },
      { headers: gateway.auth, abortAfterFrames: 1 },
    );
    expect(reply).toMatchObject({ status: 200, frames: [{ event: 'message_start' }] });
    await upstream.closed(0);
  });

  it('nobody, where the client leaves before the answer begins', async () => {
    upstream.script([{ hang: 'beforeHeaders' }]);
    const leaving = new AbortController();
    const reply = postStream(
      proxy('/claude/v1/messages'),
      { model: 'm', stream: true },
      { headers: gateway.auth, signal: leaving.signal },
    );
    await upstream.received(0);
    leaving.abort();
    expect((await reply).ended).toBe('aborted');
    await upstream.closed(0);
  });

  it("with a connection that breaks where the provider's does: half an answer does not pass for a whole one", async () => {
    upstream.script([{ reset: 'afterContent' }, { reset: 'afterContent' }]);
    expect(
      await postStream(
        proxy('/claude/v1/messages'),
        { model: 'm', stream: true },
        { headers: gateway.auth },
      ),
    ).toMatchObject({ status: 200, ended: 'reset' });
    await expect(
      post(proxy('/claude/v1/messages'), { model: 'm' }, gateway.auth),
    ).rejects.toThrow();
  });

  it('with a connection that breaks where the provider closes before it has sent what it announced', async () => {
    const server = createTcpServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () =>
          socket.end(
            'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"half":',
          ),
        );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const open = await startGateway({
      providers: {
        short: {
          api: 'openai-compatible',
          baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        },
      },
    });
    await expect(ask('GET', `${open.url}/proxy/short/models`, open.auth)).rejects.toThrow();
    await open.close();
    server.close();
  });

  it('with 502 where the provider cannot be reached, or hangs up', async () => {
    const down = await post(proxy('/down/v1/chat/completions'), { model: 'm' }, gateway.auth);
    expect(down).toMatchObject({
      status: 502,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      json: { error: { code: 'connection_failed' } },
    });
    expect(down.json).toMatchObject({
      message: 'down could not be reached: the connection was refused (ECONNREFUSED)',
    });
    upstream.script([{ reset: 'beforeHeaders' }]);
    expect(await post(proxy('/claude/v1/messages'), { model: 'm' }, gateway.auth)).toMatchObject({
      status: 502,
      json: { error: { code: 'connection_failed' } },
    });
  });

  it('with 404 for a provider that is not there, or is not open for it', async () => {
    for (const path of [
      '/nobody/v1/models',
      '/closed/v1/models',
      '/openai',
      '/openai?x=/y',
      '/',
      '',
    ]) {
      const reply = await ask('GET', proxy(path), gateway.auth);
      expect(reply, path).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } });
    }
    expect(upstream.requests).toEqual([]);
  });

  it('with 404 for all of them where the configuration turns it off', async () => {
    const without = await startGateway({
      providers: { openai: { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'k' } },
      proxy: { enabled: false },
    });
    expect((await ask('GET', `${without.url}/proxy/openai/v1/models`, without.auth)).status).toBe(
      404,
    );
    await without.close();
  });
});

describe('a pass-through for a key that is bound to models', () => {
  it('is open where the key may use the whole provider, and forbidden elsewhere', async () => {
    const keys = [
      ['all', ['*'], 200],
      ['whole', ['OPENAI/*'], 200],
      ['one', ['openai/gpt-4o'], 403],
      ['other', ['anthropic/*'], 403],
    ] as const;
    const bound = await startGateway({
      auth: {
        keys: keys.map(([name, models]) => ({ name, key: `sk_${name}`, models: [...models] })),
      },
      providers: { openai: { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'k' } },
    });
    for (const [name, , status] of keys) {
      const answer = await ask(
        'POST',
        `${bound.url}/proxy/openai/v1/chat/completions`,
        { authorization: `Bearer sk_${name}`, 'content-type': 'application/json' },
        '{"model":"gpt-4o","messages":[]}',
      );
      expect(answer.status, name).toBe(status);
    }
    await bound.close();
  });
});

describe('a pass-through streams bodies', () => {
  /**
   * An upstream that answers with the first bytes it gets, while the rest are still on their way.
   */
  async function echo<T>(use: (baseUrl: string) => Promise<T>): Promise<T> {
    const server = createServer((req: IncomingMessage, res: ServerResponse) => {
      res.writeHead(200, {
        'content-type': req.headers['content-type'] ?? 'application/octet-stream',
      });
      req.pipe(res);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it('to a provider that answers without reading, and serves the next request of the connection', async () => {
    const hasty = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket
        .pause()
        .end('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
      setTimeout(() => socket.destroy(), 20);
    });
    await new Promise<void>((resolve) => hasty.listen(0, '127.0.0.1', resolve));
    const open = await startGateway({
      providers: {
        hasty: {
          api: 'openai-compatible',
          baseUrl: `http://127.0.0.1:${(hasty.address() as AddressInfo).port}`,
        },
      },
    });
    const head = `POST /proxy/hasty/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${open.key}\r\nContent-Length: 20000000\r\n\r\n`;
    const connection = openRaw(open.port);
    connection.socket.write(Buffer.concat([Buffer.from(head), Buffer.alloc(20_000_000)]));
    connection.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await connection.closed;
    expect(connection.received().match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 413',
      'HTTP/1.1 200',
    ]);
    await open.close();
    hasty.close();
  });

  it('up and down at the same time, more than a body limit allows elsewhere', async () => {
    await echo(async (baseUrl) => {
      const open = await startGateway({
        limits: { maxBodyBytes: 1024 * 1024 },
        providers: { echo: { api: 'openai-compatible', baseUrl } },
      });
      const piece = Buffer.alloc(64 * 1024, 'ü');
      const pieces = 160;
      const received = await new Promise<number>((resolve, reject) => {
        const request = httpRequest(
          `${open.url}/proxy/echo/upload`,
          { method: 'POST', agent: false, headers: { ...open.auth, 'content-type': 'audio/wav' } },
          (res) => {
            let length = 0;
            res
              .on('data', (bytes: Buffer) => (length += bytes.length))
              .on('end', () => resolve(length))
              .on('error', reject);
            // only now, with the first bytes back, the rest is sent
            for (let n = 1; n < pieces; n++) request.write(piece);
            request.end();
          },
        );
        request.on('error', reject);
        request.write(piece);
      });
      expect(received).toBe(pieces * piece.length);
      await open.close();
    });
  });

  it('as they are, compressed or not JSON at all', async () => {
    const zipped = gzipSync('{"a":1}');
    await ask(
      'POST',
      proxy('/openai/v1/things'),
      { ...gateway.auth, 'content-encoding': 'gzip', 'content-type': 'application/json' },
      zipped,
    );
    await ask(
      'POST',
      proxy('/openai/v1/things'),
      { ...gateway.auth, 'content-type': 'application/json' },
      '{broken',
    );
    const form =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhi\r\n--b--\r\n';
    await ask(
      'POST',
      proxy('/openai/v1/files'),
      { ...gateway.auth, 'content-type': 'multipart/form-data; boundary=b' },
      form,
    );
    expect(upstream.requests.map(({ raw }) => raw)).toEqual([
      zipped,
      Buffer.from('{broken'),
      Buffer.from(form),
    ]);
    expect(upstream.requests[0]?.headers['content-encoding']).toBe('gzip');
    expect(upstream.requests[2]?.headers['content-type']).toBe('multipart/form-data; boundary=b');
  });
});

describe.each(expressRows)('a pass-through mounted in %s', (_version, express) => {
  let host: RunningHost;
  const mount = async (...before: RequestHandler[]): Promise<string> => {
    const app = express();
    for (const handler of before) app.use(handler);
    app.use('/ai', gateway.gateway.router);
    host = await startHost(app);
    return `${host.url}/ai/proxy`;
  };
  afterEach(() => host.close());

  it('works under the prefix', async () => {
    const url = await mount();
    upstream.script([{}]);
    const reply = await postStream(
      `${url}/claude/v1/messages?beta=true`,
      { model: 'm', stream: true },
      { headers: gateway.auth },
    );
    expect(reply.frames.at(-1)?.event).toBe('message_stop');
    expect(upstream.requests[0]).toMatchObject({
      path: '/v1/messages?beta=true',
      body: { model: 'm', stream: true },
    });
    expect(await post(`${url}/nobody/v1`, {}, gateway.auth)).toMatchObject({ status: 404 });
  });

  it.each([
    ['an object', { 'content-type': 'application/json' }, '{"a": [1, "ü"]}', { a: [1, 'ü'] }],
    ['an empty object', { 'content-type': 'application/json' }, '{}', {}],
    ['a list', { 'content-type': 'application/json' }, '[1]', [1]],
    [
      'a compressed object',
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      gzipSync('{"a":1}'),
      { a: 1 },
    ],
    [
      'an object in chunks',
      { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      '{"a":1}',
      { a: 1 },
    ],
    [
      'an object after a 100-continue',
      { 'content-type': 'application/json', expect: '100-continue' },
      '{"a":1}',
      { a: 1 },
    ],
  ])(
    "sends on what the host's own express.json() has read: %s",
    async (_what, headers, body, expected) => {
      const url = await mount(express.json());
      for (const method of ['POST', 'DELETE']) {
        const length: Record<string, string> =
          'transfer-encoding' in headers
            ? {}
            : { 'content-length': String(Buffer.byteLength(body)) };
        const reply = await ask(
          method,
          `${url}/openai/v1/things`,
          { ...gateway.auth, ...length, ...headers },
          body,
        );
        expect(reply).toMatchObject({ status: 200, json: { fine: true } });
      }
      for (const call of upstream.requests) {
        expect(call.body).toEqual(expected);
        expect(call.headers['content-encoding']).toBeUndefined();
        expect(call.headers['transfer-encoding'] && call.headers['content-length']).toBeFalsy();
      }
    },
  );

  it('sends on a form that the host has read', async () => {
    const url = await mount(express.urlencoded({ extended: false }));
    await ask(
      'POST',
      `${url}/openai/v1/token`,
      { ...gateway.auth, 'content-type': 'application/x-www-form-urlencoded' },
      'grant=a+b&scope=x&scope=%C3%BC',
    );
    expect(
      Object.fromEntries(new URLSearchParams(upstream.requests[0]?.raw.toString())),
    ).toMatchObject({ grant: 'a b', scope: 'ü' });
    expect(new URLSearchParams(upstream.requests[0]?.raw.toString()).getAll('scope')).toEqual([
      'x',
      'ü',
    ]);
    expect(upstream.requests[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  it('sends on text and bytes that the host has read', async () => {
    const url = await mount(express.text({ type: 'text/*' }), express.raw({ type: 'audio/*' }));
    await ask(
      'POST',
      `${url}/openai/v1/things`,
      { ...gateway.auth, 'content-type': 'text/plain' },
      'grüß dich',
    );
    await ask(
      'POST',
      `${url}/openai/v1/things`,
      { ...gateway.auth, 'content-type': 'audio/wav' },
      Buffer.from([0, 255, 7]),
    );
    expect(upstream.requests.map(({ raw }) => raw)).toEqual([
      Buffer.from('grüß dich'),
      Buffer.from([0, 255, 7]),
    ]);
  });

  it('says so where the host has read the body and kept nothing of it', async () => {
    const url = await mount((req, _res, next) => void req.resume().once('end', next));
    const reply = await ask(
      'POST',
      `${url}/openai/v1/files`,
      { ...gateway.auth, 'content-type': 'multipart/form-data; boundary=b' },
      '--b--',
    );
    expect(reply).toMatchObject({
      status: 500,
      json: { message: expect.stringContaining('before that parser') },
    });
    expect(upstream.requests).toEqual([]);
  });

  it("sends no body where there was none, and streams what the host's parsers did not take", async () => {
    const url = await mount(express.json(), express.urlencoded({ extended: true }));
    for (const method of ['GET', 'DELETE', 'POST'])
      expect((await ask(method, `${url}/openai/v1/things/7`, gateway.auth)).status).toBe(200);
    await ask(
      'POST',
      `${url}/openai/v1/files`,
      { ...gateway.auth, 'content-type': 'multipart/form-data; boundary=b' },
      '--b--',
    );
    expect(upstream.requests.map(({ raw }) => raw.toString())).toEqual(['', '', '', '--b--']);
  });
});
