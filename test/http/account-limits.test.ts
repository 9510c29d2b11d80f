import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyFor } from '../../src/accounts/first-key.js';
import type { KeyLimits } from '../../src/store/contracts/accounts.js';
import type { NewKey } from '../../src/store/contracts/keys.js';
import type { Store } from '../../src/store/contracts/store.js';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt } from '../helpers/json.js';
import { redisIsThere, startRedis } from '../helpers/redis.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { libsqlPlace, type Place } from '../helpers/stores.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let place: Place;
let store: Store;
const gateways: RunningGateway[] = [];
beforeEach(async () => {
  upstream = await startUpstream();
  // an answer costs 0.01 USD
  upstream.script([{ usage: { prompt: 10, completion: 10 } }]);
  place = libsqlPlace();
  store = await place.open();
  await store.accounts.create({ id: accountId, email: 'm@a.org', passwordHash: null, at: 2 });
  await store.keys.add(keyFor(firstAccountId, 'admin', 'sk_admin'));
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
  await place.remove();
  await upstream.close();
});

const firstAccountId = '00000000-0000-4000-8000-000000000001';
const accountId = '7c2f7a2e-3c4b-4f0e-8a53-0d4f9f1c2b11';

/** A gateway with the database of this test. */
async function started(redisUrl: string | null = null): Promise<RunningGateway> {
  const gateway = await startGateway({
    auth: { keys: [] },
    database: { url: place.url },
    ...(redisUrl === null ? {} : { redis: { url: redisUrl } }),
    providers: {
      up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, allowProxy: true },
    },
    models: {
      'up/m': { inputPrice: 0, outputPrice: 1000 },
      'up/embedding': { inputPrice: 1, outputPrice: 0 },
    },
    limits: { maxRetries: 0 },
  });
  gateways.push(gateway);
  return gateway;
}

const as = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });
const native = (gateway: RunningGateway, key: string, more: object = {}): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    { messages: [{ role: 'user', content: 'Hi' }], models: ['up/m'], maxTokens: 10, ...more },
    as(key),
  );
const bound = (limits: Partial<KeyLimits>): Promise<unknown> =>
  store.accounts.update(accountId, { limits });
const change = (gateway: RunningGateway, limits: Partial<KeyLimits> | null): Promise<Reply> =>
  ask('PATCH', `${gateway.url}/api/v1/accounts/${accountId}`, as('sk_admin'), { limits });
const addKey = (key: string, more: Partial<NewKey> = {}): Promise<unknown> =>
  store.keys.add(keyFor(accountId, key, key, more));
async function addKeys(count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, index) => `sk_number_${index}`);
  for (const key of keys) await addKey(key);
  return keys;
}
const answered = (replies: readonly Reply[]): number =>
  replies.filter(({ status }) => status === 200).length;

describe('the budget of an account', () => {
  it.each([
    ['in memory', false],
    ['of two gateways on one Redis', true],
  ])('bounds the sum of ten keys at once, %s', async (_where, shared) => {
    if (shared && !redisIsThere) return;
    const redis = shared ? await startRedis() : null;
    try {
      await bound({ dayBudgetUsd: 0.25 });
      const keys = await addKeys(10);
      const url = redis?.url ?? null;
      const replicas = shared ? [await started(url), await started(url)] : [await started()];
      // each key is looked up once, before all of them ask at the same time
      for (const { url: base } of replicas)
        for (const key of keys) await ask('GET', `${base}/v1/models`, as(key));
      const replies = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          native(replicas[index % replicas.length]!, keys[index % 10]!),
        ),
      );
      expect(answered(replies)).toBe(25);
      expect(replies.filter(({ status }) => status === 429)).toHaveLength(75);
      expect(upstream.requests.filter(({ method }) => method === 'POST')).toHaveLength(25);
    } finally {
      await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
      await redis?.stop();
    }
  });

  it('counts what all its keys have spent before a restart, and not what others have', async () => {
    const keys = await addKeys(2);
    const before = await started();
    await bound({ dayBudgetUsd: 100 });
    const replies = await Promise.all([
      ...keys.flatMap((key) => [native(before, key), native(before, key)]),
      native(before, 'sk_admin'),
    ]);
    expect(answered(replies)).toBe(5);
    await gateways.pop()?.close();
    await bound({ dayBudgetUsd: 0.05 });
    const after = await started();
    expect((await native(after, keys[0]!)).status).toBe(200);
    expect(await native(after, keys[1]!)).toMatchObject({
      status: 429,
      json: { message: expect.stringContaining('this account may spend 0.05 USD a day (UTC)') },
    });
  });

  it('leaves the budget of a key in force, and the refusal says whose budget is spent', async () => {
    await bound({ monthBudgetUsd: 0.03 });
    const limits = { ...noKeyLimits, dayBudgetUsd: 0.01 };
    await addKey('sk_small', { limits });
    await addKey('sk_free');
    const gateway = await started();
    expect((await native(gateway, 'sk_small')).status).toBe(200);
    expect(await native(gateway, 'sk_small')).toMatchObject({
      status: 429,
      json: { message: expect.stringContaining('this key may spend 0.01 USD a day (UTC)') },
    });
    expect(answered([await native(gateway, 'sk_free'), await native(gateway, 'sk_free')])).toBe(2);
    expect(await native(gateway, 'sk_free')).toMatchObject({
      status: 429,
      json: { message: expect.stringContaining('this account may spend 0.03 USD a month (UTC)') },
    });
  });

  it('forbids its keys what cannot be metered', async () => {
    await bound({ dayBudgetUsd: 5 });
    await addKey('sk_free');
    const gateway = await started();
    const message = 'its price is not known, and this account has a budget';
    expect(await native(gateway, 'sk_free', { models: ['up/gpt-unknown'] })).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining(message) },
    });
    expect(
      await post(
        `${gateway.url}/v1/embeddings`,
        { model: 'up/gpt-unknown', input: 'a' },
        as('sk_free'),
      ),
    ).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining(message) } },
    });
    expect(await ask('GET', `${gateway.url}/proxy/up/models`, as('sk_free'))).toMatchObject({
      status: 403,
      json: {
        message:
          'proxy: this account has a budget, but the usage of requests passed through to up is not counted',
      },
    });
    expect(upstream.requests).toEqual([]);
  });
});

