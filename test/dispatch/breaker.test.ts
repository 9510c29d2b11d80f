import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Breaker, type BreakerRules, type CircuitChange } from '../../src/dispatch/breaker.js';
import { GatewayError } from '../../src/errors.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at } from '../helpers/json.js';
import { ask as call, post } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream, type UpstreamCall } from '../helpers/upstream.js';
import { ask, type Heard, ways, type Way } from '../helpers/ways.js';

const native = ways[0] as Way;

let upstream: Upstream;
let gateway: RunningGateway;
const gateways: RunningGateway[] = [];
beforeEach(async () => {
  upstream = await startUpstream({ hasLists: false });
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((one) => one.close()));
  await upstream.close();
});

type Config = NonNullable<Parameters<typeof startGateway>[0]>;

async function start(config: Config = {}): Promise<void> {
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKey: 'key-a' };
  gateway = await startGateway({
    providers: { a: up, b: { ...up, apiKey: 'key-b' } },
    models: Object.fromEntries(['a/m', 'a/other', 'b/n'].map((label) => [label, price])),
    aliases: { both: ['a/m', 'b/n'] },
    ...config,
  });
  gateways.push(gateway);
}
const price = { inputPrice: 1, outputPrice: 1 };
const modelOf = ({ body }: UpstreamCall): unknown => body?.['model'];
const callsOf = (model: string): number =>
  upstream.requests.filter((one) => modelOf(one) === model).length;
/** Answers by model; others get a good answer. */
const byModel = (steps: Record<string, Step>): void =>
  upstream.script([(one) => steps[String(modelOf(one))] ?? {}]);
const askBoth = (more: Record<string, unknown> = {}, models = ['a/m', 'b/n']): Promise<Heard> =>
  ask(gateway, native, { models, more: { order: 'given', ...more } });
const times = async (count: number, more?: Record<string, unknown>): Promise<void> => {
  for (let n = 0; n < count; n++)
    expect(await askBoth(more)).toMatchObject({ ended: 'whole', model: 'n' });
};
const broken: Step = { status: 500, headers: { 'retry-after-ms': '1' } };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const circuits = async (): Promise<unknown> =>
  at((await call('GET', `${gateway.url}/readyz`, gateway.auth)).json, 'circuits');

