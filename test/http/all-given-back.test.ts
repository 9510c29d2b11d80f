import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { seeded } from '../../src/chooser/training/custom/bootstrap.js';
import { resolveConfig, type WrittenConfig } from '../../src/config/config.js';
import { rules } from '../../src/gateway.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, numberAt, textAt } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { ask, post, postStream } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const price = { inputPrice: 1000, outputPrice: 1000, maxOutput: 100 };
const names = ['one', 'two', 'three'] as const;
const headersOf = (name: string): Record<string, string> => ({
  authorization: `Bearer sk_${name}`,
});
const messages = [{ role: 'user', content: 'Hi' }];

let upstream: Upstream;
let gateway: RunningGateway;

/** Every bound is tight, so that most requests meet several of them. */
const configured = (more: object = {}): WrittenConfig => {
  const up = {
    api: 'openai-compatible',
    baseUrl: `${upstream.url}/v1`,
    timeouts: { firstEventMs: 200, idleMs: 150 },
  };
  return {
    auth: {
      keys: names.map((name, index) => ({
        name,
        key: `sk_${name}`,
        weight: index + 1,
        scopes: ['completions' as const, 'admin' as const],
        limits: { dayBudgetUsd: 100, requestsPerMinute: 10_000 },
      })),
    },
    providers: {
      a: { ...up, maxConcurrent: 2, apiKeys: ['k1', 'k2'] },
      b: { ...up, maxConcurrent: 2 },
      c: up,
    },
    models: {
      'a/m': price,
      'b/m': price,
      'c/m': price,
      'c/long': { ...price, maxOutput: 1_000_000 },
    },
    hedge: { maxShare: 1, afterPercentile: 50 },
    breaker: { openMs: 100, maxOpenMs: 200 },
    ...more,
    limits: {
      maxConcurrent: 6,
      maxAccountConcurrent: 4,
      maxQueueMs: 80,
      maxRetries: 1,
      resumeMs: 100,
      onBrokenStream: 'continue',
      maxLoopDelayMs: 0,
      ...('limits' in more ? (more.limits as object) : {}),
    },
  };
};

