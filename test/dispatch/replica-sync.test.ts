import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/config.js';
import { rules } from '../../src/gateway.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import type { PubSub, Counters } from '../../src/store/contracts/counters.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { openStore } from '../../src/store/open-store.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at } from '../helpers/json.js';
import { redisIsThere, type RunningRedis, startRedis } from '../helpers/redis.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream, type UpstreamCall } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Say hello' }];
const secret = 'key-secret';

let upstream: Upstream;
const gateways: RunningGateway[] = [];
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
  await upstream.close();
});

/** Replicas in one process: what one publishes reaches the others at once. */
class Board {
  readonly published: string[] = [];
  readonly publishers = new Set<object>();
  private readonly counters = createMemoryCounters();
  private readonly listeners: { of: object; topic: string; listener: (text: string) => void }[] =
    [];

  join(): Counters {
    const self = {};
    const pubSub: PubSub = {
      publish: (topic, text) => {
        this.published.push(text);
        this.publishers.add(self);
        for (const { of, topic: subscribed, listener } of this.listeners)
          if (of !== self && subscribed === topic) listener(text);
      },
      subscribe: (topic, listener) => void this.listeners.push({ of: self, topic, listener }),
    };
    return { ...this.counters, state: 'redis', pubSub };
  }
}

type Config = NonNullable<Parameters<typeof startGateway>[0]>;
const configured = (): Config => ({
  providers: {
    up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKeys: [secret, 'key-b'] },
  },
  models: { 'up/m': { inputPrice: 1, outputPrice: 1 } },
});

async function replicaOn(board: Board): Promise<RunningGateway> {
  const backing = new LazyDatabases(
    async () => ({
      store: await openStore(':memory:', { poolSize: 1, onWarning: () => undefined }),
      counters: board.join(),
    }),
    true,
  );
  await backing.get();
  gateways.push(await startGateway(configured(), { databases: backing }));
  return gateways.at(-1)!;
}

async function replicaOf(url: string): Promise<RunningGateway> {
  const gateway = await startGateway({ ...configured(), redis: { url } });
  gateways.push(gateway);
  await until(
    async () => at((await ask('GET', `${gateway.url}/readyz`)).json, 'counters') === 'redis',
  );
  return gateway;
}

const complete = ({ url, auth }: RunningGateway): Promise<Reply> =>
  post(`${url}/api/v1/completions`, { messages, models: ['up/m'] }, auth);
const keyOf = ({ headers }: UpstreamCall): string =>
  (headers.authorization ?? '').replace('Bearer ', '');
const used = (): string[] => upstream.requests.splice(0).map(keyOf);
const times = async (count: number, gateway: RunningGateway): Promise<void> => {
  for (let n = 0; n < count; n++) await complete(gateway);
};
const latencyOf = async ({ url, auth }: RunningGateway): Promise<unknown> =>
  at(
    (
      await post(
        `${url}/api/v1/model-select?explain=true`,
        { messages, llm_providers: [{ provider: 'up', model: 'm' }] },
        auth,
      )
    ).json,
    'candidates',
    0,
    'latency',
  );

/** The provider refuses one of the keys from now on. */
const refuse = (key: string): void =>
  upstream.script([(call): Step => (keyOf(call) === key ? { status: 401 } : {})]);

describe("a provider's key that is refused on one replica", () => {
  it('is not used by the others, nor by one that starts later', async () => {
    const board = new Board();
    const [first, second] = [await replicaOn(board), await replicaOn(board)];
    refuse(secret);
    await times(2, first);
    expect(used()).toContain(secret);
    await times(4, second);
    expect(used()).toEqual(['key-b', 'key-b', 'key-b', 'key-b']);
    const third = await replicaOn(board);
    await times(4, third);
    expect(used()).toEqual(['key-b', 'key-b', 'key-b', 'key-b']);
  });

  it('is published only as a part of its hash', async () => {
    const board = new Board();
    await replicaOn(board);
    refuse(secret);
    await times(2, gateways[0]!);
    expect(board.published.filter((text) => text.includes('mark'))).toHaveLength(1);
    expect(JSON.parse(board.published[0] ?? '')).toMatchObject({
      provider: 'up',
      mark: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      forMs: 600_000,
    });
    expect(board.published.join()).not.toContain(secret);
  });

  it('keeps its cooldown when the configuration is reloaded', async () => {
    const board = new Board();
    const gateway = await replicaOn(board);
    refuse(secret);
    await times(2, gateway);
    gateway.gateway.reconfigure(
      resolveConfig(
        { ...configured(), auth: { keys: [{ name: 'test', key: gateway.key }] } },
        {},
        rules,
      ),
    );
    used();
    await times(4, gateway);
    expect(used()).toEqual(['key-b', 'key-b', 'key-b', 'key-b']);
  });

  it('is not published with counters in memory', async () => {
    gateways.push(await startGateway(configured()), await startGateway(configured()));
    refuse(secret);
    await times(2, gateways[0]!);
    used();
    await times(2, gateways[1]!);
    expect(used()).toContain(secret);
  });
});

