import type { RequestHandler } from 'express';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { startHost } from '../helpers/host.js';
import { metricOf } from '../helpers/metrics.js';
import { redisIsThere, startRedis } from '../helpers/redis.js';
import { ask, post, postStream, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { withinMinute } from '../helpers/within-minute.js';

const messages = [{ role: 'user', content: 'Say hello' }];
const keys = [
  { name: 'test', key: 'sk_free' },
  { name: 'three', key: 'sk_three', limits: { requestsPerMinute: 3 } },
  { name: 'fifty', key: 'sk_fifty', limits: { requestsPerMinute: 50 } },
  { name: 'words', key: 'sk_words', limits: { tokensPerMinute: 1000 } },
];

let upstream: Upstream;
let gateway: RunningGateway;
const configured = (): Parameters<typeof startGateway>[0] => ({
  auth: { keys },
  providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, allowProxy: true } },
  models: { 'up/m': { inputPrice: 1, outputPrice: 1 } },
  limits: { maxRetries: 0 },
});
beforeEach(async () => {
  upstream = await startUpstream();
  gateway = await startGateway(configured());
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const as = (name: string): { authorization: string } => ({ authorization: `Bearer sk_${name}` });
const native = (name: string, more: object = {}, at = gateway): Promise<Reply> =>
  post(`${at.url}/api/v1/completions`, { messages, models: ['up/m'], ...more }, as(name));
const openai = (name: string, more: object = {}): Promise<Reply> =>
  post(`${gateway.url}/v1/chat/completions`, { messages, model: 'up/m', ...more }, as(name));
const select = (name: string): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/model-select`,
    { messages, llm_providers: [{ name: 'up/m' }] },
    as(name),
  );
const embed = (name: string, input = 'a'): Promise<Reply> =>
  post(`${gateway.url}/v1/embeddings`, { model: 'up/m', input }, as(name));
const pass = (name: string): Promise<Reply> =>
  ask('GET', `${gateway.url}/proxy/up/models`, as(name));
const statuses = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status);
const times = (count: number, call: () => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, call));

describe('a key with a limit of requests', () => {
  it('gets 429 for what is beyond it, with which limit it was and when to come back', async () => {
    for (let n = 0; n < 3; n++) expect((await native('three')).status).toBe(200);
    const refused = await native('three');
    expect(refused).toMatchObject({
      status: 429,
      json: {
        error: 'Too Many Requests',
        message:
          'limits: this key may use 3 requests a minute, 3 are used and this request needs 1',
      },
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(120);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    expect(upstream.requests).toHaveLength(3);
    expect(await metricOf(gateway, 'signalbox_limited_total', 'limit="requests"')).toBe(1);
  });

  it("is reported in OpenAI's shape on that surface", async () => {
    for (let n = 0; n < 3; n++) await openai('three');
    expect(await openai('three')).toMatchObject({
      status: 429,
      json: { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
    });
  });

  it('is sent with each answer how many are left', async () => {
    const replies = [
      await native('three'),
      await openai('three'),
      await select('three'),
      await embed('three'),
    ];
    expect(statuses(replies)).toEqual([200, 200, 200, 429]);
    expect(
      replies.map(({ headers }) => [
        headers['x-ratelimit-limit-requests'],
        headers['x-ratelimit-remaining-requests'],
      ]),
    ).toEqual([
      ['3', '2'],
      ['3', '1'],
      ['3', '0'],
      ['3', '0'],
    ]);
    expect(replies[0]?.headers['x-ratelimit-reset-requests']).toBe('1m0s');
    expect(replies[3]?.headers['x-ratelimit-reset-requests']).toMatch(/^\d+s$/);
  });

  it('gets the rate limit headers with a stream too', async () => {
    const { headers } = await postStream(
      `${gateway.url}/api/v1/completions`,
      { messages, models: ['up/m'], stream: true },
      { headers: as('three') },
    );
    expect(headers).toMatchObject({ 'x-ratelimit-remaining-requests': '2' });
  });

  it('uses one for a request that passes through, and one for a request that fails', async () => {
    upstream.script([{ status: 500 }]);
    expect(
      statuses([
        await pass('three'),
        await native('three'),
        await native('three'),
        await pass('three'),
      ]),
    ).toEqual([500, 502, 502, 429]);
  });

  it('uses none for what is refused before a model is called', async () => {
    for (let n = 0; n < 5; n++) expect((await native('three', { messages: 'x' })).status).toBe(422);
    expect((await native('three')).headers['x-ratelimit-remaining-requests']).toBe('2');
  });

  it('gets exactly as many as it allows of two hundred at the same time', async () => {
    upstream.script([{ delayMs: 20 }]);
    const replies = await times(200, () => native('fifty'));
    expect(statuses(replies).filter((status) => status === 200)).toHaveLength(50);
    expect(statuses(replies).filter((status) => status === 429)).toHaveLength(150);
  });

  it('takes nothing from another key, nor from one without limits', async () => {
    await times(4, () => native('three'));
    const { status, headers } = await native('free');
    expect([status, (await native('fifty')).status]).toEqual([200, 200]);
    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });
});

describe('a key with a limit of tokens', () => {
  it('holds what a request may use and keeps what it has used', async () => {
    for (let n = 0; n < 4; n++)
      expect((await native('words', { maxTokens: 900 })).status).toBe(200);
    const { headers } = await native('words', { maxTokens: 900 });
    // 15 tokens for each of the four before, and what this one holds
    expect(Number(headers['x-ratelimit-remaining-tokens'])).toBeLessThan(100 - 4 * 15);
    expect(Number((await native('words')).headers['x-ratelimit-remaining-tokens'])).toBeGreaterThan(
      1000 - 5 * 15 - 20,
    );
  });

  it('gets 429 for a request that asks for more than is left', async () => {
    expect(await native('words', { maxTokens: 1001 })).toMatchObject({
      status: 429,
      json: {
        message: expect.stringMatching(
          /^limits: this key may use 1000 tokens a minute, 0 are used and this request needs 10\d\d$/,
        ) as string,
      },
    });
    expect(upstream.requests).toHaveLength(0);
    expect(await metricOf(gateway, 'signalbox_limited_total', 'limit="tokens"')).toBe(1);
  });

  it('counts embeddings, and may not use pass-through, which is not counted', async () => {
    expect(
      Number((await embed('words', 'word '.repeat(100))).headers['x-ratelimit-remaining-tokens']),
    ).toBeLessThan(950);
    expect(await pass('words')).toMatchObject({ status: 403 });
  });
});

describe("stages in a host's route", () => {
  const mounted = async (...stages: RequestHandler[]): Promise<Reply[]> => {
    const host = await startHost(
      express()
        .post('/chat', gateway.gateway.authenticate, ...stages)
        .use(gateway.gateway.errorHandler),
    );
    const replies: Reply[] = [];
    for (let n = 0; n < 4; n++)
      replies.push(await post(`${host.url}/chat`, { messages, models: ['up/m'] }, as('three')));
    await host.close();
    return replies;
  };
  const done: RequestHandler = (_req, res) => void res.json({});

  it("are bounded as the gateway's own", async () => {
    expect(statuses(await mounted(gateway.gateway.complete))).toEqual([200, 200, 200, 429]);
  });

  it('are bounded where they only select', async () => {
    expect(statuses(await mounted(gateway.gateway.selectModel, done))).toEqual([
      200, 200, 200, 429,
    ]);
  });

  it('count a request once, however many of them it goes through', async () => {
    expect(statuses(await mounted(gateway.gateway.selectModel, gateway.gateway.complete))).toEqual([
      200, 200, 200, 429,
    ]);
  });
});

describe.skipIf(!redisIsThere)('a limit of two gateways on one Redis', () => {
  it('is no reason for a warning while Redis is there', async () => {
    const redis = await startRedis();
    const { logger, lines } = keepingLogger();
    const sharing = await startGateway(
      { ...configured(), redis: { url: redis?.url ?? '' } },
      { logger },
    );
    try {
      await until(() =>
        lines.some(({ msg }) => msg === 'Redis is available: replicas share limits'),
      );
      expect(lines.filter(({ level }) => Number(level) > logger.levels.values['info']!)).toEqual(
        [],
      );
    } finally {
      await sharing.close();
      await redis?.stop();
    }
  });

  it('holds across both, and falls back to each for itself when Redis is gone', async () => {
    const redis = await startRedis();
    const config = { ...configured(), redis: { url: redis?.url ?? '' } };
    const pair = [await startGateway(config), await startGateway(config)] as const;
    await withinMinute();
    const stateOf = async (at: RunningGateway): Promise<unknown> =>
      (await ask('GET', `${at.url}/readyz`)).json;
    try {
      const replies = await Promise.all(
        Array.from({ length: 200 }, (_, n) => native('fifty', {}, pair[n % 2 === 0 ? 0 : 1])),
      );
      expect(statuses(replies).filter((status) => status === 200)).toHaveLength(50);
      for (const at of pair) expect(await stateOf(at)).toMatchObject({ counters: 'redis' });
      await redis?.stop();
      await until(async () => (await native('three', {}, pair[0])).status === 429);
      expect(await stateOf(pair[0])).toMatchObject({ status: 'ready', counters: 'fallback' });
      expect(await metricOf(pair[0], 'signalbox_counters_fallback')).toBe(1);
      expect((await native('three', {}, pair[1])).status).toBe(200);
    } finally {
      await Promise.all(pair.map((at) => at.close()));
      await redis?.stop();
    }
  });
});
