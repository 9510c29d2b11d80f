import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endProcesses, type GatewayProcess, startProcess } from '../../helpers/process.js';
import { redisIsThere, type RunningRedis, startRedis } from '../../helpers/redis.js';
import { eventsOf, lastIdOf, resume, textOf } from '../../helpers/resuming.js';
import { postStream, type SseFrame } from '../../helpers/sse.js';
import { until } from '../../helpers/until.js';
import { startUpstream, type Upstream } from '../../helpers/upstream.js';

const streams = 20;
const words = Array.from({ length: 300 }, (_, index) => `wörd${index} `);
const headers = { authorization: 'Bearer sk_all_0123456789abcdef' };

let upstream: Upstream;
let redis: RunningRedis | null;
const startReplica = (): Promise<GatewayProcess> =>
  startProcess({
    config: [
      'providers:',
      `  up: { api: openai-compatible, baseUrl: "${upstream.url}/v1" }`,
      `auth: { keys: [{ name: all, key: sk_all_0123456789abcdef }] }`,
      'limits: { resumeMs: 10000, drainDelayMs: 1000, drainMs: 30000 }',
    ].join('\n'),
    env: { SIGNALBOX_REDIS_URL: redis?.url ?? '' },
  });

describe.skipIf(!redisIsThere)('a rolling restart under load', () => {
  beforeEach(async () => {
    [upstream, redis] = await Promise.all([startUpstream({ hasLists: false }), startRedis()]);
  });
  afterEach(async () => {
    await endProcesses();
    await Promise.all([upstream.close(), redis?.stop()]);
  });

  it('ends the streams of a killed replica at their readers, before the lease of its logs is over', async () => {
    upstream.script([{ text: words, betweenMs: 500 }]);
    const [one, two] = await Promise.all([startReplica(), startReplica()]);
    const { headers: begun } = await postStream(
      `${one.url}/api/v1/completions`,
      { models: ['up/m'], messages: [{ role: 'user', content: 'Hi' }], stream: true },
      { headers, abortAfterFrames: 3 },
    );
    const id = String(begun['responsemessageid']);
    let killedAt = Infinity;
    const { frames } = await resume(two.url, id, {
      headers,
      onFrame: (_frame, index) => {
        if (index !== 6) return;
        one.signal('SIGKILL');
        killedAt = performance.now();
      },
    });
    expect(eventsOf(frames).at(-2)?.event).toBe('error');
    expect(performance.now() - killedAt).toBeLessThan(25_000);
  }, 60_000);

  it('moves each stream to another replica without a lost or doubled character', async () => {
    upstream.script([{ text: words, betweenMs: 50 }]);
    // the streams are to outlast both restarts, so that no start is waited for meanwhile
    const [one, two, ...fresh] = (await Promise.all(Array.from({ length: 4 }, startReplica))) as [
      GatewayProcess,
      GatewayProcess,
      GatewayProcess,
      GatewayProcess,
    ];
    let serving = [one, two];
    let moves = 0;

    /** A client that goes on wherever a replica serves, until its answer is whole. */
    const readAll = async (index: number): Promise<SseFrame[]> => {
      const first = await postStream(
        `${serving[index % 2]?.url}/api/v1/completions`,
        { models: ['up/m'], messages: [{ role: 'user', content: `${index}` }], stream: true },
        { headers },
      );
      const id = String(first.headers['responsemessageid']);
      const frames = [...first.frames];
      while (frames.at(-1)?.event === 'moved') {
        moves++;
        const url = serving[moves % serving.length]?.url ?? '';
        const rest = await resume(url, id, { headers, lastId: lastIdOf(frames) });
        expect(rest.status).toBe(200);
        frames.push(...rest.frames);
      }
      return frames.filter(({ event }) => event !== 'moved');
    };
    const reading = Array.from({ length: streams }, (_, index) => readAll(index));
    await until(() => upstream.requests.length === streams);

    for (const [turn, leaving] of [one, two].entries()) {
      serving = [...serving.slice(1), ...fresh.slice(turn, turn + 1)];
      leaving.signal('SIGTERM');
      await until(() => moves >= (streams / 2) * (turn + 1));
    }
    const read = await Promise.all(reading);
    for (const frames of read) {
      expect(textOf(frames)).toBe(words.join(''));
      const ids = eventsOf(frames).map(({ id }) => Number(id));
      expect(ids).toEqual(ids.map((_, index) => index + 1));
      expect(frames.at(-1)?.data).toBe('[DONE]');
    }
    expect(moves).toBeGreaterThanOrEqual(streams);
    expect(upstream.requests).toHaveLength(streams);
  }, 120_000);
});
