import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Balancer, startBalancer } from './helpers/balancer.js';
import { numberAt, listAt, textAt } from './helpers/json.js';
import { freshDatabase } from './helpers/postgres.js';
import { endProcesses, type GatewayProcess, startProcess } from './helpers/process.js';
import { redisIsThere, type RunningRedis, startRedis } from './helpers/redis.js';
import { isWholeRun } from './helpers/runs.js';
import { ask, post, postStream, type Reply } from './helpers/sse.js';
import { until } from './helpers/until.js';
import { startUpstream, type Upstream } from './helpers/upstream.js';

let upstream: Upstream;
let redis: RunningRedis | null;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let replicas: [GatewayProcess, GatewayProcess];
let balancer: Balancer;
/** The administrator's key, which one replica has printed. */
let admin: { authorization: string };

const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });
const hostOf = (gateway: GatewayProcess): string => gateway.url.slice('http://'.length);
const start = (): Promise<GatewayProcess> =>
  startProcess({
    config: `providers:\n  up: { api: openai-compatible, baseUrl: "${upstream.url}/v1" }\nmodels:\n  up/m: { inputPrice: 1, outputPrice: 1 }\n`,
    env: { SIGNALBOX_DATABASE_URL: database.url, SIGNALBOX_REDIS_URL: redis?.url ?? '' },
  });
const messages = [{ role: 'user', content: 'Hi' }];
const complete = (url: string, key: string, more: object = {}): Promise<Reply> =>
  post(`${url}/api/v1/completions`, { messages, models: ['up/m'], ...more }, bearer(key));
const newKey = async (
  at: GatewayProcess,
  more: object = {},
): Promise<{ id: string; key: string }> => {
  const { json } = await post(`${at.url}/api/v1/keys`, { name: 'made', ...more }, admin);
  return { id: textAt(json, 'id'), key: textAt(json, 'key') };
};

