import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, numberAt, textAt } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { startSearchWorld } from '../helpers/search-world.js';
import { ask as call, post } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream, type UpstreamCall } from '../helpers/upstream.js';
import { ask, type Heard, requestOf, ways, type Way } from '../helpers/ways.js';

const [native, whole, openai, openaiWhole] = ways as readonly [Way, Way, Way, Way];
type Config = NonNullable<Parameters<typeof startGateway>[0]>;
const price = { inputPrice: 1000, outputPrice: 1000, maxOutput: 100 };

let upstream: Upstream;
let gateway: RunningGateway;
/** Where a test's own requests begin. */
let from = 0;
beforeEach(async () => {
  from = 0;
  upstream = await startUpstream({ hasLists: false });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

async function start(config: Config = {}): Promise<void> {
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
  gateway = await startGateway({
    providers: {
      a: { ...up, apiKey: 'key-a' },
      b: { ...up, apiKey: 'key-b' },
      twins: { ...up, apiKeys: ['key-1', 'key-2'] },
    },
    models: {
      'a/m': price,
      'b/n': price,
      'twins/t': price,
      'a/long': { ...price, maxOutput: 10_000 },
    },
    hedge: { maxShare: 1 },
    limits: { maxRetries: 0 },
    ...config,
  });
}

const modelOf = ({ body }: UpstreamCall): string => String(body?.['model']);
/** Answers by model: with its name as the text, unless the step says otherwise. */
const byModel = (steps: Record<string, Step>): void =>
  upstream.script([
    (one) => ({ text: [modelOf(one), '!'], ...steps[modelOf(one)] }) satisfies Step,
  ]);
const calls = (): UpstreamCall[] => upstream.requests.slice(from);
const called = (): string[] => calls().map(modelOf);
const askBoth = (
  way: Way = native,
  more: Record<string, unknown> = {},
  models = ['a/m', 'b/n'],
): Promise<Heard> => ask(gateway, way, { models, more });

/** Twenty answers of a model: its 95th percentile is 100 ms, which nothing local takes. */
async function measure(label = 'a/m', way: Way = native): Promise<void> {
  let n = 0;
  upstream.script([() => ({ delayMs: n++ < 2 ? 100 : 0 })]);
  for (let asked = 0; asked < 20; asked++) await askBoth(way, {}, [label]);
  from = upstream.requests.length;
}

/** The request in the request log, once it is there. */
async function logged({ headers }: Heard): Promise<unknown> {
  const url = `${gateway.url}/api/v1/requests/${String(headers['x-request-id'])}`;
  let reply = await call('GET', url, gateway.auth);
  await until(async () => (reply = await call('GET', url, gateway.auth)).status === 200);
  return reply.json;
}
const hedges = (outcome: string): Promise<number> =>
  metricOf(gateway, 'signalbox_hedges_total', `outcome="${outcome}"`);

const slow: Step = { delayMs: 5_000 };
// late enough that a busy machine measures a percentile below it
const soon: Step = { delayMs: 900 };

describe('a hedged request', () => {
  it.each([
    ['a stream', native],
    ['a whole native answer, which its provider streams', whole],
    ["a stream in OpenAI's dialect", openai],
  ])('is answered by the second model where the first is late: %s', async (_name, way) => {
    await start();
    await measure();
    byModel({ m: slow });
    const heard = await askBoth(way);
    expect(heard).toMatchObject({ ended: 'whole', text: 'n!', errorTrace: [] });
    expect(heard.headers['x-signalbox-hedge']).toBe('b/n');
    expect(called()).toEqual(['m', 'n']);
    await upstream.closed(from);
    expect([await hedges('won'), await hedges('lost')]).toEqual([1, 0]);
  });

  it('keeps the answer of the first model where that has the first content', async () => {
    await start();
    await measure();
    byModel({ m: soon, n: slow });
    expect(await askBoth()).toMatchObject({ ended: 'whole', text: 'm!', errorTrace: [] });
    expect(called()).toEqual(['m', 'n']);
    await upstream.closed(from + 1);
    expect([await hedges('won'), await hedges('lost')]).toEqual([0, 1]);
  });

  it('calls one model where the first is in time', async () => {
    await start();
    await measure();
    byModel({});
    expect(await askBoth()).toMatchObject({ text: 'm!' });
    expect(called()).toEqual(['m']);
  });

  it('uses another key of the provider where the plan has no other model', async () => {
    await start();
    await measure('twins/t');
    let count = 0;
    upstream.script([() => (count++ === 0 ? slow : { text: ['second'] })]);
    expect(await askBoth(native, {}, ['twins/t'])).toMatchObject({ text: 'second' });
    const keys = calls().map(({ headers }) => headers.authorization);
    expect(keys.toSorted()).toEqual(['Bearer key-1', 'Bearer key-2']);
  });

  it('waits for a model with one key and no other model beside it', async () => {
    await start();
    await measure();
    byModel({ m: soon });
    expect(await askBoth(native, {}, ['a/m'])).toMatchObject({ text: 'm!' });
    expect(called()).toEqual(['m']);
  });

  it('is answered by the first model where the second fails', async () => {
    await start();
    await measure();
    byModel({ m: soon, n: { status: 500 } });
    const heard = await askBoth();
    expect(heard).toMatchObject({ text: 'm!', errorTrace: [{ provider: 'b', status: 500 }] });
    expect(await hedges('failed')).toBe(1);
  });

  it('is answered by the second model where the first fails meanwhile', async () => {
    await start();
    await measure();
    byModel({ m: { status: 500, delayMs: 200 }, n: soon });
    const heard = await askBoth();
    expect(heard).toMatchObject({ text: 'n!', errorTrace: [{ provider: 'a', status: 500 }] });
  });

  it('counts no failure where the second call still waits for a slot of its provider', async () => {
    const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
    await start({ providers: { a: up, b: { ...up, maxConcurrent: 1 } } });
    await measure();
    byModel({ m: soon, n: slow });
    const busy = askBoth(native, {}, ['b/n']);
    await upstream.received(from);
    const heard = await askBoth();
    expect(heard).toMatchObject({ text: 'm!', errorTrace: [] });
    expect(heard.headers).not.toHaveProperty('x-signalbox-hedge');
    expect(called()).toEqual(['n', 'm']);
    await gateway.close();
    await busy.catch(() => null);
  });

  it('goes on with the third model where both fail', async () => {
    await start();
    await measure();
    byModel({ m: { status: 500, delayMs: 300 }, n: { status: 500 }, t: {} });
    const heard = await askBoth(native, {}, ['a/m', 'b/n', 'twins/t']);
    expect(heard).toMatchObject({ ended: 'whole', text: 't!' });
    expect(called()).toEqual(['m', 'n', 't']);
    expect(heard.errorTrace.map(({ provider }) => provider)).toEqual(['b', 'a']);
  });

  it('asks the model that had lost again where the winner breaks before its answer is whole', async () => {
    await start();
    await measure();
    let asked = 0;
    upstream.script([
      (one) => {
        if (modelOf(one) === 'n') return { reset: 'afterContent', text: ['half', 'gone'] };
        return asked++ === 0 ? slow : { text: ['after all'] };
      },
    ]);
    const heard = await askBoth(whole);
    expect(heard).toMatchObject({ ended: 'whole', text: 'after all' });
    expect(called()).toEqual(['m', 'n', 'm']);
  });

  it('has both calls cancelled where its client leaves', async () => {
    await start();
    await measure();
    byModel({ m: slow, n: slow });
    const leaving = new AbortController();
    const { url, body } = requestOf(gateway, native, { models: ['a/m', 'b/n'] });
    const left = fetch(url, {
      method: 'POST',
      headers: { ...gateway.auth, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    }).catch(() => null);
    await upstream.received(from + 1);
    leaving.abort();
    await Promise.all([left, upstream.closed(from), upstream.closed(from + 1)]);
    await until(async () => (await hedges('lost')) === 1);
  });

  it('shows both calls in the request log, side by side', async () => {
    await start();
    await measure();
    byModel({ m: slow });
    const row = await logged(await askBoth());
    const [lost, won] = listAt(row, 'attempts');
    expect(lost).toMatchObject({ provider: 'a', outcome: 'hedge_lost', firstContentMs: null });
    expect(won).toMatchObject({ provider: 'b', outcome: 'ok', hedged: true });
    expect(lost).not.toHaveProperty('hedged');
    const began = numberAt(lost, 'startMs');
    expect(numberAt(won, 'startMs')).toBeGreaterThanOrEqual(began + 100);
    expect(numberAt(won, 'startMs')).toBeLessThanOrEqual(began + numberAt(lost, 'latencyMs'));
    expect(row).toMatchObject({ provider: 'b', model: 'n' });
  });

  it('takes no call that lost for a failure of its provider', async () => {
    await start({ breaker: { failures: 1, timeouts: 1 } });
    await measure();
    byModel({ m: slow });
    for (let count = 0; count < 4; count++) expect(await askBoth()).toMatchObject({ text: 'n!' });
    expect(called().filter((model) => model === 'm')).toHaveLength(4);
    const { json } = await call('GET', `${gateway.url}/readyz`, gateway.auth);
    expect(at(json, 'circuits') ?? []).toEqual([]);
    expect(await metricOf(gateway, 'signalbox_fallbacks_total')).toBe(0);
  });
});

describe('one call', () => {
  const once = async (way: Way, more: Record<string, unknown> = {}): Promise<void> => {
    byModel({ m: soon });
    expect(await askBoth(way, more)).toMatchObject({ ended: 'whole', text: 'm!' });
    expect(called()).toEqual(['m']);
  };

  it('is made where hedging is not configured', async () => {
    await start({ hedge: null });
    await measure();
    await once(native);
  });

  it.each([native, openai])('is made where the request says `hedge: false`, $name', async (way) => {
    await start();
    await measure();
    await once(way, { hedge: false });
    expect(calls()[0]?.body).not.toHaveProperty('hedge');
  });

  it.each([
    ['/v1/messages', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 90 }],
    ['/v1/responses', { input: 'Hi' }],
    ['/v1/completions', { prompt: 'Hi' }],
  ])('is made where a request to %s says `hedge: false`', async (path, body) => {
    await start();
    await measure();
    byModel({ m: soon });
    const asked = { ...body, model: 'a/m', fallback_models: ['b/n'], stream: true };
    await post(gateway.url + path, asked, gateway.auth);
    expect(called()).toEqual(['m', 'n']);
    await post(gateway.url + path, { ...asked, hedge: false }, gateway.auth);
    expect(called()).toEqual(['m', 'n', 'm']);
    expect(calls()[2]?.body).not.toHaveProperty('hedge');
  });

  it('is made where the answer comes whole from the provider', async () => {
    await start();
    await measure();
    await once(openaiWhole);
  });

  it('is made where fewer than twenty answers of the model were measured', async () => {
    await start();
    for (let count = 0; count < 19; count++) await askBoth(native, {}, ['a/m']);
    from = upstream.requests.length;
    await once(native);
  });

  it('is made where the gateway searches for the answer', async () => {
    const world = await startSearchWorld();
    await start({ search: { engines: [{ type: 'searxng', url: world.url }] } });
    await measure();
    await once(native, { search: { mode: 'once' } });
    expect(world.queries).toHaveLength(1);
    await world.close();
  });
});

describe('the cost of a hedged request', () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const limited = (dayBudgetUsd: number): Config => ({
    auth: {
      keys: [
        {
          name: 'one',
          key: 'sk_one',
          scopes: ['completions', 'admin'],
          limits: { dayBudgetUsd },
        },
      ],
    },
  });
  /** What its budget has counted, in USD, as the refusal of a request that cannot fit says. */
  async function counted(): Promise<number> {
    const body = { messages, models: ['a/long'], maxTokens: 7_900 };
    const { json } = await post(`${gateway.url}/api/v1/completions`, body, gateway.auth);
    return Number(/([\d.]+) USD are spent/.exec(textAt(json, 'message'))?.[1]);
  }

  it('is that of both calls', async () => {
    await start();
    await measure();
    byModel({ m: slow, n: { usage: { prompt: 10, completion: 5 } } });
    const row = await logged(await askBoth());
    const won = 15 * 0.001;
    const lost = numberAt(row, 'costUsd') - won;
    expect(lost).toBeGreaterThan(0);
    // the prompt of the call that lost is estimated
    expect(numberAt(row, 'estimatedUsd')).toBeCloseTo(lost, 9);
  });

  it('is in the budget to the cent, whoever wins', async () => {
    await start(limited(8.1));
    await measure();
    const before = await spent();
    byModel({ m: slow, n: {} });
    await askBoth(native, { maxTokens: 10 });
    byModel({ m: soon, n: slow });
    await askBoth(native, { maxTokens: 10 });
    expect(called()).toEqual(['m', 'n', 'm', 'n']);
    expect(await spent()).toBeGreaterThan(before);
    expect(await counted()).toBeCloseTo(await spent(), 3);
  });

  it('does not exceed the budget: where there is no room for two calls, one is made', async () => {
    // twenty answers cost 0.3, and a call may cost up to 0.21
    await start(limited(0.6));
    await measure();
    byModel({ m: soon });
    expect(await askBoth()).toMatchObject({ text: 'm!' });
    expect(called()).toEqual(['m']);
    expect(await metricOf(gateway, 'signalbox_limited_total')).toBe(0);
  });

  it('takes nothing of the bounded share, and names no second model, where no call is made', async () => {
    // twenty requests allow one hedge
    await start({ ...limited(0.6), hedge: { maxShare: 0.05 } });
    await measure();
    byModel({ m: soon });
    const { headers } = await askBoth();
    expect(headers).not.toHaveProperty('x-signalbox-hedge');
    const shorter = await askBoth(native, { maxTokens: 5 });
    expect(shorter.headers['x-signalbox-hedge']).toBe('b/n');
    expect(called()).toEqual(['m', 'm', 'n']);
  });

  /** What the request log says of all requests, spent and held, once the last is there. */
  async function spent(): Promise<number> {
    const url = `${gateway.url}/api/v1/requests?limit=100`;
    let items: unknown[] = [];
    const ok = await metricOf(gateway, 'signalbox_request_duration_seconds_count', 'native');
    await until(async () => {
      items = listAt((await call('GET', url, gateway.auth)).json, 'items');
      return items.length >= ok;
    });
    return items.reduce<number>(
      (sum, item) => sum + Number(at(item, 'costUsd') ?? 0) + numberAt(item, 'heldUsd'),
      0,
    );
  }
});
