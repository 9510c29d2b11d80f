import { once } from 'node:events';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.js';
import { readJsonBody } from '../../src/http/bodies/read-body.js';
import { createZstd } from '../../src/http/bodies/zstd/zstd.js';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { startHost } from '../helpers/host.js';
import { at } from '../helpers/json.js';
import { openRaw, parseReply, sendRaw } from '../helpers/raw.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { zstdBomb, zstdFrame } from '../helpers/zstd.js';

const hello = { messages: [{ role: 'user', content: 'Hi' }], models: ['up/m'] };
const paths = [
  '/api/v1/completions',
  '/api/v1/model-select',
  '/v1/chat/completions',
  '/v1/embeddings',
];
const maxBodyBytes = 64 * 1024;

let upstream: Upstream;
let gateway: RunningGateway;
let wide: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const config = { providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } } };
  gateway = await startGateway({ ...config, limits: { maxBodyBytes } });
  wide = await startGateway(config);
});
afterAll(async () => {
  await Promise.all([gateway.close(), wide.close()]);
  await upstream.close();
});
beforeEach(() => upstream.script([]));

const send = (
  body: unknown,
  headers: Record<string, string> = {},
  path = paths[0]!,
): Promise<Reply> =>
  post(gateway.url + path, body, {
    ...gateway.auth,
    'content-type': 'application/json',
    ...headers,
  });
const sendWide = (body: unknown): Promise<Reply> =>
  post(`${wide.url}/api/v1/completions`, body, {
    ...wide.auth,
    'content-type': 'application/json',
  });
const native = (status: number, error: string, message: string | RegExp): object => ({
  status,
  json: {
    error,
    message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
  },
});

describe('a body that is not JSON', () => {
  it.each([
    ['cut off', '{"messages": [{"role": "user", "content": "hi'],
    ['empty', ''],
    ['of spaces', '   '],
    ['with a trailing comma', '{"models": ["up/m"],}'],
    ['single-quoted', "{'models': []}"],
    ['followed by something', '{} {}'],
    ['a form', 'models=up/m&messages=hi'],
    ['with a bare control character', '{"a": "\u0000"}'],
    ['not a number', '{"temperature": NaN}'],
    ['in UTF-16', Buffer.from(JSON.stringify(hello), 'utf16le')],
    [
      'with a byte that is not UTF-8',
      Buffer.from(JSON.stringify({ ...hello, note: 'é' }), 'latin1'),
    ],
    [
      'with half a character of UTF-8',
      Buffer.concat([Buffer.from('{"a": "'), Buffer.from('€').subarray(0, 2), Buffer.from('"}')]),
    ],
  ])('(%s) is 400 everywhere, and nothing of it is repeated', async (_what, body) => {
    for (const path of paths) {
      const reply = await send(body, {}, path);
      expect(reply.status).toBe(400);
      if (path.startsWith('/api'))
        expect(reply.json).toEqual({
          error: 'Bad Request',
          message: expect.stringMatching(/^the body is /) as string,
        });
      else
        expect(reply.json).toMatchObject({
          error: {
            type: 'invalid_request_error',
            code: 'malformed_json',
            message: expect.stringMatching(/^the body is /) as string,
          },
        });
      expectConforms(path.startsWith('/api') ? 'error' : 'openai-error', reply.json);
    }
  });

  it.each(['[]', '[1, 2]', '7', '"text"', 'true', 'null', '[{"messages": []}]'])(
    'but no object (%s) fails validation',
    async (body) => {
      expect(await send(body)).toMatchObject(
        native(422, 'Validation Error', 'body: must be an object'),
      );
      expect(await send(body, {}, paths[1])).toMatchObject(
        native(400, 'Bad Request', 'body: must be an object'),
      );
      expect(await send(body, {}, paths[2])).toMatchObject({
        status: 400,
        json: { error: { param: 'body', message: 'body: must be an object' } },
      });
    },
  );
});