describe.skipIf(!redisIsThere)('two replicas on one PostgreSQL and one Redis', () => {
  beforeAll(async () => {
    [upstream, redis, database] = await Promise.all([
      startUpstream(),
      startRedis(),
      freshDatabase(),
    ]);
    // at the same time: both migrate, and one of them makes the first key
    replicas = await Promise.all([start(), start()]);
    admin = bearer(replicas.map(({ key }) => key).join(''));
    balancer = await startBalancer(replicas.map(hostOf));
  }, 120_000);
  afterAll(async () => {
    await balancer.close();
    await endProcesses();
    await Promise.all([upstream.close(), redis?.stop(), database.drop()]);
  });
  beforeEach(() => upstream.script([]));

  it('print one first key between them', () => {
    expect(replicas.filter(({ key }) => key !== '')).toHaveLength(1);
  });

  it('take a key at once that the other has made, and soon lose it', async () => {
    const [one, two] = replicas;
    const { id, key } = await newKey(one);
    expect((await complete(two.url, key)).status).toBe(200);
    expect((await ask('DELETE', `${two.url}/api/v1/keys/${id}`, admin)).status).toBe(204);
    await until(async () => (await complete(one.url, key)).status === 401);
  });

  it("feel each other's changes of a key and of a preference", async () => {
    const [one, two] = replicas;
    const { id, key } = await newKey(one);
    const preference = textAt(
      (await post(`${one.url}/api/v1/preferences`, { name: 'p' }, bearer(key))).json,
      'id',
    );
    expect((await complete(two.url, key, { preference_id: preference })).status).toBe(200);
    await ask('PATCH', `${one.url}/api/v1/preferences/${preference}`, bearer(key), {
      exclude: ['up/*'],
    });
    await until(
      async () => (await complete(two.url, key, { preference_id: preference })).status === 422,
    );
    await ask('PATCH', `${one.url}/api/v1/keys/${id}`, admin, { models: ['elsewhere/*'] });
    await until(async () => (await complete(two.url, key)).status === 422);
  });

  it('hold a rate limit between them', async () => {
    const { key } = await newKey(replicas[0], { limits: { requestsPerMinute: 25 } });
    const statuses = await Promise.all(
      Array.from(
        { length: 100 },
        async (_, index) => (await complete(replicas[index % 2]!.url, key)).status,
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(25);
    expect(statuses.filter((status) => status === 429)).toHaveLength(75);
  });

  it('hold a budget between them', async () => {
    upstream.script([{ usage: { prompt: 10, completion: 90 }, delayMs: 20 }]);
    // each answer costs 100 tokens at 1 USD a million; more than that is held while it runs
    const { id, key } = await newKey(replicas[0], { limits: { dayBudgetUsd: 0.002 } });
    const statuses: number[] = [];
    const spend = async (index: number): Promise<void> => {
      for (let turn = 0; turn < 10; turn++)
        statuses.push((await complete(replicas[index % 2]!.url, key, { maxTokens: 90 })).status);
    };
    await Promise.all(Array.from({ length: 10 }, (_, index) => spend(index)));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    // what was held and not spent is free again
    while (
      (await complete(replicas[statuses.length % 2]!.url, key, { maxTokens: 90 })).status === 200
    )
      statuses.push(200);
    const paid = statuses.filter((status) => status === 200).length;
    expect(paid).toBeLessThanOrEqual(20);
    expect(paid).toBeGreaterThan(17);
    const spent = async (): Promise<number> =>
      listAt(
        (await ask('GET', `${replicas[1].url}/api/v1/usage?key=${id}&by=key`, admin)).json,
        'items',
      ).reduce((sum: number, row) => sum + numberAt(row, 'costUsd'), 0);
    await until(async () => Math.abs((await spent()) - paid * 0.0001) < 1e-9);
  });

  it('go on with a conversation that the other has begun', async () => {
    const [one, two] = replicas;
    const { key } = await newKey(one);
    const begun = await complete(one.url, key);
    const id = textAt(begun.json, 'conversationId');
    const history = [
      ...messages,
      { role: 'assistant', content: textAt(begun.json, 'message', 'content', 0, 'text') },
      { role: 'user', content: 'And then?' },
    ];
    expect(await complete(two.url, key, { conversationId: id, messages: history })).toMatchObject({
      status: 200,
      json: { conversationId: id },
    });
    const stored = listAt(
      (await ask('GET', `${one.url}/api/v1/conversations/${id}/messages`, bearer(key))).json,
      'items',
    );
    expect(stored.map((message) => textAt(message, 'role'))).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('link a session that the other has answered, at once', async () => {
    const body = { messages, llm_providers: [{ name: 'up/m' }] };
    const { key } = await newKey(replicas[0]);
    const first = textAt(
      (await post(`${replicas[0].url}/api/v1/model-select`, body, bearer(key))).json,
      'session_id',
    );
    expect(
      (
        await post(
          `${replicas[1].url}/api/v1/model-select`,
          { ...body, previous_session: first },
          bearer(key),
        )
      ).status,
    ).toBe(200);
  });

  it('lose no request when one is stopped in the middle of a hundred streams and requests, and all that was acknowledged is stored', async () => {
    upstream.script([
      { text: Array.from({ length: 30 }, (_, index) => `word ${index} `), betweenMs: 40 },
    ]);
    const { key } = await newKey(replicas[0]);
    const body = { messages, models: ['up/m'] };
    const before = upstream.requests.length;
    const streams = Array.from({ length: 50 }, () =>
      postStream(
        `${balancer.url}/api/v1/completions`,
        { ...body, stream: true },
        { headers: bearer(key) },
      ),
    );
    const whole = Array.from({ length: 50 }, () => complete(balancer.url, key));
    await until(() => upstream.requests.length >= before + 100);
    const [stopped] = replicas;
    balancer.remove(hostOf(stopped));
    stopped.signal('SIGTERM');
    const later = Array.from({ length: 20 }, () => complete(balancer.url, key));
    const answers = await Promise.all([...whole, ...later]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const streamed = await Promise.all(streams);
    expect(streamed.map(({ frames, ended }) => [ended, frames.at(-1)?.data])).toEqual(
      streamed.map(() => ['end', '[DONE]']),
    );
    expect((await stopped.ended).code).toBe(0);
    const ids = [
      ...answers.map(({ json }) => textAt(json, 'conversationId')),
      ...streamed.map(({ headers }) => String(headers['conversationid'])),
    ];
    const counts = await Promise.all(
      ids.map(async (id) =>
        numberAt(
          (await ask('GET', `${replicas[1].url}/api/v1/conversations/${id}`, bearer(key))).json,
          'messageCount',
        ),
      ),
    );
    expect(counts).toEqual(ids.map(() => 2));
  });

  it.runIf(isWholeRun)(
    'lose only what was in flight on one that is killed, and break those streams off',
    async () => {
      replicas[0] = await start();
      balancer.add(hostOf(replicas[0]));
      upstream.script([
        { text: Array.from({ length: 50 }, (_, index) => `word ${index} `), betweenMs: 40 },
      ]);
      const { key } = await newKey(replicas[1]);
      const before = upstream.requests.length;
      const streams = Array.from({ length: 100 }, () =>
        postStream(
          `${balancer.url}/api/v1/completions`,
          { messages, models: ['up/m'], stream: true },
          { headers: bearer(key) },
        ),
      );
      await until(() => upstream.requests.length >= before + 100);
      replicas[0].signal('SIGKILL');
      const streamed = await Promise.allSettled(streams);
      const finished = streamed.filter(
        (outcome) =>
          outcome.status === 'fulfilled' && outcome.value.frames.at(-1)?.data === '[DONE]',
      );
      expect(finished).toHaveLength(50);
      const later = await Promise.all(
        Array.from({ length: 20 }, () => complete(balancer.url, key)),
      );
      expect(later.map(({ status }) => status)).toEqual(later.map(() => 200));
    },
  );
});
