import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WrittenConfig } from '../../../src/config/shape.js';
import { expectConforms } from '../../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../../helpers/gateway.js';
import { at, listAt, textAt } from '../../helpers/json.js';
import { metricOf } from '../../helpers/metrics.js';
import { ask, post, type Reply } from '../../helpers/sse.js';
import { until } from '../../helpers/until.js';
import {
  startUpstream,
  type Step,
  type Upstream,
  type UpstreamCall,
} from '../../helpers/upstream.js';

const strong = 'up/gpt-4o';
const near = 'up/gpt-4o-mini';
const messages = [{ role: 'user', content: 'Why is the sky blue? Answer in two sentences.' }];
const total = 'signalbox_shadow_requests_total';

let upstream: Upstream;
let gateway: RunningGateway;
beforeEach(async () => {
  upstream = await startUpstream({ hasLists: false });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const start = async (more: WrittenConfig = {}): Promise<void> => {
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: {
      [strong]: { inputPrice: 2.5, outputPrice: 10 },
      [near]: { inputPrice: 0.15, outputPrice: 0.6 },
    },
    routing: { exploration: 0, tolerance: 0.3, learning: false },
    savings: { shadow: 0.1 },
    ...more,
  });
};

const complete = (body: object = {}): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    { messages, models: [strong, near], economy: 10, ...body },
    gateway.auth,
  );
const outcomes = (outcome: string): Promise<number> =>
  metricOf(gateway, total, `outcome="${outcome}"`);
/** Each completion is drawn with a chance of one in ten. */
const completeUntil = (isDone: () => boolean | Promise<boolean>, body?: object): Promise<void> =>
  until(async () => {
    expect((await complete(body)).status).toBe(200);
    return isDone();
  });
const shadowCalls = (): UpstreamCall[] =>
  upstream.requests.filter(({ body }) => body?.['model'] === 'gpt-4o');
const secondModel = (step: Step): void =>
  upstream.script([({ body }): Step => (body?.['model'] === 'gpt-4o' ? step : {})]);
/** Resolves when no second answer is under way: one that was drawn last has been asked for by now. */
const ended = async (outcome: string): Promise<void> => {
  await wait(100);
  await until(async () => (await outcomes(outcome)) === shadowCalls().length);
};
const rows = async (): Promise<readonly unknown[]> => {
  const { json } = await ask('GET', `${gateway.url}/api/v1/requests?limit=100`, gateway.auth);
  return listAt(json, 'items');
};
const rate = async (request_id: string, score: number): Promise<void> => {
  const { status } = await post(
    `${gateway.url}/api/v1/feedback`,
    { request_id, score },
    gateway.auth,
  );
  expect(status).toBe(201);
};
const shadows = async (): Promise<readonly unknown[]> =>
  (await rows()).filter((row) => at(row, 'surface') === 'shadow');

describe('a completion that is drawn', () => {
  it('is answered by a second candidate of the same plan, and logged as such', async () => {
    await start();
    await completeUntil(async () => (await outcomes('answered')) > 0);
    const [shadow] = await shadows();
    const chosen = (await rows()).find(
      (row) => at(row, 'planId') === at(shadow, 'planId') && at(row, 'surface') === 'completions',
    );
    expect(chosen).toMatchObject({ provider: 'up', model: 'gpt-4o-mini', status: 200 });
    expect(shadow).toMatchObject({
      provider: 'up',
      model: 'gpt-4o',
      status: 200,
      promptTokens: 10,
      completionTokens: 5,
      costUsd: (10 * 2.5 + 5 * 10) / 1e6,
      conversationId: null,
      responseId: null,
    });
    const [call] = shadowCalls();
    expect(call?.body).toMatchObject({ messages, max_tokens: expect.any(Number) as number });
    const original = await ask(
      'GET',
      `${gateway.url}/api/v1/requests/${textAt(chosen, 'id')}`,
      gateway.auth,
    );
    expect(original.json).toMatchObject({ shadow: at(shadow, 'id') });
  });

  it('is charged to the account, and stands apart in its request log', async () => {
    await start();
    await completeUntil(async () => (await outcomes('answered')) > 0);
    await ended('answered');
    const usage = await ask('GET', `${gateway.url}/api/v1/usage?by=model`, gateway.auth);
    const charged = listAt(usage.json, 'items').find((row) => at(row, 'model') === 'gpt-4o');
    const count = (await shadows()).length;
    expect(charged).toMatchObject({ requests: count, errors: 0 });
    expect(Number(at(charged, 'costUsd'))).toBeCloseTo((count * 75) / 1e6, 12);
  });

  it('leaves no trace in the conversation', async () => {
    await start();
    let conversation = '';
    await until(async () => {
      const { json } = await complete();
      conversation = textAt(json, 'conversationId');
      return (await outcomes('answered')) > 0;
    });
    const path = `${gateway.url}/api/v1/conversations/${conversation}/messages`;
    const { json } = await ask('GET', path, gateway.auth);
    expect(listAt(json, 'items')).toHaveLength(2);
  });

  it('is answered at once while second models take their time, of which two are asked at most', async () => {
    secondModel({ hang: 'beforeHeaders' });
    await start();
    await completeUntil(async () => (await outcomes('busy')) > 1);
    expect(shadowCalls()).toHaveLength(2);
    expect(await outcomes('answered')).toBe(0);
    const asked = upstream.requests.findIndex(({ body }) => body?.['model'] === 'gpt-4o');
    gateway.gateway.drain();
    await upstream.closed(asked);
    await until(async () => (await outcomes('cancelled')) === 2);
  });

  it('is asked for once: a failure is counted, and not repeated', async () => {
    secondModel({ status: 500 });
    await start();
    await completeUntil(async () => (await outcomes('failed')) > 0);
    // more calls than failures would never become as many
    await ended('failed');
  });

  it('is no pair if its answer is cut at a length that only it had to keep', async () => {
    secondModel({ finish: 'length' });
    await start();
    await completeUntil(async () => (await outcomes('truncated')) > 0);
    expect(await outcomes('answered')).toBe(0);
  });

  it('is not asked for while the day has no room for its longest answer', async () => {
    await start({ savings: { shadow: 0.1, maxUsdPerDay: 0.001 } });
    await completeUntil(async () => (await outcomes('budget')) > 2);
    expect(shadowCalls()).toHaveLength(0);
  });

  it('is not asked for where the account wants none, until it does', async () => {
    await start();
    const path = `${gateway.url}/api/v1/savings/shadowing`;
    const refused = await ask('PUT', path, gateway.auth, { allowed: false });
    expect(refused).toMatchObject({ status: 200 });
    expectConforms('shadowing.response', refused.json);
    expect((await ask('GET', path, gateway.auth)).json).toMatchObject({
      allowed: false,
      share: 0.1,
    });
    await completeUntil(async () => (await outcomes('refused')) > 1);
    expect(shadowCalls()).toHaveLength(0);
    await ask('PUT', path, gateway.auth, { allowed: true });
    await completeUntil(async () => (await outcomes('answered')) > 0);
  });
});