describe('the content type', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset=UTF-8',
    'application/vnd.api+json',
  ])('may be %s', async (type) => {
    expect((await send(JSON.stringify(hello), { 'content-type': type })).status).toBe(200);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'json',
    'text/json',
    'application/json, text/plain',
    '',
  ])('is 415 as %j', async (type) => {
    for (const path of paths) {
      const reply = await send(JSON.stringify(hello), { 'content-type': type }, path);
      expect(reply.status, path).toBe(415);
      expect(
        path.startsWith('/api') ? at(reply.json, 'message') : at(reply.json, 'error', 'message'),
      ).toMatch(/^content-type: must be application\/json/);
    }
    expect(await send(JSON.stringify(hello), { 'content-type': type })).toMatchObject({
      json: { error: 'Unsupported Media Type' },
    });
  });

  it('is answered 415 if there is none', async () => {
    const body = JSON.stringify(hello);
    const reply = await sendRaw(
      gateway.port,
      `POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(reply).toMatchObject(
      native(
        415,
        'Unsupported Media Type',
        'content-type: must be application/json and is missing',
      ),
    );
  });
});

describe('a compressed body', () => {
  const limitsOf = (accountId: string, maxBytes: number) => ({
    ...{ accountId, maxBytes, maxValues: 1_000 },
    announce: () => {},
    hold: () => {},
  });
  const plain = Buffer.from(
    JSON.stringify({ ...hello, messages: [{ role: 'user', content: 'Grüße '.repeat(2000) }] }),
  );
  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdFrame],
  ] as const)('is read as %s', async (encoding, compress) => {
    expect((await send(compress(plain), { 'content-encoding': encoding })).status).toBe(200);
    expect(at(upstream.requests.at(-1)?.body, 'messages', 0, 'content')).toBe(
      'Grüße '.repeat(2000),
    );
  });

  it.each([
    ['that is none', Buffer.from('not compressed at all')],
    ['that is cut off', gzipSync(plain).subarray(0, -20)],
    ['that is damaged', Buffer.concat([gzipSync(plain).subarray(0, 60), Buffer.alloc(50, 0xff)])],
    ['of nothing', Buffer.alloc(0)],
    ['of an empty text', gzipSync('')],
    ['of broken JSON', gzipSync('{"a":')],
  ])('%s is 400', async (_what, body) => {
    expect(await send(body, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 400,
      json: { error: 'Bad Request' },
    });
  });

  it.each([
    ['deflate', deflateRawSync(plain)],
    ['br', gzipSync(plain)],
    ['zstd', gzipSync(plain)],
    ['zstd', zstdFrame(plain).subarray(0, -5)],
    ['zstd', Buffer.concat([zstdFrame(plain), Buffer.from('more')])],
    ['zstd', Buffer.alloc(0)],
  ])('of another kind than %s says is 400', async (encoding, body) => {
    expect(await send(body, { 'content-encoding': encoding })).toMatchObject({ status: 400 });
  });

  it.each(['compress', 'gzip, gzip', '__proto__', 'constructor'])(
    'is 415 as %s',
    async (encoding) => {
      expect(await send(gzipSync(plain), { 'content-encoding': encoding })).toMatchObject(
        native(415, 'Unsupported Media Type', /^content-encoding: /),
      );
    },
  );

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', (bytes: Buffer) => zstdBomb(bytes.length / 131_072)],
  ] as const)('that grows beyond the limit (%s) is 413', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(32 * 1024 * 1024, 0x20));
    expect(bomb.length).toBeLessThan(maxBodyBytes);
    expect(await send(bomb, { 'content-encoding': encoding })).toMatchObject(
      native(413, 'Payload Too Large', `the body is larger than ${maxBodyBytes} bytes`),
    );
  });

  it('of many small frames reaches the main thread in few pieces', async () => {
    const text = JSON.stringify({ ...hello, user: 'x'.repeat(30_000) });
    const frames = Buffer.concat(Array.from(text, (sign) => zstdFrame(sign)));
    const limits = limitsOf('a', 1e6);
    const pieces: Buffer[] = [];
    for await (const piece of createZstd(limits).end(frames)) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).toBe(text);
    expect(pieces.length).toBeLessThan(10);
  });

  it('of another account does not wait for all that one account has sent', async () => {
    const order: string[] = [];
    const read = async (account: string): Promise<void> => {
      const body = createZstd(limitsOf(account, 1e6)).end(zstdFrame('{}'));
      for await (const _piece of body) order.push(account);
    };
    await Promise.all(['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'b'].map(read));
    expect(order).toHaveLength(9);
    expect(order.indexOf('b')).toBeLessThan(6);
  });

  it('that grows beyond the limit is not unpacked any further, and the rest is discarded', async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, 0x20));
    let unpackedBytes = 0;
    const ended: Promise<unknown>[] = [];
    const limits = limitsOf('a', maxBodyBytes);
    const host = await startHost((req, res) => {
      const pipe = req.pipe.bind(req);
      req.pipe = <T extends NodeJS.WritableStream>(unpacking: T) => {
        unpacking.on('data', (piece: Buffer) => (unpackedBytes += piece.length));
        ended.push(once(unpacking, 'close'), once(req, 'end'));
        return pipe(unpacking);
      };
      Promise.resolve(readJsonBody(req, limits)).catch((error: unknown) =>
        res.end(error instanceof GatewayError ? error.code : 'another error'),
      );
    });
    try {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      expect((await post(host.url, bomb, headers)).text).toBe('payload_too_large');
      expect(await Promise.all(ended)).toHaveLength(2);
      expect(unpackedBytes).toBeGreaterThan(maxBodyBytes);
      // with what was on its way already
      expect(unpackedBytes).toBeLessThan(2 * 1024 * 1024);
    } finally {
      await host.close();
    }
  });
});

describe('a body whose client leaves before it is whole', () => {
  it.each(['identity', 'gzip'])('is logged as that, not as a bad body (%s)', async (encoding) => {
    const id = `left-${encoding}`;
    const { socket, received } = openRaw(gateway.port);
    socket.write(
      `POST ${paths[2]} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nX-Request-Id: ${id}\r\nContent-Encoding: ${encoding}\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
    );
    await until(() => received().includes('100 Continue'));
    socket.destroy();
    await until(async () => {
      const { json } = await ask('GET', `${gateway.url}/api/v1/requests`, gateway.auth);
      const row = (at(json, 'items') as { requestId: string }[]).find(
        ({ requestId }) => requestId === id,
      );
      if (row) expect(row).toMatchObject({ status: 499, code: 'client_closed' });
      return row !== undefined;
    });
  });
});