describe('a provider that answers 500 to everything', () => {
  it('is called five times in 20 requests whose order is given', async () => {
    await start();
    byModel({ m: broken });
    await times(20);
    expect(callsOf('m')).toBe(5);
    expect(callsOf('n')).toBe(20);
  });

  it('costs the turns of an agent its threshold, not three calls each', async () => {
    await start();
    byModel({ m: { status: 503, headers: { 'retry-after-ms': '1' } } });
    for (let turn = 0; turn < 10; turn++) {
      const { status } = await post(
        `${gateway.url}/v1/messages`,
        { model: 'both', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
        gateway.auth,
      );
      expect(status).toBe(200);
    }
    expect(callsOf('m')).toBeLessThanOrEqual(5);
  });

  it.each([
    ['fallback_models', { models: ['a/m'], fallback_models: ['b/n'] }],
    ['an alias', { models: ['both'], order: 'given' }],
    ['ranked models', { models: ['a/m', 'b/n'] }],
  ])('is set aside for %s too', async (_name, body) => {
    await start();
    byModel({ m: broken });
    await times(2);
    upstream.requests.length = 0;
    const messages = [{ role: 'user', content: 'Hi' }];
    for (let n = 0; n < 3; n++)
      await post(`${gateway.url}/api/v1/completions`, { messages, ...body }, gateway.auth);
    expect([callsOf('m'), callsOf('n')]).toEqual([0, 3]);
  });

  it('is explained: in the error trace, in the request log and on /readyz', async () => {
    await start();
    byModel({ m: broken });
    await times(2);
    const { errorTrace } = await askBoth();
    expect(errorTrace).toEqual([
      {
        provider: 'a',
        model: 'm',
        error: expect.stringMatching(
          /^set aside until \d{4}-.*Z after earlier failures \(upstream_error, status 500\)$/,
        ) as string,
        status: null,
        attempt: 0,
        latency: 0,
      },
    ]);
    expect(await circuits()).toEqual([{ provider: 'a', model: 'm', key: '', state: 'open' }]);
    const metrics = await call('GET', `${gateway.url}/metrics`);
    expect(metrics.text).toContain('signalbox_circuit_state{provider="a",model="m",key=""} 2');
  });

  it('is asked again by one request at a time, and comes first again once it answers', async () => {
    const longMs = 1_000;
    await start({ breaker: { openMs: longMs } });
    byModel({ m: broken });
    await times(2);
    await pause(longMs + 10);
    upstream.requests.length = 0;
    byModel({ m: { ...broken, delayMs: 50 } });
    await Promise.all(Array.from({ length: 20 }, () => times(1)));
    expect(callsOf('m')).toBe(1);
    byModel({});
    // it failed the trial, so it is open for twice as long
    await times(1);
    await until(async () => (await askBoth()).model === 'm');
    expect(await circuits()).toEqual([]);
  });

  it('is tried although it is open where nothing else is left, the least bad first', async () => {
    await start();
    byModel({ m: broken, n: broken });
    for (let n = 0; n < 3; n++) expect(await askBoth()).toMatchObject({ status: 502 });
    upstream.requests.length = 0;
    byModel({ n: broken });
    expect(await askBoth()).toMatchObject({ ended: 'whole', model: 'm' });
    expect(await circuits()).toMatchObject([{ provider: 'b' }]);
  });

  it('keeps the retries of a request that names no other model', async () => {
    await start();
    byModel({ m: broken });
    for (let n = 0; n < 4; n++) await askBoth({ maxRetries: 2 }, ['a/m']);
    expect(callsOf('m')).toBe(12);
  });

  it('may be left alone: `breaker.enabled: false`', async () => {
    await start({ breaker: { enabled: false } });
    byModel({ m: broken });
    await times(4);
    expect(callsOf('m')).toBe(12);
  });
});

describe('a client’s mistakes', () => {
  it.each([400, 404, 422])('of status %i set nothing aside', async (status) => {
    await start();
    byModel({ m: { status } });
    await times(8);
    expect(callsOf('m')).toBe(8);
    expect(await circuits()).toEqual([]);
  });
});

describe('a rate limit of 30 s at a single key', () => {
  const limited: Step = { status: 429, headers: { 'retry-after': '30' } };

  it('is honoured by the requests that follow', async () => {
    await start();
    byModel({ m: limited });
    await times(20);
    expect(callsOf('m')).toBe(1);
    expect(await circuits()).toMatchObject([{ provider: 'a', model: 'm', key: '1' }]);
  });

  it('leaves other models of the provider alone', async () => {
    await start();
    byModel({ m: limited });
    await times(1);
    expect(await askBoth({}, ['a/other', 'b/n'])).toMatchObject({ model: 'other' });
  });

  it('is over when the provider, asked as a last resort, answers', async () => {
    await start();
    byModel({ m: limited });
    await times(1);
    byModel({ n: { status: 400 } });
    expect(await askBoth()).toMatchObject({ model: 'm' });
    expect(await circuits()).toEqual([]);
  });
});

describe('a provider that hangs', () => {
  it('costs two requests their timeout, not all of them', async () => {
    const timeouts = { firstEventMs: 80 };
    const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
    await start({ providers: { a: { ...up, timeouts }, b: up } });
    byModel({ m: { hang: 'beforeHeaders' } });
    await times(6);
    expect(callsOf('m')).toBe(2);
  });

  it('is set aside as a whole after two of its models hung', async () => {
    const timeouts = { firstEventMs: 80 };
    const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
    await start({ providers: { a: { ...up, timeouts }, b: up } });
    const hang: Step = { hang: 'beforeHeaders' };
    byModel({ m: hang, m2: hang, m3: hang, m4: hang });
    const heard = await askBoth({}, ['a/m', 'a/m2', 'a/m3', 'a/m4', 'b/n']);
    expect(heard).toMatchObject({ ended: 'whole', model: 'n' });
    expect(['m', 'm2', 'm3', 'm4'].map(callsOf)).toEqual([1, 1, 0, 0]);
    expect(await circuits()).toContainEqual({ provider: 'a', model: '*', key: '', state: 'open' });
  });
});

describe('a wait that does not fit into the deadline', () => {
  it('is not waited for: the next model is asked at once', async () => {
    await start({ limits: { totalTimeoutMs: 5_000 } });
    byModel({ m: { status: 429, headers: { 'retry-after': '6' } } });
    const startedAt = performance.now();
    await times(1);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe('the breaker', () => {
  const rules: BreakerRules = {
    enabled: true,
    failures: 3,
    timeouts: 2,
    openMs: 1_000,
    maxOpenMs: 3_000,
  };
  const failure = new GatewayError('upstream_error', 'a answered 500', { upstreamStatus: 500 });
  let now = 0;
  const made = (report?: (change: CircuitChange) => void): Breaker => {
    now = 1_000_000;
    return new Breaker(rules, report, () => now);
  };
  const fail = (breaker: Breaker, count = 1, error = failure): void => {
    for (let n = 0; n < count; n++) breaker.failed('m', error, true, false);
  };

  it('opens for twice as long after each trial that fails, up to a maximum', () => {
    const breaker = made();
    fail(breaker, 3);
    for (const forMs of [1_000, 2_000, 3_000, 3_000]) {
      expect(breaker.demotion('m', [])).toEqual({
        code: 'upstream_error',
        status: 500,
        until: now + forMs,
      });
      now += forMs;
      expect(breaker.demotion('m', [])).toBeNull();
      expect(breaker.begin('m', 60_000)).toMatchObject([{ model: 'm' }]);
      expect(breaker.begin('m', 60_000)).toEqual([]);
      fail(breaker);
    }
  });

  it('lets another request try where the first has shown nothing', () => {
    const breaker = made();
    fail(breaker, 3);
    now += 1_000;
    const probe = breaker.begin('m', 60_000);
    expect(breaker.demotion('m', [])).not.toBeNull();
    breaker.release(probe ?? []);
    expect(breaker.demotion('m', [])).toBeNull();
    expect(breaker.begin('m', 60_000)).toMatchObject([{ model: 'm' }]);
  });

  it('lets one request probe a provider, also where calls of other models of it end', () => {
    const breaker = made();
    const away = new GatewayError('connection_failed', 'a cannot be reached');
    for (const model of ['m', 'm', 'm', 'other', 'other', 'other'])
      breaker.failed(model, away, false, false);
    now += 3_000;
    // the first probes the provider and its own circuit, the second its own alone
    expect(breaker.begin('m', 60_000)).toMatchObject([{ model: '' }, { model: 'm' }]);
    const second = breaker.begin('other', 60_000);
    expect(second).toMatchObject([{ model: 'other' }]);
    breaker.release(second ?? []);
    expect(breaker.begin('third', 60_000)).toEqual([]);
    expect(breaker.begin('other', 60_000)).toMatchObject([{ model: 'other' }]);
  });

  it('lets a request whose lease is over end no later probe', () => {
    const breaker = made();
    fail(breaker, 3);
    now += 1_000;
    const first = breaker.begin('m', 5_000);
    now += 5_000;
    expect(breaker.begin('m', 5_000)).toMatchObject([{ model: 'm' }]);
    breaker.release(first ?? []);
    expect(breaker.begin('m', 5_000)).toEqual([]);
  });

  it('counts failures in a row alone', () => {
    const breaker = made();
    for (let n = 0; n < 5; n++) {
      fail(breaker, 2);
      breaker.succeeded('m', '', false, 0);
    }
    expect(breaker.isCalm).toBe(true);
    fail(breaker, 2);
    now += 600_000;
    fail(breaker, 2);
    expect(breaker.demotion('m', [])).toBeNull();
  });

  it('opens at once for a longer wait that the provider asks for', () => {
    const breaker = made();
    const away = new GatewayError('upstream_overloaded', 'away', { retryAfterMs: 30_000 });
    fail(breaker, 1, away);
    expect(breaker.demotion('m', [])).toMatchObject({ until: now + 30_000 });
  });

  it('ends a key’s rest for a model with a rate limit that names no wait later each time', () => {
    const breaker = made();
    const limit = new GatewayError('rate_limited', 'slow down', { upstreamStatus: 429 });
    for (const forMs of [1_000, 2_000, 4_000]) {
      breaker.rest('m', 'k', limit);
      breaker.rest('m', 'k', limit);
      expect(breaker.demotion('m', ['k'])).toMatchObject({ until: now + forMs });
      expect(breaker.demotion('m', ['k', 'free'])).toBeNull();
      expect(breaker.demotion('other', ['k'])).toBeNull();
      now += forMs;
    }
  });

  it('tells other replicas what opened, is tried and closed', () => {
    const there = made();
    const told: CircuitChange[] = [];
    const here = made((change) => {
      told.push(change);
      there.apply(change, 0);
    });
    fail(here, 3);
    expect(there.demotion('m', [])).toEqual(here.demotion('m', []));
    now += 1_000;
    here.begin('m', 60_000);
    expect(there.demotion('m', [])).not.toBeNull();
    here.succeeded('m', '', true, 0);
    expect(there.isCalm).toBe(true);
    expect(told.map(({ forMs }) => forMs)).toEqual([1_000, 60_000, null]);
  });
});
