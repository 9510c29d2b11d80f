import { readFileSync } from 'node:fs';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { zstdBomb, zstdFrame } from '../helpers/zstd.js';

const messages = [{ role: 'user', content: 'Grüße' }];
/** A body for every route that reads one, and the status of its answer. */
const routes: readonly (readonly [path: string, body: object, status: number])[] = [
  ['/api/v1/completions', { models: ['up/m'], messages }, 200],
  ['/api/v1/model-select', { llm_providers: [{ name: 'up/m' }], messages }, 200],
  [
    '/v2/modelRouter/modelSelect',
    { llm_providers: [{ provider: 'up', model: 'm' }], messages },
    200,
  ],
  ['/v1/chat/completions', { model: 'up/m', messages }, 200],
  ['/v1/completions', { model: 'up/m', prompt: 'Grüße' }, 200],
  ['/v1/responses', { model: 'up/m', input: 'Grüße' }, 200],
  ['/v1/messages', { model: 'up/m', max_tokens: 9, messages }, 200],
  ['/v1/messages/count_tokens', { model: 'up/m', messages }, 200],
  ['/v1/embeddings', { model: 'up/m', input: 'Grüße' }, 200],
  ['/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, 200],
  ['/api/v1/keys', { name: 'Grüße' }, 201],
];
const codexFrame = readFileSync(
  new URL('../fixtures/agent-traffic/codex-tool-turn.json.zst', import.meta.url),
);

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    limits: { maxBodyBytes: 1_000_000, maxBytesInProgress: 4_000_000 },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const send = (path: string, body: Buffer, headers: Record<string, string> = {}): Promise<Reply> =>
  post(gateway.url + path, body, {
    ...gateway.auth,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  });

describe.each(routes)('%s', (path, body, status) => {
  const json = Buffer.from(JSON.stringify(body));
  it('reads a body that begins with a byte order mark', async () => {
    const reply = await send(path, Buffer.concat([Buffer.from('\ufeff'), json]));
    expect(reply.status, reply.text).toBe(status);
  });

  it('reads a body whose content encoding is empty', async () => {
    expect((await send(path, json, { 'content-encoding': '' })).status).toBe(status);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdFrame],
  ] as const)('reads a body in %s', async (encoding, compress) => {
    const reply = await send(path, compress(json), { 'content-encoding': encoding });
    expect(reply.status, reply.text).toBe(status);
  });
});

it.each([
  ['deflate', deflateSync, 200],
  ['deflate', deflateRawSync, 400],
  ['gzip, gzip', (json: Buffer) => gzipSync(gzipSync(json)), 415],
  ['gzip', (json: Buffer) => gzipSync(gzipSync(json)), 400],
] as const)('a body in %s is read or refused', async (encoding, compress, status) => {
  const json = Buffer.from(JSON.stringify({ model: 'up/m', messages }));
  const headers = { 'content-encoding': encoding };
  expect((await send('/v1/chat/completions', compress(json), headers)).status).toBe(status);
});

describe('a byte order mark', () => {
  it('is no part of a text, and stands only once and only at the beginning', async () => {
    const mark = '\ufeff';
    const body = JSON.stringify({ model: 'up/m', messages: [{ role: 'user', content: mark }] });
    const path = '/v1/chat/completions';
    expect((await send(path, Buffer.from(mark + body))).status).toBe(200);
    expect(at(upstream.requests.at(-1)?.body, 'messages', 0, 'content')).toBe(mark);
    for (const wrong of [mark + mark + body, `${body}${mark}`, mark])
      expect((await send(path, Buffer.from(wrong))).status).toBe(400);
  });
});

describe('a body in zstd', () => {
  it('of Codex, as its encoder writes it, reaches the model', async () => {
    const reply = await send('/v1/responses', codexFrame, { 'content-encoding': 'zstd' });
    expect(reply.status, reply.text).toBe(200);
    expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain('Write step.txt.');
  });

  it('is read in several frames and blocks', async () => {
    const body = JSON.stringify({
      model: 'up/m',
      messages: [{ role: 'user', content: 'long '.repeat(60_000) }],
    });
    const [half, end] = [150_000, body.length];
    const frames = Buffer.concat([
      zstdFrame(body.slice(0, half)),
      zstdFrame(body.slice(half, end)),
    ]);
    const reply = await send('/v1/chat/completions', frames, { 'content-encoding': 'zstd' });
    expect(reply.status, reply.text).toBe(200);
    expect(textAt(upstream.requests.at(-1)?.body, 'messages', 0, 'content')).toHaveLength(300_000);
  });

  it('that would be larger than the limit is 413, and leaves room for others', async () => {
    for (let n = 0; n < 8; n++) {
      const reply = await send('/v1/responses', zstdBomb(8_000), { 'content-encoding': 'zstd' });
      expect(reply.status).toBe(413);
    }
    const compressed = Buffer.alloc(1_000_001, 1);
    expect((await send('/v1/responses', compressed, { 'content-encoding': 'zstd' })).status).toBe(
      413,
    );
    expect((await send('/v1/responses', codexFrame, { 'content-encoding': 'zstd' })).status).toBe(
      200,
    );
  });

  it('does not stop the process while it is read', async () => {
    const started = performance.now();
    let longest = 0;
    let last = started;
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    await Promise.all(
      Array.from({ length: 4 }, () =>
        send('/v1/responses', zstdBomb(8_000), { 'content-encoding': 'zstd' }),
      ),
    );
    clearInterval(timer);
    // 1 GB in all if it were decompressed: some seconds
    expect(longest).toBeLessThan(500);
  });

  it('is passed through as it is', async () => {
    const reply = await send('/proxy/up/v1/responses', codexFrame, { 'content-encoding': 'zstd' });
    expect(reply.status).toBe(200);
    expect(upstream.requests.at(-1)?.raw).toEqual(codexFrame);
    expect((await ask('GET', `${gateway.url}/healthz`)).status).toBe(200);
  });
});
