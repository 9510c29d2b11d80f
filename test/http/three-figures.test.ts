import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Step, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Say hello' }];
const key = (name: string, limits: object) => ({
  name,
  key: `sk_${name}`,
  scopes: ['completions' as const, 'admin' as const],
  limits,
});
let upstream: Upstream;
let gateway: RunningGateway;

const configured = (provider: object = {}): NonNullable<Parameters<typeof startGateway>[0]> => ({
  auth: {
    keys: [
      key('free', {}),
      key('bound', { dayBudgetUsd: 100 }),
      // for two answers of a hundred tokens
      key('tight', { dayBudgetUsd: 0.25 }),
    ],
  },
  providers: {
    up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, ...provider },
  },
  models: {
    'up/m': { inputPrice: 1, outputPrice: 1000, maxOutput: 32_768 },
    'up/dear': { inputPrice: 1000, outputPrice: 1000, maxOutput: 1_000 },
  },
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
const metric = (name: string): Promise<number> => metricOf(gateway, name);
const native = (name: string, more: object = {}): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    { messages, models: ['up/m'], maxTokens: 100, ...more },
    as(name),
  );
const openai = (name: string, more: object = {}): Promise<Reply> =>
  post(`${gateway.url}/v1/chat/completions`, { messages, model: 'up/m', ...more }, as(name));

/** The figures of the newest request of a key in the request log, once it is there. */
async function logged(
  name: string,
): Promise<{ cost: number | null; estimated: number; held: number }> {
  const url = `${gateway.url}/api/v1/requests?limit=1`;
  let row: unknown;
  await until(async () => {
    row = listAt((await ask('GET', url, as(name))).json, 'items')[0];
    return row !== undefined;
  });
  const { costUsd, estimatedUsd, heldUsd } = row as Record<string, number>;
  return { cost: costUsd ?? null, estimated: estimatedUsd!, held: heldUsd! };
}

/** A client that hangs up as soon as the provider has its request. */
async function leaveAtOnce(name: string, more: object = {}): Promise<void> {
  const leaving = new AbortController();
  const before = upstream.requests.length;
  const left = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...as(name), 'content-type': 'application/json' },
    body: JSON.stringify({ messages, model: 'up/m', ...more }),
    signal: leaving.signal,
  }).catch(() => null);
  await Promise.race([upstream.received(before), left]);
  leaving.abort();
  await left;
}

const cutAfterText: Step = { reset: 'afterContent', text: ['Hello there, '] };

describe('a stream that was cut', () => {
  it('costs the same with a budget and without, and only the budget holds more', async () => {
    upstream.script([cutAfterText]);
    await native('free', { stream: true, maxTokens: null });
    await native('bound', { stream: true, maxTokens: null });
    const [free, bound] = [await logged('free'), await logged('bound')];
    expect(free.cost).toBeGreaterThan(0);
    expect(free).toEqual({ cost: free.cost, estimated: free.cost, held: 0 });
    expect(bound).toMatchObject({ cost: free.cost, estimated: free.cost });
    expect(bound.held).toBeGreaterThan(0.2);
  });

  it('holds what can have been written by then, not the longest answer', async () => {
    upstream.script([cutAfterText]);
    await native('bound', { stream: true, maxTokens: null });
    const { held } = await logged('bound');
    // 32,768 tokens would be 32.77 USD
    expect(held).toBeLessThan(10);
  });

  it('is billed by its usage where that came before the cut', async () => {
    upstream.script([
      { text: ['Hello'], usage: { prompt: 10, completion: 20 }, endWithoutMarker: 'afterFinish' },
    ]);
    await native('bound', { stream: true });
    expect(await logged('bound')).toEqual({
      cost: expect.closeTo(0.02001, 9) as number,
      estimated: 0,
      held: 0,
    });
  });
});

