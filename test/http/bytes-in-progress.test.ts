import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { post, postStream, type Reply, type StreamReply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { until } from '../helpers/until.js';

const mib = 1_048_576;

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    auth: { keys: ['a', 'b', 'c'].map((name) => ({ name, key: `sk_${name}` })) },
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    limits: { maxBytesInProgress: 2.5 * mib, maxAccountBytesInProgress: 1.5 * mib },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => upstream.script([{}]));

const url = (): string => `${gateway.url}/v1/chat/completions`;
const bodyOf = (bytes: number): string =>
  JSON.stringify({ model: 'up/m', messages: [{ role: 'user', content: 'x'.repeat(bytes) }] });
const send = (key: string, bytes: number, headers: Record<string, string> = {}): Promise<Reply> =>
  post(url(), bodyOf(bytes), { authorization: `Bearer sk_${key}`, ...headers });

/** A request whose answer does not come. @returns what ends it */
async function hanging(key: string, bytes: number): Promise<() => void> {
  upstream.script([{ hang: 'beforeHeaders' }]);
  const calls = upstream.requests.length;
  const request = httpRequest(url(), {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer sk_${key}`, 'content-type': 'application/json' },
  });
  request.on('error', () => undefined);
  request.end(bodyOf(bytes));
  await upstream.received(calls);
  upstream.script([{}]);
  return () => request.destroy();
}

describe('bodies of requests in progress', () => {
  it('of one account beyond its limit are 429, and of others go on', async () => {
    const end = await hanging('a', mib);
    const refused = await send('a', mib);
    expect(refused.status).toBe(429);
    expect(refused.json).toMatchObject({
      error: {
        code: 'rate_limit_exceeded',
        message: expect.stringContaining('1572864 bytes together') as string,
      },
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await send('b', mib)).status).toBe(200);
    // what is small is never held back
    expect((await send('a', 10_000)).status).toBe(200);
    end();
    await until(async () => (await send('a', mib)).status === 200);
  });

  it('of all accounts beyond the limit are 503', async () => {
    const ends = [await hanging('a', mib), await hanging('b', mib)];
    const refused = await send('c', mib);
    expect(refused).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await send('c', 10_000)).status).toBe(200);
    for (const end of ends) end();
    await until(async () => (await send('c', mib)).status === 200);
  });

  it('count by what arrives where their length is not announced', async () => {
    const end = await hanging('a', mib);
    const packed = await post(url(), gzipSync(bodyOf(mib)), {
      authorization: 'Bearer sk_a',
      'content-encoding': 'gzip',
    });
    expect(packed.status).toBe(429);
    expect((await send('a', mib, { 'transfer-encoding': 'chunked' })).status).toBe(429);
    end();
    await until(async () => (await send('a', mib)).status === 200);
  });

  it('do not count by what is only announced', async () => {
    const request = httpRequest(url(), {
      method: 'POST',
      agent: false,
      headers: {
        authorization: 'Bearer sk_a',
        'content-type': 'application/json',
        'content-length': String(1.4 * mib),
      },
    });
    request.on('error', () => undefined);
    await new Promise<void>((resolve) => request.write('{', () => resolve()));
    expect((await send('a', mib)).status).toBe(200);
    request.destroy();
  });

  it('may exceed the limits where there is only one', async () => {
    expect((await send('a', 4 * mib)).status).toBe(200);
    expect((await send('a', 4 * mib)).status).toBe(200);
  });
});

describe('answers that are kept to be stored', () => {
  const text = ['x'.repeat(1.2 * mib)];
  const streamed = (key: string, signal?: AbortSignal): Promise<StreamReply> =>
    postStream(
      `${gateway.url}/api/v1/completions`,
      { models: ['up/m'], stream: true, messages: [{ role: 'user', content: 'Hi' }] },
      { headers: { authorization: `Bearer sk_${key}` }, ...(signal ? { signal } : {}) },
    );
  const last = (events: readonly unknown[]): unknown => events.at(-1);

  it('count with the bodies, and are sent but not stored where they are too many', async () => {
    const client = new AbortController();
    upstream.script([{ text, hang: 'afterContent' }]);
    const calls = upstream.requests.length;
    const held = streamed('a', client.signal);
    await upstream.received(calls);
    upstream.script([{ text }]);
    // its text has arrived as soon as a body finds no room beside it
    await until(async () => (await send('a', mib)).status === 429);

    const { events } = await streamed('a');
    expect(events).toHaveLength(text.length + 1);
    expect(last(events)).toMatchObject({ conversationStored: false });
    // another account has room of its own
    expect(last((await streamed('b')).events)).not.toHaveProperty('conversationStored');

    client.abort();
    await held;
    await until(async () => (await send('a', mib)).status === 200);
    expect(last((await streamed('a')).events)).not.toHaveProperty('conversationStored');
  });
});

describe('whole answers that are collected from streams', () => {
  const text = Array.from({ length: 12 }, () => 'x'.repeat(0.1 * mib));
  const whole = (key: string, signal?: AbortSignal): Promise<StreamReply> =>
    postStream(
      `${gateway.url}/api/v1/completions`,
      { models: ['up/m'], store: false, messages: [{ role: 'user', content: 'Hi' }] },
      { headers: { authorization: `Bearer sk_${key}` }, ...(signal ? { signal } : {}) },
    );

  it('count as they come, end where they are too many, and are given back', async () => {
    const client = new AbortController();
    upstream.script([{ text, hang: 'afterContent', contents: 12 }]);
    const calls = upstream.requests.length;
    const held = whole('a', client.signal).catch(() => undefined);
    await upstream.received(calls);
    upstream.script([{ text }]);
    await until(async () => (await send('a', 0.6 * mib)).status === 429);

    const refused = await whole('a');
    expect(refused).toMatchObject({ status: 429, json: { error: 'Too Many Requests' } });
    expect((await whole('b')).status).toBe(200);
    expect((await whole('b')).status).toBe(200);
    upstream.script([{ text: [...text, ...text, ...text] }]);
    expect((await whole('c')).status).toBe(503);

    client.abort();
    await held;
    // one that is alone is never too long
    await until(async () => (await whole('c')).status === 200);
    expect((await whole('a')).status).toBe(200);
  });
});

describe('whole answers that their clients do not read', () => {
  const long = { text: ['x'.repeat(8 * mib)] };
  /** Begins to receive an answer. @returns what ends it */
  const unread = (key: string): Promise<() => void> =>
    new Promise((resolve) => {
      const request = httpRequest(url(), {
        method: 'POST',
        agent: false,
        headers: { authorization: `Bearer sk_${key}`, 'content-type': 'application/json' },
      });
      request.on('error', () => undefined);
      request.on('response', (response) => resolve(() => response.pause().destroy()));
      request.end(bodyOf(10));
    });

  it('count, so that the next completion of their account is 429 before it is paid for', async () => {
    upstream.script([long]);
    const end = await unread('a');
    const calls = upstream.requests.length;
    const refused = await send('a', 10);
    expect(refused.status).toBe(429);
    expect(upstream.requests).toHaveLength(calls);
    end();
    upstream.script([{}]);
    await until(async () => (await send('a', 10)).status === 200);
  });

  it('arrive whole, whoever reads them slowly, in characters of any length', async () => {
    const text = 'aé字😀'.repeat(100_000);
    upstream.script([{ text: [text] }]);
    const { json } = await post(
      `${gateway.url}/api/v1/completions`,
      { models: ['up/m'], messages: [{ role: 'user', content: 'Hi' }] },
      { authorization: 'Bearer sk_b' },
    );
    expect(json).toMatchObject({ message: { content: [{ text }] } });
    const { json: chat } = await send('b', 10);
    expect(chat).toMatchObject({ choices: [{ message: { content: text } }] });
  });
});