describe('a pair of answers', () => {
  it('can be read where contents are kept, is rated by both answers, and narrows the receipt', async () => {
    secondModel({ text: ['The second ', 'answer'] });
    await start({ requestLog: { content: true } });
    await completeUntil(async () => (await outcomes('answered')) > 4);
    await ended('answered');
    const [shadow] = await shadows();
    const id = textAt(shadow, 'id');
    const read = await ask('GET', `${gateway.url}/api/v1/requests/${id}`, gateway.auth);
    expect(at(read.json, 'content')).toMatchObject({
      messages,
      answer: [{ role: 'assistant', content: 'The second answer' }],
    });
    const savings = async (): Promise<unknown> => {
      const { json } = await ask('GET', `${gateway.url}/api/v1/savings?by=model`, gateway.auth);
      expectConforms('savings.response', json);
      return json;
    };
    const before = await savings();
    const pairs = (await shadows()).length;
    expect(before).toMatchObject({ pairs, ratedPairs: 0 });
    expect(Number(at(before, 'pairsUsd'))).toBeCloseTo((pairs * 75) / 1e6, 9);
    expect(textAt(before, 'summary')).toContain(`${pairs} pairs of answers are not rated`);
    const all = await rows();
    const rated = (await shadows()).slice(0, 5);
    for (const second of rated) {
      const first = all.find(
        (row) => at(row, 'planId') === at(second, 'planId') && at(row, 'surface') !== 'shadow',
      );
      await rate(textAt(second, 'id'), 1);
      await rate(textAt(first, 'id'), 0.3);
    }
    const after = await savings();
    expect(after).toMatchObject({ pairs, ratedPairs: 5, ratings: 10 });
    expect(textAt(after, 'summary')).toContain(
      'narrowed by 10 ratings and 5 pairs of rated answers',
    );
    const given = (json: unknown, end: string): number =>
      Number(at(json, 'best', 'qualityGivenUp', end));
    expect(given(after, 'value')).toBeGreaterThan(given(before, 'value'));
    expect(given(after, 'high') - given(after, 'low')).toBeLessThan(
      given(before, 'high') - given(before, 'low'),
    );
  });
});

/** So many that one of them would be drawn, but for one time in five hundred. */
const many = 60;

describe('a completion', () => {
  it.each<[why: string, body: object]>([
    ['that asks that nothing of it be kept', { store: false }],
    ['that asks for a hash of its content', { hash_content: true }],
    ['that leaves no choice', { models: [strong] }],
  ])('%s is never sent to a second model', async (_why, body) => {
    await start();
    await Promise.all(Array.from({ length: many }, () => complete(body)));
    await until(async () => (await rows()).length === many);
    expect(await shadows()).toEqual([]);
  });

  it('that continues a session, whose content may be hashed, is never sent to a second model', async () => {
    await start();
    const selection = { messages, llm_providers: [{ name: strong }], hash_content: true };
    const { json } = await post(`${gateway.url}/api/v1/model-select`, selection, gateway.auth);
    const body = { previous_session: textAt(json, 'session_id') };
    await Promise.all(Array.from({ length: many }, () => complete(body)));
    await until(async () => (await rows()).length === many + 1);
    expect(await shadows()).toEqual([]);
  });

  it('is never sent to a second model while half of a limit of its key is used', async () => {
    const keys = [{ name: 'poor', key: 'sk_poor', limits: { dayBudgetUsd: 0.003 } }];
    await start({ auth: { keys: [...keys, { name: 'admin', key: 'sk_admin' }] } });
    for (let times = 0; times < many; times++)
      expect((await complete({ maxTokens: 150 })).status).toBe(200);
    expect(shadowCalls()).toHaveLength(0);
  });

  it('is never sent to a second model unless the configuration says so', async () => {
    await start({ savings: {} });
    await Promise.all(Array.from({ length: many }, () => complete()));
    await until(async () => (await rows()).length === many);
    expect(await shadows()).toEqual([]);
  });
});