describe('a body over the limit', () => {
  const padded = (length: number): string =>
    JSON.stringify({
      ...hello,
      pad: 'x'.repeat(length - JSON.stringify({ ...hello, pad: '' }).length),
    });
  const head = (headers: string): string =>
    `POST /api/v1/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`;

  it('is 413, and one that just fits is not', async () => {
    expect((await send(padded(maxBodyBytes))).status).toBe(200);
    for (const path of paths)
      expect((await send(padded(maxBodyBytes + 1), {}, path)).status).toBe(413);
    expect(await send(padded(maxBodyBytes + 1))).toMatchObject(
      native(413, 'Payload Too Large', `the body is larger than ${maxBodyBytes} bytes`),
    );
  });

  it('is 413 at once where its length is announced', async () => {
    const connection = openRaw(gateway.port);
    const answered = new Promise((resolve) => connection.socket.once('data', resolve));
    connection.socket.write(`${head('Content-Length: 99999999')}{`);
    await answered;
    expect(parseReply(connection.received())).toMatchObject(
      native(413, 'Payload Too Large', /larger than/),
    );
    connection.socket.destroy();
  });

  it('is 413 as soon as it is over where its length is not announced', async () => {
    const connection = openRaw(gateway.port);
    const answered = new Promise((resolve) => connection.socket.once('data', resolve));
    connection.socket.write(head('Transfer-Encoding: chunked'));
    const piece = Buffer.alloc(16 * 1024, 0x20);
    for (let sent = 0; sent <= maxBodyBytes; sent += piece.length)
      connection.socket.write(Buffer.concat([Buffer.from('4000\r\n'), piece, Buffer.from('\r\n')]));
    await answered;
    expect(parseReply(connection.received())).toMatchObject(
      native(413, 'Payload Too Large', /larger than/),
    );
    connection.socket.destroy();
  });
});

