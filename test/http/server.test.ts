import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway, testKey } from '../helpers/gateway.js';
import { openRaw, parseReply, type RawReply, sendRaw } from '../helpers/raw.js';
import { ask, post } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const hello = { messages: [{ role: 'user', content: 'Hi' }], models: ['up/m'] };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let upstream: Upstream;
let gateway: RunningGateway;
let impatient: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const providers = { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } };
  gateway = await startGateway({ providers });
  impatient = await startGateway({
    providers,
    limits: {
      headersTimeoutMs: 250,
      requestTimeoutMs: 400,
      maxHeaderBytes: 8192,
      maxConnections: 50,
    },
  });
});
afterAll(async () => {
  await Promise.all([gateway.close(), impatient.close()]);
  await upstream.close();
});

const get = (path: string, more = '', version = '1.1'): string =>
  `GET ${path} HTTP/${version}\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${testKey}\r\n${more}\r\n`;

function expectError(reply: RawReply, status: number, error: string): void {
  expect(reply).toMatchObject({ status, json: { error, message: expect.any(String) as string } });
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(reply.headers['x-request-id']).toMatch(uuid);
  expectConforms('error', reply.json);
}

describe('what is not valid HTTP', () => {
  it.each([
    ['a line of nonsense', 'hello\r\n\r\n'],
    ['an unknown method', get('/healthz').replace('GET', 'BREW')],
    ['TLS on a plain port', Buffer.from('16030100c2010000be0303', 'hex')],
    ['a header without a colon', get('/healthz', 'nonsense\r\n')],
    ['a space before the colon', get('/healthz', 'X-A : b\r\n')],
    ['a control character in a header', get('/healthz', 'X-A: \u0001\u0000\r\n')],
    [
      'two lengths',
      'POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
    ],
    [
      'a length and chunks at once',
      'POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a length that is none',
      'POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
    ],
    ['a version that is not there yet', get('/healthz', '', '4.2')],
  ])('(%s) is 400 in JSON', async (_what, bytes) => {
    expectError(await sendRaw(gateway.port, bytes), 400, 'Bad Request');
  });

  it('such as a broken chunk in an authorized body is 400, or the end of the connection', async () => {
    const reply = await sendRaw(
      gateway.port,
      `POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n`,
    );
    expectError(reply, 400, 'Bad Request');
  });

  it('such as no Host is 400 in JSON, but not for HTTP/1.0', async () => {
    expectError(
      await sendRaw(gateway.port, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'),
      400,
      'Bad Request',
    );
    expect((await sendRaw(gateway.port, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('with an expectation that cannot be met returns 417 in JSON', async () => {
    expectError(
      await sendRaw(gateway.port, get('/healthz', 'Expect: miracles\r\n')),
      417,
      'Expectation Failed',
    );
  });

  it('ends an answer under way, and puts no second answer into it', async () => {
    upstream.script([{ text: ['first ', 'second'], betweenMs: 100 }]);
    const connection = openRaw(gateway.port);
    const body = JSON.stringify({ ...hello, stream: true });
    connection.socket.write(
      `POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    while (!connection.received().includes('first')) await once(connection.socket, 'data');
    connection.socket.write('nonsense\r\n\r\n');
    await connection.closed;
    upstream.script([]);
    expect(connection.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  it('does not disturb other connections', async () => {
    const others = Array.from({ length: 20 }, () =>
      post(`${gateway.url}/api/v1/completions`, hello, gateway.auth),
    );
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        sendRaw(gateway.port, `${'\u0000'.repeat(index + 1)}\r\n\r\n`),
      ),
    );
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 200));
  });
});

describe('headers', () => {
  it('of more than maxHeaderBytes are 431 in JSON', async () => {
    expectError(
      await sendRaw(impatient.port, get('/healthz', `X-Big: ${'a'.repeat(9000)}\r\n`)),
      431,
      'Request Header Fields Too Large',
    );
    expectError(
      await sendRaw(impatient.port, get(`/${'a'.repeat(9000)}`)),
      431,
      'Request Header Fields Too Large',
    );
    expectError(
      await sendRaw(
        impatient.port,
        get(
          '/healthz',
          Array.from({ length: 1200 }, (_, index) => `X-${index}: aaaa\r\n`).join(''),
        ),
      ),
      431,
      'Request Header Fields Too Large',
    );
    expect(
      (await sendRaw(impatient.port, get('/healthz', `X-Big: ${'a'.repeat(7000)}\r\n`))).status,
    ).toBe(200);
  });

  it('may be some hundred small ones', async () => {
    expect(
      (
        await sendRaw(
          gateway.port,
          get('/healthz', Array.from({ length: 400 }, (_, index) => `a${index}: b\r\n`).join('')),
        )
      ).status,
    ).toBe(200);
  });
});

describe('a slow client', () => {
  it('whose headers do not end is answered 408 and let go', async () => {
    const { socket, closed, received } = openRaw(impatient.port);
    const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 20);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
    await closed;
    clearInterval(drip);
    expectError(parseReply(received()), 408, 'Request Timeout');
  });

  it('that says nothing at all is let go', async () => {
    await openRaw(impatient.port).closed;
  });

  it('whose body does not end is answered 408 and let go', async () => {
    const { socket, closed, received } = openRaw(impatient.port);
    socket.write(
      `POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${impatient.key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
    );
    const drip = setInterval(() => socket.write(' '), 20);
    await closed;
    clearInterval(drip);
    expectError(parseReply(received()), 408, 'Request Timeout');
  });

  it.each([
    ['headers', 'POST /api/v1/completions HTTP/1.1\r\nHost: x\r\n'],
    ['the body', 'POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n'],
    ['garbage', '\u0000\u0001\r\n\r\n'],
  ])('that ignores the end of its connection is cut off (%s)', async (_what, sent) => {
    const open = (): Promise<number> =>
      new Promise((resolve, reject) =>
        impatient.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      );
    await until(async () => (await open()) === 0);
    const clients = Array.from({ length: 5 }, () => {
      const client = connect({ port: impatient.port, host: '127.0.0.1', allowHalfOpen: true });
      client.on('error', () => undefined).resume();
      client.write(
        sent.startsWith('POST')
          ? `${sent}Authorization: Bearer ${impatient.key}\r\nContent-Type: application/json\r\n${sent.includes('Length') ? '\r\n{' : ''}`
          : sent,
      );
      return client;
    });
    await Promise.all(clients.map((client) => once(client, 'end')));
    await until(async () => (await open()) === 0);
    for (const client of clients) client.destroy();
  });

  it('is let in no more where there are as many connections as allowed', async () => {
    const held = Array.from({ length: 60 }, () => openRaw(impatient.port));
    for (const { socket } of held) socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
    const closed = held.map(async ({ closed: ended, received }) => {
      await ended;
      return received();
    });
    const answers = await Promise.all(closed);
    // closed without an answer: at least those beyond the limit
    expect(answers.filter((answer) => answer === '').length).toBeGreaterThanOrEqual(10);
    expect(answers.filter((answer) => answer.includes(' 408 ')).length).toBeGreaterThan(0);
    expect((await ask('GET', `${impatient.url}/healthz`)).status).toBe(200);
  });

  it('does not delay other connections', async () => {
    const slow = Array.from({ length: 200 }, () => openRaw(gateway.port));
    await Promise.all(slow.map(({ socket }) => once(socket, 'connect')));
    for (const { socket } of slow) socket.write('POST /api/v1/completions HTTP/1.1\r\nHost: x\r\n');
    expect((await post(`${gateway.url}/api/v1/completions`, hello, gateway.auth)).status).toBe(200);
    expect(slow.filter(({ socket }) => socket.closed)).toEqual([]);
    for (const { socket } of slow) socket.destroy();
  });

  it('does not lose a long answer to the time that a request may take to arrive', async () => {
    upstream.script([{ text: Array.from({ length: 12 }, () => 'word '), betweenMs: 40 }]);
    const { status, text } = await post(
      `${impatient.url}/api/v1/completions`,
      { ...hello, stream: true },
      impatient.auth,
    );
    upstream.script([]);
    expect(status).toBe(200);
    expect(text).toContain('data: [DONE]');
  });
});

describe('limits that do not fit together', () => {
  it('do not stop the start: headers are part of a request', async () => {
    const odd = await startGateway({
      limits: { headersTimeoutMs: 15_000, requestTimeoutMs: 1_000 },
    });
    expect((await ask('GET', `${odd.url}/healthz`)).status).toBe(200);
    await odd.close();
  });
});

describe('a path', () => {
  it.each([
    '/',
    '/nothing',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/completions',
    '/api/v1/completions/x',
    '/apiv1completions',
    '/%00',
    '/%zz',
    '/%',
    '//',
    '/..%2f..%2fetc/passwd',
    '/api/v1/completions%20',
    '/__proto__',
    '/constructor',
    '/proxyup',
  ])('that leads nowhere (%s) is 404 in JSON', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const reply = await ask(method, gateway.url + path, gateway.auth);
      expect(reply).toMatchObject({ status: 404, json: { error: 'Not Found' } });
      expectConforms('error', reply.json);
      expect(reply.headers['x-request-id']).toMatch(uuid);
    }
  });

  it.each(['/v1', '/v1/', '/v1/uploads', '/v1/chat', '/v1/models/nobody/x', '/V1/images'])(
    "below /v1 that leads nowhere (%s) is 404 in OpenAI's shape",
    async (path) => {
      const reply = await ask('GET', gateway.url + path, gateway.auth);
      expect(reply).toMatchObject({
        status: 404,
        json: { error: { type: 'invalid_request_error', code: 'not_found' } },
      });
      expectConforms('openai-error', reply.json);
    },
  );

  it.each(['/v1/models/%zz', '/v1/models/%', '/v1/models/a%c0%ae'])(
    "that is not rightly encoded (%s) is 400 in OpenAI's shape",
    async (path) => {
      const reply = await ask('GET', gateway.url + path, gateway.auth);
      expect(reply).toMatchObject({
        status: 400,
        json: { error: { type: 'invalid_request_error' } },
      });
      expectConforms('openai-error', reply.json);
    },
  );

  it.each([
    '/proxy',
    '/proxy/',
    '/proxy/up',
    '/proxy/nobody/x',
    '/proxy/__proto__/x',
    '/proxy//x',
    '/proxy/%zz/x',
  ])('to pass through that leads nowhere (%s) is an error in JSON', async (path) => {
    const reply = await ask('GET', gateway.url + path, gateway.auth);
    expect([400, 404]).toContain(reply.status);
    expectConforms('openai-error', reply.json);
  });

  it.each([
    ['http://elsewhere.example/healthz', 200],
    ['http://[/healthz', 400],
    ['http://a:b@/x', 404],
    ['*', 404],
    ['healthz', 400],
  ])('written as %s does no harm', async (target, status) => {
    const reply = await sendRaw(gateway.port, get(target));
    expect(reply.status).toBe(status);
    expect(reply.json).toBeDefined();
  });

  it('may end in a slash', async () => {
    expect((await post(`${gateway.url}/api/v1/completions/`, hello, gateway.auth)).status).toBe(
      200,
    );
  });
});

describe('a method', () => {
  const posts = [
    '/api/v1/completions',
    '/api/v1/chat/completions',
    '/api/v1/model-select',
    '/api/v1/modelSelect',
    '/api/v1/model-router/model-select',
    '/v1/chat/completions',
    '/v1/embeddings',
  ];
  const gets = [
    '/v1/models',
    '/v1/models/up/m',
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/docs',
  ];

  it.each([
    ...posts.map((path) => [path, 'POST'] as const),
    ...gets.map((path) => [path, 'GET'] as const),
  ])('that %s does not take is 405 with Allow: %s', async (path, allow) => {
    for (const method of [
      'GET',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
    ].filter((other) => other !== allow)) {
      const reply = await ask(method, gateway.url + path, gateway.auth);
      expect(reply, method).toMatchObject({ status: 405, headers: { allow } });
      if (path.startsWith('/v1')) expectConforms('openai-error', reply.json);
      else expect(reply.json).toMatchObject({ error: 'Method Not Allowed' });
    }
  });

  it('HEAD answers as GET does, without a body', async () => {
    for (const path of gets.filter((path) => path !== '/v1/models/up/m')) {
      const reply = await ask('HEAD', gateway.url + path, gateway.auth);
      expect([path, reply.status, reply.text]).toEqual([path, 200, '']);
    }
    expect(await ask('HEAD', `${gateway.url}/api/v1/completions`, gateway.auth)).toMatchObject({
      status: 405,
      text: '',
    });
  });

  it('CONNECT gets no tunnel', async () => {
    const { socket, closed, received } = openRaw(gateway.port);
    socket.write('CONNECT upstream.example:443 HTTP/1.1\r\nHost: upstream.example:443\r\n\r\n');
    await closed;
    expect(received()).not.toContain(' 200 ');
  });

  it('Upgrade is not taken up', async () => {
    const reply = await sendRaw(
      gateway.port,
      get('/healthz').replace(
        'Connection: close',
        'Connection: Upgrade, close\r\nUpgrade: websocket',
      ),
    );
    expect(reply.status).toBe(200);
  });
});

describe('X-Request-Id', () => {
  const everywhere: [string, string][] = [
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/metrics'],
    ['GET', '/openapi.json'],
    ['GET', '/docs'],
    ['GET', '/v1/models'],
    ['GET', '/nothing'],
    ['PUT', '/healthz'],
    ['POST', '/api/v1/completions'],
    ['POST', '/api/v1/model-select'],
    ['POST', '/v1/chat/completions'],
    ['POST', '/v1/embeddings'],
    ['GET', '/proxy/nobody/x'],
    ['GET', '/proxy/up/models'],
  ];

  it.each(everywhere)('is on every answer: %s %s', async (method, path) => {
    expect((await ask(method, gateway.url + path)).headers['x-request-id']).toMatch(uuid);
    const { headers } = await ask(method, gateway.url + path, {
      ...gateway.auth,
      'x-request-id': 'trace-1.2:3_4',
    });
    expect(headers['x-request-id']).toBe('trace-1.2:3_4');
  });

  it('is on a good answer, streamed and not', async () => {
    const headers = { ...gateway.auth, 'x-request-id': 'mine' };
    expect(
      (await post(`${gateway.url}/api/v1/completions`, hello, headers)).headers['x-request-id'],
    ).toBe('mine');
    expect(
      (await post(`${gateway.url}/api/v1/completions`, { ...hello, stream: true }, headers))
        .headers['x-request-id'],
    ).toBe('mine');
  });

  it.each(['a b', 'a"b', '<script>', 'é', 'x'.repeat(129), '{"a":1}', 'a;b=c', 'a,b', ''])(
    'is a new one where the given one is not safe: %s',
    async (id) => {
      const reply = await sendRaw(gateway.port, get('/healthz', `X-Request-Id: ${id}\r\n`));
      expect(reply.headers['x-request-id']).toMatch(uuid);
    },
  );

  it('is a new one where two are given', async () => {
    const reply = await sendRaw(
      gateway.port,
      get('/healthz', 'X-Request-Id: a\r\nX-Request-Id: b\r\n'),
    );
    expect(reply.headers['x-request-id']).toMatch(uuid);
  });

  it('is another one for each request of a connection', async () => {
    const ids = new Set<unknown>();
    const { socket, received, closed } = openRaw(gateway.port);
    socket.write(get('/healthz').replace('Connection: close\r\n', '').repeat(3) + get('/healthz'));
    await closed;
    for (const [, id] of received().matchAll(/x-request-id: (\S+)/gi)) ids.add(id);
    expect(ids.size).toBe(4);
  });
});

describe('a connection', () => {
  it('serves the next request after one whose body was refused', async () => {
    const { socket, received } = openRaw(gateway.port);
    const body = '{"broken';
    socket.write(
      `POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.write(
      `POST /api/v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.write(get('/healthz'));
    await once(socket, 'close');
    expect([...received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '400',
      '401',
      '200',
    ]);
  });

  it('that the client leaves with half a body does no harm', async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      const request = httpRequest(`${gateway.url}/api/v1/completions`, {
        method: 'POST',
        agent: false,
        headers: { ...gateway.auth, 'content-type': 'application/json', 'content-length': '100' },
      });
      request.on('error', () => undefined);
      request.write('{"mess');
      await once(request, 'socket').then(
        ([socket]) =>
          new Promise((resolve) => (socket as NodeJS.WritableStream).once('connect', resolve)),
      );
      request.destroy();
    }
    expect((await ask('GET', `${gateway.url}/healthz`)).status).toBe(200);
  });
});