describe('a client that hangs up', () => {
  it('costs the prompt, and what may have been written is held', async () => {
    upstream.script([{ hang: 'beforeHeaders' }]);
    await leaveAtOnce('bound', { max_tokens: 100 });
    const { cost, estimated, held } = await logged('bound');
    expect(cost).toBeGreaterThan(0);
    expect(cost).toBeLessThan(0.001);
    expect(estimated).toBe(cost);
    expect(held + (cost ?? 0)).toBeGreaterThan(0.1);
    await leaveAtOnce('free', { max_tokens: 100 });
    expect(await logged('free')).toEqual({ cost, estimated, held: 0 });
  });

  it('a hundred times spends no more than the budget, with what is held', async () => {
    upstream.script([{ hang: 'beforeHeaders' }]);
    for (let n = 0; n < 10; n++)
      await Promise.all(
        Array.from({ length: 10 }, () => leaveAtOnce('tight', { max_tokens: 100 })),
      );
    const charged = async (): Promise<number> =>
      (await metric('signalbox_cost_usd_total')) + (await metric('signalbox_held_usd_total'));
    await until(async () => (await charged()) > 0.2);
    expect(await charged()).toBeLessThanOrEqual(0.25);
    expect(upstream.requests).toHaveLength(2);
  });

  it('gets back what is held after the time after which its provider bills nothing', async () => {
    await gateway.close();
    gateway = await startGateway(configured({ cutCallHoldMs: 80 }));
    upstream.script([{ hang: 'beforeHeaders' }, { hang: 'beforeHeaders' }, {}]);
    await leaveAtOnce('tight', { max_tokens: 100 });
    await leaveAtOnce('tight', { max_tokens: 100 });
    await until(async () => (await native('tight')).status === 200);
    expect(await metric('signalbox_held_usd_total')).toBe(0);
    expect(await metric('signalbox_limited_total')).toBeGreaterThan(0);
  });
});

describe('the three figures', () => {
  it('are in the request log, the sums, both exports and the metrics alike', async () => {
    upstream.script([cutAfterText]);
    await native('bound', { stream: true });
    const { cost, estimated, held } = await logged('bound');
    const read = async (path: string): Promise<Reply> =>
      ask('GET', `${gateway.url}${path}`, as('bound'));
    const id = textAt((await read('/api/v1/requests?limit=1')).json, 'items', 0, 'id');
    const figures = { costUsd: cost, estimatedUsd: estimated, heldUsd: held };
    expect((await read(`/api/v1/requests/${id}`)).json).toMatchObject(figures);
    const round = (usd: number | null): number => Math.round((usd ?? 0) * 1e9) / 1e9;
    const sums = { costUsd: round(cost), estimatedUsd: round(estimated), heldUsd: round(held) };
    expect(at((await read('/api/v1/usage?by=key')).json, 'items', 0)).toMatchObject(sums);
    expect(at((await read('/api/v1/usage/series')).json, 'totals')).toMatchObject(sums);
    expect((await read('/api/v1/requests?format=csv')).text).toContain(
      `${cost},${estimated},${held}`,
    );
    expect((await read('/api/v1/usage?format=csv')).text).toContain(
      `${sums.costUsd},${sums.estimatedUsd},${sums.heldUsd}`,
    );
    expect(await metric('signalbox_cost_usd_total')).toBeCloseTo(cost ?? 0, 9);
    expect(await metric('signalbox_estimated_usd_total')).toBeCloseTo(estimated, 9);
    expect(await metric('signalbox_held_usd_total')).toBeCloseTo(held, 9);
  });

  it('of an answer without usage are an estimate, and a hold where there is a budget', async () => {
    upstream.script([{ usage: null, text: ['Hello'] }]);
    await native('bound');
    const { cost, estimated, held } = await logged('bound');
    expect(estimated).toBe(cost);
    expect(held).toBeGreaterThan(0.09);
  });
});

describe('a budget that is too small for one call', () => {
  it('says what the call needs, and which length fits', async () => {
    const refused = await native('tight', { maxTokens: null });
    expect(refused).toMatchObject({ status: 402, headers: { 'x-should-retry': 'false' } });
    const [, fits] = /with `max_tokens` \(`maxTokens`\) of at most (\d+) it does$/.exec(
      textAt(refused.json, 'message'),
    ) ?? [null, ''];
    expect(textAt(refused.json, 'message')).toMatch(
      /^limits: this key may spend 0\.25 USD a day \(UTC\), and this request may cost up to 32\.76\d* USD/,
    );
    expect(refused.headers['retry-after']).toBeUndefined();
    expect((await native('tight', { maxTokens: Number(fits) + 1 })).status).toBe(402);
    expect((await native('tight', { maxTokens: Number(fits) })).status).toBe(200);
  });

  it('says so in the words of OpenAI, whose clients do not try again', async () => {
    expect(await openai('tight')).toMatchObject({
      status: 402,
      json: { error: { type: 'insufficient_quota', code: 'budget_too_small' } },
    });
    expect(upstream.requests).toEqual([]);
  });

  it('says that no length fits where the prompt alone is too dear', async () => {
    const { status, json } = await native('tight', {
      models: ['up/dear'],
      messages: [{ role: 'user', content: 'word '.repeat(100) }],
    });
    expect(status).toBe(402);
    expect(textAt(json, 'message')).toMatch(/not even without an answer: 0 tokens/);
  });
});
