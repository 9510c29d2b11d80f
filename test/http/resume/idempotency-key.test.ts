import { createHook } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GatewayOptions } from '../../../src/gateway-options.js';
import type { LazyDatabases } from '../../../src/store/lazy-databases.js';
import { type RunningGateway, startGateway } from '../../helpers/gateway.js';
import { at, numberAt, textAt } from '../../helpers/json.js';
import { memoryDatabases } from '../../helpers/memory-databases.js';
import { metricOf } from '../../helpers/metrics.js';
import { redisIsThere, type RunningRedis, startRedis } from '../../helpers/redis.js';
import { textOf } from '../../helpers/resuming.js';
import { ask, post, postStream, type Reply, type StreamReply } from '../../helpers/sse.js';
import { until } from '../../helpers/until.js';
import { startUpstream, type Upstream } from '../../helpers/upstream.js';

const words = Array.from({ length: 30 }, (_, index) => `wörd${index} `);
const messages = [{ role: 'user', content: 'Hi' }];

let redis: RunningRedis | null = null;
let upstream: Upstream;
let gateway: RunningGateway;
const start = (more: object = {}, options: GatewayOptions = {}): Promise<RunningGateway> =>
  startGateway(
    {
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: { 'up/m': { inputPrice: 1, outputPrice: 1 } },
      limits: { maxRetries: 0 },
      ...more,
    },
    options,
  );

/** Sends a command to Redis by itself. */
async function command(...args: string[]): Promise<void> {
  const client = await createClient({ url: redis?.url ?? '' }).connect();
  await client.sendCommand(args);
  client.destroy();
}

/** As if Redis had kept notes for long: in a new one, keys wait until every process has found it. */
const age = (): Promise<void> => command('SET', 'signalbox:notes-since', '0');

beforeAll(async () => {
  redis = await startRedis();
  if (redis) await age();
});
beforeEach(async () => {
  upstream = await startUpstream({ hasLists: false });
  gateway = await start();
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});
afterAll(() => redis?.stop());

interface Door {
  url: string;
  headers: Record<string, string>;
}
interface Surface {
  path: string;
  body: object;
}
const surfaces: Record<string, Surface> = {
  native: { path: '/api/v1/completions', body: { models: ['up/m'], messages } },
  'OpenAI’s': { path: '/v1/chat/completions', body: { model: 'up/m', messages } },
  Messages: { path: '/v1/messages', body: { model: 'up/m', max_tokens: 99, messages } },
  Responses: { path: '/v1/responses', body: { model: 'up/m', input: 'Hi' } },
};
const rows = Object.entries(surfaces);
const keyed = (key: string, at = gateway): Record<string, string> => ({
  ...at.auth,
  'idempotency-key': key,
});
const send = (key: string, { path, body }: Surface, at = gateway): Promise<Reply> =>
  post(`${at.url}${path}`, body, keyed(key, at));
const stream = (key: string, { path, body }: Surface, abort?: number): Promise<StreamReply> =>
  postStream(
    `${gateway.url}${path}`,
    { ...body, stream: true },
    { headers: keyed(key), ...(abort === undefined ? {} : { abortAfterFrames: abort }) },
  );
const native = surfaces['native']!;