beforeEach(async () => {
  upstream = await startUpstream({ hasLists: false });
  gateway = await startGateway(configured());
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const surfaces = [
  ['/api/v1/completions', { messages, models: ['a/m'], fallback_models: ['b/m', 'c/m'] }],
  ['/api/v1/completions', { messages, models: ['b/m', 'a/m'] }],
  ['/v1/chat/completions', { messages, model: 'a/m', models: ['a/m', 'c/m'] }],
  ['/v1/messages', { messages, model: 'b/m', max_tokens: 50 }],
  ['/v1/responses', { input: 'Hi', model: 'a/m' }],
] as const;

/** What a provider does with one call. */
function anyStep(random: () => number): Step {
  const any = <T>(...choices: T[]): T => choices[Math.floor(random() * choices.length)]!;
  const text = ['One ', 'two ', 'three.'];
  return any<Step>(
    { text, delayMs: random() * 60 },
    { text, betweenMs: random() * 60 },
    { text, delayMs: 100, betweenMs: 20 },
    { status: any(429, 500, 503, 529) },
    { hang: any('beforeHeaders', 'afterHeaders', 'afterContent'), text },
    { reset: any('beforeHeaders', 'afterHeaders', 'afterContent', 'halfFrame'), text },
    { garbage: true },
  );
}

/** Sends a request whose client stays or leaves after some time. */
async function anyRequest(random: () => number, index: number): Promise<void> {
  const [path, body] = surfaces[Math.floor(random() * surfaces.length)]!;
  const leaving = new AbortController();
  const leavesAfterMs = random() * 300;
  const timer = random() < 0.5 ? setTimeout(() => leaving.abort(), leavesAfterMs) : undefined;
  const headers = headersOf(names[index % 3]!);
  if (random() < 0.2) headers['idempotency-key'] = `k${index % 10}`;
  await postStream(
    `${gateway.url}${path}`,
    { ...body, stream: random() < 0.7, ...(random() < 0.1 ? { hedge: false } : {}) },
    { headers, signal: leaving.signal },
  ).catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  clearTimeout(timer);
}

/** What the budget of a key has counted, in USD, as the refusal of a request that cannot fit says. */
async function counted(name: string): Promise<number> {
  const body = { messages, models: ['c/long'], maxTokens: 99_500 };
  const { json } = await post(`${gateway.url}/api/v1/completions`, body, headersOf(name));
  return Number(/([\d.]+) USD are spent/.exec(textAt(json, 'message'))?.[1]);
}

/** What the request log says of all requests of a key, spent and held. */
async function logged(name: string): Promise<number> {
  const items: unknown[] = [];
  for (let cursor = ''; ;) {
    const url = `${gateway.url}/api/v1/requests?limit=100${cursor}`;
    const { json } = await ask('GET', url, headersOf(name));
    items.push(...listAt(json, 'items'));
    const next = at(json, 'nextCursor');
    if (typeof next !== 'string') break;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
  return items.reduce<number>(
    (sum, item) => sum + Number(at(item, 'costUsd') ?? 0) + numberAt(item, 'heldUsd'),
    0,
  );
}

/** As many calls as all slots allow are with their providers at once. */
async function fillAllSlots(): Promise<void> {
  upstream.script([{ hang: 'beforeHeaders' }]);
  // a call of before, whose client has left, may still go on to another provider
  const filling = [{ role: 'user', content: 'Fill' }];
  const calls = (): number =>
    upstream.requests.filter(({ body }) => isDeepStrictEqual(at(body, 'messages'), filling)).length;
  const leaving = new AbortController();
  const running = ['a/m', 'a/m', 'b/m', 'b/m', 'c/m', 'c/m'].map((model, index) =>
    postStream(
      `${gateway.url}/v1/chat/completions`,
      { model, messages: filling },
      { headers: headersOf(names[index % 3]!), signal: leaving.signal },
    ).catch(() => undefined),
  );
  await until(() => calls() === running.length);
  leaving.abort();
  await Promise.all(running);
}

const isCalm = async (): Promise<boolean> => {
  const gauges = ['requests_in_progress', 'streams_open', 'queue_length'];
  const values = gauges.map((name) => metricOf(gateway, `signalbox_${name}`));
  return (await Promise.all(values)).every((value) => value === 0);
};
const timers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe.each([1, 2, 3])('after requests that end in every way at any time, seed %i', (seed) => {
  it('all slots, reservations, timers and gauges are given back', async () => {
    const random = seeded(seed);
    const idle = timers();
    upstream.script([() => anyStep(random)]);
    for (let round = 0; round < 6; round++) {
      const sent = Array.from({ length: 40 }, (_, index) => anyRequest(random, index));
      // bounds change while requests wait for them
      if (round === 3) {
        const tighter = configured({ limits: { maxConcurrent: 2, maxQueueMs: 300 } });
        gateway.gateway.reconfigure(resolveConfig(tighter, {}, rules));
      }
      if (round === 4) gateway.gateway.reconfigure(resolveConfig(configured(), {}, rules));
      await Promise.all(sent);
    }
    await until(isCalm);
    // open circuits would lead the calls elsewhere
    const calm = configured({ breaker: { enabled: false }, limits: { maxRetries: 0 } });
    const providers = Object.fromEntries(
      Object.entries(calm.providers ?? {}).map(([name, provider]) => [
        name,
        { ...provider, timeouts: { firstEventMs: 30_000 } },
      ]),
    );
    gateway.gateway.reconfigure(resolveConfig({ ...calm, providers }, {}, rules));
    await fillAllSlots();
    await until(isCalm);
    for (const name of names)
      await until(async () => Math.abs((await counted(name)) - (await logged(name))) < 0.01);
    await until(() => timers() <= idle);
  }, 120_000);
});