describe('strange JSON', () => {
  it.each([
    [
      'nested 100,000 arrays deep',
      `{"models": ["up/m"], "messages": [{"role": "user", "content": "Hi"}], "x": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    ],
    [
      'nested 100,000 objects deep',
      `{"models": ["up/m"], "messages": [{"role": "user", "content": "Hi"}], "x": ${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    ],
    ['nothing but 100,000 arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    [
      'deep messages',
      `{"models": ["up/m"], "messages": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    ],
    [
      'deep content',
      `{"models": ["up/m"], "messages": [{"role": "user", "content": ${'[{"type":"text","text":'.repeat(50_000)}1${'}]'.repeat(50_000)}}]}`,
    ],
  ])('(%s) is 400, not a fault of ours', async (_what, body) => {
    for (const path of ['/api/v1/completions', '/api/v1/model-select', '/v1/chat/completions']) {
      const { status, json } = await post(wide.url + path, body, wide.auth);
      expect(status).toBe(400);
      expect(at(json, 'message') ?? at(json, 'error', 'message')).toBe(
        'body: is nested too deeply: more than 500 levels',
      );
    }
  });

  it('may be nested as deep as anybody writes by hand', async () => {
    const schema = JSON.parse(`${'{"properties":{"a":'.repeat(60)}{}${'}}'.repeat(60)}`) as object;
    const body = {
      model: 'up/m',
      messages: hello.messages,
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'x'.repeat(5000), parameters: schema },
        },
      ],
    };
    expect((await post(`${wide.url}/v1/chat/completions`, body, wide.auth)).status).toBe(200);
  });

  it.each([
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__defineGetter__',
  ])('with a key named %s changes nothing', async (name) => {
    const polluting = `{"${name}": {"models": ["up/x"], "polluted": true, "status": 1}, "models": ["up/m"], "messages": [{"${name}": {"polluted": true}, "role": "user", "content": [{"type": "text", "text": "Hi", "${name}": {"polluted": 1}}]}]}`;
    const { status, text } = await sendWide(polluting);
    expect(status).toBe(200);
    expect(text).not.toContain('polluted');
    expect(upstream.requests.at(-1)?.raw.toString()).not.toContain('polluted');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const instead = await sendWide(
      `{"${name}": {"models": ["up/m"], "messages": [{"role": "user", "content": "Hi"}]}}`,
    );
    expect(instead).toMatchObject(native(422, 'Validation Error', 'messages: is required'));
    expect(
      await sendWide(`{"models": ["${name}/m"], "messages": [{"role": "user", "content": "Hi"}]}`),
    ).toMatchObject(
      native(
        422,
        'Validation Error',
        new RegExp(`^models\\[0\\]: provider "${name}" is not configured`),
      ),
    );
  });

  it('goes by the last of two keys of the same name', async () => {
    expect(
      (
        await sendWide(
          '{"models": 5, "models": ["up/m"], "messages": [{"role": "user", "content": "Hi"}]}',
        )
      ).status,
    ).toBe(200);
    expect(
      await sendWide(
        '{"models": ["up/m"], "models": 5, "messages": [{"role": "user", "content": "Hi"}]}',
      ),
    ).toMatchObject({ status: 422 });
  });

  it.each([
    ['cut \ud83d', 'cut \ufffd'],
    ['\udc00\ud800', '\ufffd\ufffd'],
    ['\\ud83d and \ud83d\ude00', '\\ud83d and \ud83d\ude00'],
  ])('brings the text %j to the model with U+FFFD for half a character', async (text, whole) => {
    const body = { ...hello, messages: [{ role: 'user', content: text }] };
    expect((await sendWide(JSON.stringify(body))).status).toBe(200);
    expect(at(upstream.requests.at(-1)?.body, 'messages', 0, 'content')).toBe(whole);
  });

  it.each(['\u0000', '\u001b[31m', '\u2028\u2029', '\ufffe\uffff', '\r\n\r\ndata: [DONE]\n\n'])(
    'brings the text %j to the model and back unharmed',
    async (text) => {
      const escaped = JSON.stringify({ ...hello, messages: [{ role: 'user', content: text }] });
      const { status, json } = await sendWide(escaped);
      expect(status).toBe(200);
      expect(json).toMatchObject({ provider: 'up' });
      expect(at(upstream.requests.at(-1)?.body, 'messages', 0, 'content')).toBe(text);
    },
  );

  it.each(['up/a\u0000b', 'up/a\nb', 'up/\ud800', 'u\u0007p/m', 'up/a\u007f', 'up/a\u0085'])(
    'with the model %j is 422 by its form',
    async (model) => {
      expect(await sendWide({ ...hello, models: [model] })).toMatchObject(
        native(
          422,
          'Validation Error',
          'models[0]: must be the name of a model, such as <provider>/<model>',
        ),
      );
      expect(
        await post(`${wide.url}/v1/chat/completions`, { ...hello, model }, wide.auth),
      ).toMatchObject({ status: 400, json: { error: { param: 'model' } } });
      expect(
        await post(`${wide.url}/v1/embeddings`, { input: 'x', model }, wide.auth),
      ).toMatchObject({ status: 400, json: { error: { param: 'model' } } });
    },
  );

  it("names a model in any script on the answer's header", async () => {
    const { status, headers } = await sendWide({ ...hello, models: ['up/模型 π "x"'] });
    expect(status).toBe(200);
    expect(headers['x-signalbox-model']).toBe('up/%E6%A8%A1%E5%9E%8B%20%CF%80%20%22x%22');
  });

  it.each(['1e400', '-1e400', '1e308', '99999999999999999999', '0.1', '-0', '1e-400'])(
    'with the number %s is served or refused, and never passed on as another one',
    async (number) => {
      const { status, json } = await sendWide(
        `{"models": ["up/m"], "messages": [{"role": "user", "content": "Hi"}], "maxTokens": ${number}}`,
      );
      if (status === 200)
        expect(at(upstream.requests.at(-1)?.body, 'max_tokens')).toBe(Number(number));
      else
        expect({ status, json }).toMatchObject(
          native(422, 'Validation Error', /^maxTokens: must be /),
        );
    },
  );

  it('may hold very many messages and a very long text', async () => {
    const messages = Array.from({ length: 49_000 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: 'x',
    }));
    expect((await sendWide({ ...hello, messages })).status).toBe(200);
    expect(
      (
        await sendWide({
          ...hello,
          messages: [{ role: 'user', content: 'long '.repeat(2_000_000) }],
        })
      ).status,
    ).toBe(200);
  });

  const many = (item: string, count: number): string => `[${Array(count).fill(item).join(',')}]`;
  const within = (field: string): string =>
    `{"models": ["up/m"], "messages": [{"role": "user", "content": "Hi"}], "x": ${field}}`;
  it.each([
    ['objects', many('{}', 150_000), 'must have at most 150000 objects, lists and texts'],
    ['lists', many('[]', 150_000), 'must have at most 150000 objects, lists and texts'],
    ['texts', many('"a"', 150_000), 'must have at most 150000 objects, lists and texts'],
    ['numbers', many('1', 1_500_001), 'must have at most 600000 items and fields'],
    [
      'names',
      `{${Array.from({ length: 15_001 }, (_, n) => `"n${n}":1`).join(',')}}`,
      'must have at most 15000 different field names',
    ],
  ])('of more %s than the limit is 400 and says the limit', async (_what, field, reason) => {
    const message = `body: ${reason} (limits.maxJsonValues of the gateway)`;
    expect(await sendWide(within(field))).toMatchObject(native(400, 'Bad Request', message));
    expect(
      (await post(`${wide.url}/v1/embeddings`, `{"model":"up/m","input":${field}}`, wide.auth))
        .status,
    ).toBe(400);
  });

  it.each([
    ['one step', 25_000],
    ['pieces', 100_000],
  ])('read in %s, with very many numbers beyond a double, is 400 and says so', async (_how, n) => {
    const reason = 'more than 20000 numbers are too long for JavaScript to keep';
    expect(await sendWide(within(many('1e999', n)))).toMatchObject(
      native(400, 'Bad Request', `body: ${reason}`),
    );
  });

  it('may hold more where the configuration says so', async () => {
    const roomy = await startGateway({
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      limits: { maxJsonValues: 200_000 },
    });
    const { status } = await post(
      `${roomy.url}/api/v1/completions`,
      within(many('{}', 150_000)),
      roomy.auth,
    );
    expect(status).toBe(200);
    await roomy.close();
  });

  it('names the wrong one of very many messages', async () => {
    const messages = Array.from({ length: 49_000 }, (_, index) => ({
      role: index === 48_765 ? 'nobody' : 'user',
      content: 'x',
    }));
    expect(await sendWide({ ...hello, messages })).toMatchObject(
      native(
        422,
        'Validation Error',
        'messages[48765][role]: must be one of: system, developer, user, assistant, tool, function',
      ),
    );
  });

  it('never repeats a value in a message, and cuts what it names', async () => {
    const canary = 'canary'.repeat(1000);
    for (const wrong of [
      { models: canary },
      { temperature: canary },
      { messages: [{ role: canary, content: 'x' }] },
      { tradeoff: canary },
      { conversationId: canary },
    ]) {
      const { status, text } = await sendWide({ ...hello, ...wrong });
      expect(status).toBe(422);
      expect(text).not.toContain('canary');
    }
    const { text } = await sendWide({
      ...hello,
      models: [`${'p'.repeat(400)}/${canary.slice(0, 100)}`],
    });
    expect(text.length).toBeLessThan(1000);
  });
});