describe('the requests a minute of an account', () => {
  it('are shared by its keys, and each answer shows the limit of which less is left', async () => {
    await bound({ requestsPerMinute: 4 });
    await addKey('sk_two', { limits: { ...noKeyLimits, requestsPerMinute: 2 } });
    await addKey('sk_free');
    const gateway = await started();
    const left = async (key: string): Promise<unknown[]> => {
      const { status, headers } = await native(gateway, key);
      return [
        status,
        headers['x-ratelimit-limit-requests'],
        headers['x-ratelimit-remaining-requests'],
      ];
    };
    expect(await left('sk_free')).toEqual([200, '4', '3']);
    expect(await left('sk_two')).toEqual([200, '2', '1']);
    expect(await left('sk_two')).toEqual([200, '2', '0']);
    expect(await left('sk_two')).toEqual([429, '2', '0']);
    expect(await left('sk_free')).toEqual([200, '4', '0']);
    expect(await native(gateway, 'sk_free')).toMatchObject({
      status: 429,
      json: {
        message:
          'limits: this account may use 4 requests a minute, 4 are used and this request needs 1',
      },
    });
  });

  it('count model selection and what is passed through', async () => {
    await bound({ requestsPerMinute: 2 });
    const [key = ''] = await addKeys(1);
    const { url } = await started();
    const select = (): Promise<Reply> =>
      post(
        `${url}/api/v1/model-select`,
        { messages: [{ role: 'user', content: 'Hi' }], llm_providers: [{ name: 'up/m' }] },
        as(key),
      );
    expect((await select()).status).toBe(200);
    expect((await ask('GET', `${url}/proxy/up/models`, as(key))).status).not.toBe(429);
    expect((await select()).status).toBe(429);
    expect((await ask('GET', `${url}/proxy/up/models`, as(key))).status).toBe(429);
  });
});

describe('an administrator', () => {
  it('changes the limits of an account, at once here and soon on other replicas', async () => {
    const [key = ''] = await addKeys(1);
    const [here, there] = [await started(), await started()];
    for (const gateway of [here, there]) expect((await native(gateway, key)).status).toBe(200);
    const changed = await change(here, { dayBudgetUsd: 0 });
    expectConforms('account.response', changed.json);
    expect(changed).toMatchObject({
      status: 200,
      json: { id: accountId, limits: { ...noKeyLimits, dayBudgetUsd: 0 } },
    });
    expect((await native(here, key)).status).toBe(402);
    await until(async () => (await native(there, key)).status === 402);
    expect(at((await change(here, { tokensPerMinute: 7 })).json, 'limits')).toEqual({
      ...noKeyLimits,
      dayBudgetUsd: 0,
      tokensPerMinute: 7,
    });
    expect(at((await change(here, null)).json, 'limits')).toEqual(noKeyLimits);
    expect((await native(here, key)).status).toBe(200);
  });

  it('sees the limits in the list, and the account sees its own', async () => {
    await bound({ requestsPerMinute: 60 });
    const [key = ''] = await addKeys(1);
    const { url } = await started();
    const accounts = await ask('GET', `${url}/api/v1/accounts`, as('sk_admin'));
    const limitsById = listAt(accounts.json, 'items').map((one) => [
      at(one, 'id'),
      at(one, 'limits'),
    ]);
    expect(new Map(limitsById as [string, unknown][])).toEqual(
      new Map([
        [accountId, { ...noKeyLimits, requestsPerMinute: 60 }],
        [firstAccountId, noKeyLimits],
      ]),
    );
    const own = await ask('GET', `${url}/api/v1/auth/account`, as(key));
    expect(own.json).toMatchObject({
      account: { id: accountId, limits: { requestsPerMinute: 60 } },
    });
    expectConforms('own-account.response', own.json);
  });

  it('is the only one who may change them', async () => {
    const [key = ''] = await addKeys(1);
    const { url } = await started();
    const path = `${url}/api/v1/accounts/${accountId}`;
    expect((await ask('PATCH', path, as(key), { limits: null })).status).toBe(403);
    for (const limits of [{ dayBudgetUsd: -1 }, { requestsPerMinute: 0.5 }, { other: 1 }, 5])
      expect((await ask('PATCH', path, as('sk_admin'), { limits })).status).toBe(422);
  });
});

const noKeyLimits: KeyLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  dayBudgetUsd: null,
  monthBudgetUsd: null,
};