describe('a request that is repeated with its Idempotency-Key', () => {
  it.each(rows)('gets the first answer on the %s surface, whole', async (_name, surface) => {
    upstream.script([{ text: words }]);
    const first = await send('k', surface);
    const again = await send('k', surface);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(again.headers['responsemessageid']).toBe(first.headers['responsemessageid']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(upstream.requests).toHaveLength(1);
    expect(await metricOf(gateway, 'signalbox_answers_read_again_total', 'how="repeated"')).toBe(1);
  });

  it.each(rows)('gets the first answer on the %s surface, streamed', async (_name, surface) => {
    upstream.script([{ text: words }]);
    const first = await stream('k', surface);
    const again = await stream('k', surface);
    expect(again.frames.map(({ event, data }) => [event, data])).toEqual(
      first.frames.map(({ event, data }) => [event, data]),
    );
    expect(upstream.requests).toHaveLength(1);
  });

  it('joins the stream under way, which outlives the connection that began it', async () => {
    upstream.script([{ text: words, betweenMs: 10 }]);
    const first = await stream('k', native, 4);
    expect(first.ended).toBe('aborted');
    const again = await stream('k', native);
    expect(textOf(again.frames)).toBe(words.join(''));
    expect(again.frames.at(-1)?.data).toBe('[DONE]');
    expect(upstream.requests).toHaveLength(1);
  });

  it('waits for the whole answer under way, and is charged once', async () => {
    upstream.script([{ text: words, delayMs: 100, usage: { prompt: 10, completion: 90 } }]);
    const replies = await Promise.all([1, 2, 3].map(() => send('k', native)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(upstream.requests).toHaveLength(1);
    await until(async () => {
      const { json } = await ask('GET', `${gateway.url}/api/v1/usage?by=key`, gateway.auth);
      return Math.abs(numberAt(json, 'items', 0, 'costUsd') - 0.0001) < 1e-9;
    });
  });

  it('leaves no timer behind, which would stay for a day', async () => {
    const timers = new Set<number>();
    const hook = createHook({
      init: (id, type) => {
        if (type === 'Timeout') timers.add(id);
      },
      destroy: (id) => {
        timers.delete(id);
      },
    }).enable();
    for (let n = 0; n < 40; n++) expect((await send(`k${n}`, native)).status).toBe(200);
    hook.disable();
    expect(timers.size).toBeLessThan(20);
  });

  it('is refused with 422 where the body is another, also on another surface', async () => {
    await send('k', native);
    const other = await send('k', { ...native, body: { ...native.body, maxTokens: 7 } });
    expect(other.status).toBe(422);
    expect(textAt(other.json, 'message')).toContain('Idempotency-Key');
    const openai = await send('k', surfaces['OpenAI’s']!);
    expect(openai.status).toBe(422);
    expect(at(openai.json, 'error', 'code')).toBe('idempotency_key_reused');
    expect((await send('', native)).status).toBe(422);
    expect((await send('x'.repeat(256), native)).status).toBe(422);
  });

  it('is tried again where the first has failed', async () => {
    upstream.script([{ status: 500 }, { status: 429 }, { text: ['good'] }]);
    expect((await send('k', native)).status).toBe(502);
    expect((await send('k', native)).status).toBe(429);
    const third = await send('k', native);
    expect(third.status).toBe(200);
    expect((await send('k', native)).text).toBe(third.text);
    expect(upstream.requests).toHaveLength(3);
  });

  it('takes the place of a first that fails while it waits', async () => {
    upstream.script([{ status: 500, delayMs: 100 }, { text: ['good'] }]);
    const [first, second] = await Promise.all([
      send('k', native),
      upstream.received(0).then(() => send('k', native)),
    ]);
    expect([first.status, second.status]).toEqual([502, 200]);
  });

  it('is tried again where the first stream broke off', async () => {
    upstream.script([{ text: words, reset: 'afterContent' }, { text: words }]);
    const first = await stream('k', native);
    expect(first.frames.some(({ event }) => event === 'error')).toBe(true);
    const again = await stream('k', native);
    expect(textOf(again.frames)).toBe(words.join(''));
    expect(upstream.requests).toHaveLength(2);
  });

  it('is an ordinary request for another account or another key', async () => {
    await gateway.close();
    const keys = ['a', 'b'].map((name) => ({ name, key: `sk_${name}_0123456789abcdef` }));
    gateway = await start({ auth: { keys } });
    const url = `${gateway.url}${native.path}`;
    for (const { key } of keys)
      await post(url, native.body, { authorization: `Bearer ${key}`, 'idempotency-key': 'k' });
    await send('l', native);
    expect(upstream.requests).toHaveLength(3);
  });

  it('is answered 409 where the answer was too long to be kept', async () => {
    const long = 'x'.repeat(1024 * 1024);
    upstream.script([{ text: [long, long, long, long, long] }]);
    const openai = surfaces['OpenAI’s']!;
    expect((await send('k', openai)).status).toBe(200);
    const again = await send('k', openai);
    expect(again.status).toBe(409);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('a request whose answer is kept with a hole, as by a Redis that was emptied', () => {
  /** Keeps the answer of the key `k` without one of its parts. */
  async function lose(databases: LazyDatabases, which: number): Promise<void> {
    const { answerLogs: logs } = (await databases.get()).counters;
    const note = `fixed:test/key/${createHash('sha256').update('k').digest('hex')}`;
    await until(async () => (await logs.get(note))?.includes('"isDone":true') ?? false);
    const { log } = JSON.parse((await logs.get(note)) ?? '') as { log: string };
    const entries = (await logs.read(log, [0, 0], 0)) ?? [];
    const lost = entries.filter(({ kind }) => kind === 'part').at(which);
    await logs.expire([log], 0);
    for (const entry of entries) if (entry !== lost) await logs.append(log, entry, 10_000);
  }

  it('is answered 409, or ends in an error where it has begun, and never as if it were whole', async () => {
    const quiet = (): void => undefined;
    for (const [way, which] of [
      ['whole', 0],
      ['stream', 0],
      ['stream', -1],
    ] as const) {
      await gateway.close();
      const databases = memoryDatabases(null, { onWarning: quiet, onNews: quiet });
      gateway = await start({}, { databases });
      upstream.script([{ text: words, betweenMs: 2 }]);
      const ask = (): Promise<Reply | StreamReply> =>
        way === 'whole' ? send('k', native) : stream('k', native);
      expect((await ask()).status).toBe(200);
      await lose(databases, which);
      const again = await ask();
      if (which === 0) expect(again.status).toBe(409);
      if (which === 0) expect(again.headers).not.toHaveProperty('idempotent-replayed');
      else expect('frames' in again && again.frames.map(({ event }) => event)).toContain('error');
    }
  });
});

describe.skipIf(!redisIsThere)('two replicas on one Redis', () => {
  it('give the first answer for the same key', async () => {
    const shared = { redis: { url: redis?.url ?? '' } };
    const replicas = await Promise.all([start(shared), start(shared)]);
    upstream.script([{ text: words, delayMs: 50 }]);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => send('k', native, replicas[index % 2])),
    );
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(upstream.requests).toHaveLength(1);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  it.each([
    ['whole', 'emptied', () => command('FLUSHALL')],
    ['whole', 'restarted without its data', () => redis!.restart()],
    ['stream', 'emptied', () => command('FLUSHALL')],
  ] as const)(
    'call the provider once for it, %s, also where Redis is %s meanwhile',
    async (way, what, lose) => {
      const shared = { redis: { url: redis?.url ?? '' } };
      const replicas = await Promise.all([start(shared), start(shared)]);
      await age();
      upstream.script([
        way === 'whole' ? { text: words, delayMs: 2_500 } : { text: ['a', 'b'], betweenMs: 700 },
      ]);
      const body = { ...native.body, stream: way === 'stream' };
      const doorOf = ({ url, auth }: RunningGateway): Door => ({
        url: `${url}${native.path}`,
        headers: { ...auth, 'idempotency-key': what + way },
      });
      const [first, second] = [doorOf(replicas[0]), doorOf(replicas[1])];
      let losing: Promise<void> | undefined;
      const began =
        way === 'stream'
          ? postStream(first.url, body, {
              headers: first.headers,
              onFrame: () => void (losing ??= lose()),
            })
          : post(first.url, body, first.headers);
      await upstream.received(0);
      if (way === 'whole') losing = lose();
      await until(() => losing !== undefined);
      await losing;
      const ask = async (): Promise<Reply> => {
        const reply = await post(second.url, body, second.headers);
        // until it has found Redis again
        return reply.status === 503 ? ask() : reply;
      };
      const repeated = await ask();
      expect((await began).status).toBe(200);
      if (way === 'whole') expect(repeated.text).toBe((await began).text);
      // of a stream a part is lost
      expect(repeated.status).toBe(way === 'whole' ? 200 : 409);
      expect((await ask()).status).toBe(repeated.status);
      expect(upstream.requests).toHaveLength(1);
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  );

  it('answer a request that a pause of Redis refused, without waiting for its claim to expire', async () => {
    const replica = await start({ redis: { url: redis?.url ?? '' } });
    await send('before', native, replica);
    redis?.pause();
    expect((await send('paused', native, replica)).status).toBe(503);
    redis?.resume();
    const resumedAt = performance.now();
    await until(async () => (await send('paused', native, replica)).status === 200);
    // a claim expires after 30 s
    expect(performance.now() - resumedAt).toBeLessThan(20_000);
    expect(upstream.requests).toHaveLength(2);
    await replica.close();
  }, 60_000);

  it('refuse it while Redis is away, as nobody can tell what was answered, and go on without', async () => {
    const replica = await start({ redis: { url: redis?.url ?? '' } });
    upstream.script([{ text: ['first'] }, { text: ['second'] }]);
    const first = await send('away', native, replica);
    redis?.pause();
    const meanwhile = await send('away', native, replica);
    const plain = await post(`${replica.url}${native.path}`, native.body, replica.auth);
    redis?.resume();
    expect(meanwhile.status).toBe(503);
    expect(plain.text).toContain('second');
    await until(async () => (await send('away', native, replica)).text === first.text);
    expect(upstream.requests).toHaveLength(2);
    await replica.close();
  });
});