describe('a model that fails on one replica', () => {
  const askOf = async ({ url, auth }: RunningGateway): Promise<void> => {
    const body = { messages, models: ['up/m', 'up/n'], order: 'given' };
    expect((await post(`${url}/api/v1/completions`, body, auth)).status).toBe(200);
  };
  const called = (): unknown[] => upstream.requests.splice(0).map(({ body }) => body?.['model']);
  const failing = (model: string | null): void =>
    upstream.script([({ body }): Step => (body?.['model'] === model ? { status: 500 } : {})]);

  it('is set aside by the others, and by one that starts later, until one of them succeeds', async () => {
    const board = new Board();
    const [first, second] = [await replicaOn(board), await replicaOn(board)];
    failing('m');
    for (let n = 0; n < 2; n++) await askOf(first);
    called();
    const third = await replicaOn(board);
    for (const replica of [first, second, third]) await askOf(replica);
    expect(called()).toEqual(['n', 'n', 'n']);
    failing(null);
    await complete(second);
    called();
    for (const replica of [first, second, third]) await askOf(replica);
    expect(called()).toEqual(['m', 'm', 'm']);
  });

  it('is published without a key or a prompt', async () => {
    const board = new Board();
    failing('m');
    const replica = await replicaOn(board);
    for (let n = 0; n < 2; n++) await askOf(replica);
    const text = board.published.join();
    expect(text).toContain('"code":"upstream_error"');
    expect(text).not.toContain(secret);
    expect(text).not.toContain('Say hello');
  });
});

describe('a message to a replica', () => {
  it('is ignored if it makes no sense', async () => {
    const board = new Board();
    const { pubSub } = board.join();
    const gateway = await replicaOn(board);
    for (const text of [
      '',
      'null',
      '[]',
      '{"provider":1}',
      '{"provider":"up","mark":"x"}',
      '{"samples":[1,["up"]],"at":0}',
      '{"samples":{}}',
      `{"provider":"__proto__","mark":"a","forMs":1,"at":1}`,
    ]) {
      for (const topic of ['provider-circuits', 'provider-latencies']) pubSub.publish(topic, text);
    }
    expect((await complete(gateway)).status).toBe(200);
    expect(await latencyOf(gateway)).toBeNull();
  });
});

describe('the time to the first token that one replica measures', () => {
  it('reaches the others a second later, and one that starts later', async () => {
    const board = new Board();
    const [first, second] = [await replicaOn(board), await replicaOn(board)];
    await times(3, first);
    expect(await latencyOf(second)).toBeNull();
    await until(async () => (await latencyOf(second)) !== null);
    expect(await latencyOf(await replicaOn(board))).toEqual(await latencyOf(second));
    // a receiver does not publish it again
    expect(board.publishers.size).toBe(1);
  });

  it('is published as a sample if there are many', async () => {
    const board = new Board();
    const gateway = await replicaOn(board);
    await Promise.all(Array.from({ length: 150 }, () => complete(gateway)));
    await until(() => board.published.length > 0);
    await pause(50);
    for (const text of board.published)
      expect((JSON.parse(text) as { samples: unknown[] }).samples.length).toBeLessThanOrEqual(100);
  });
});

describe.skipIf(!redisIsThere)('two replicas on one Redis', () => {
  let redis: RunningRedis | null;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis?.stop());

  it('do not use a refused key after a second, and share their latencies', async () => {
    const url = redis?.url ?? '';
    const [first, second] = [await replicaOf(url), await replicaOf(url)];
    refuse(secret);
    await times(3, first);
    await pause(100);
    used();
    await until(async () => (await latencyOf(second)) !== null);
    await times(4, second);
    expect(used()).toEqual(['key-b', 'key-b', 'key-b', 'key-b']);
    const third = await replicaOf(url);
    await until(async () => (await latencyOf(third)) !== null);
    await times(4, third);
    expect(used()).toEqual(['key-b', 'key-b', 'key-b', 'key-b']);
  });
});
