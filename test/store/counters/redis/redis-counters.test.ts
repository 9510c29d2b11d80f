import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@redis/client';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type {
  Counters,
  CountersState,
  LimitCharge,
  Measure,
  Reservation,
  ReserveResult,
} from '../../../../src/store/contracts/counters.js';
import { openCounters } from '../../../../src/store/open-databases.js';
import type { RedisCountersOptions } from '../../../../src/store/counters/redis/redis-counters.js';
import { redisIsThere, type RunningRedis, startRedis } from '../../../helpers/redis.js';
import { until } from '../../../helpers/until.js';

const charge = (
  measure: Measure,
  limit: number,
  amount: number,
  subject = 'key:a',
): LimitCharge => ({
  subject,
  measure,
  limit,
  amount,
});
const dollar = (amount: number, limit = 100): LimitCharge[] => [charge('usd_day', limit, amount)];
const day = { subject: 'key:a', measure: 'usd_day' } as const;
const granted = (result: ReserveResult): Reservation => {
  if (result.outcome !== 'granted') throw new Error(JSON.stringify(result));
  return result.reservation;
};

describe.skipIf(!redisIsThere)('counters in Redis', () => {
  let redis: RunningRedis;
  let prefix = '';
  let round = 0;
  const opened: Counters[] = [];

  beforeAll(async () => {
    const started = await startRedis();
    if (!started) throw new Error('Redis did not start');
    redis = started;
  });
  afterEach(async () => {
    redis.resume();
    await Promise.all(opened.splice(0).map((counters) => counters.close()));
  });
  afterAll(() => redis.stop());

  /** One replica's counters; those of one test share a prefix. */
  const replica = async (options: RedisCountersOptions = {}): Promise<Counters> => {
    const counters = await openCounters(redis.url, { prefix, ...options });
    opened.push(counters);
    return counters;
  };
  const command = async (...args: string[]): Promise<unknown> => {
    const client = await createClient({ url: redis.url }).connect();
    return client.sendCommand(args).finally(() => client.destroy());
  };
  const usedOf = async (counters: Counters): Promise<number> => {
    const result = await counters.reserve(dollar(0, 1e12));
    granted(result).settle([0]);
    return result.outcome === 'granted' ? (result.used[0] ?? 0) : -1;
  };
  const isIn = (counters: Counters, state: CountersState) => until(() => counters.state === state);
  /** Freezes Redis and sends a request that notices it. */
  const freeze = async (counters: Counters): Promise<void> => {
    redis.pause();
    await counters.reserve([charge('requests', 1, 0, 'nobody')]);
    expect(counters.state).toBe('fallback');
  };

  describe('shared by replicas', () => {
    it('enforce a limit exactly when two replicas send 200 requests at once', async () => {
      prefix = `shared-${++round}:`;
      const replicas = [await replica(), await replica()];
      await replicas[0]!.setSpent(day, 0);
      const verdicts = await Promise.all(
        Array.from({ length: 200 }, async (_, turn) =>
          replicas[turn % 2]!.reserve([charge('requests', 70, 1), ...dollar(1, 50)]),
        ),
      );
      expect(verdicts.filter(({ outcome }) => outcome === 'granted')).toHaveLength(50);
      expect(await replicas[1]!.reserve([charge('requests', 70, 21)])).toMatchObject({
        outcome: 'refused',
        used: 50,
      });
    });

    it('never grant more than a budget while all replicas reserve and settle at once', async () => {
      const replicas = [await replica(), await replica()];
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.array(
              fc.tuple(fc.integer({ min: 1, max: 30 }), fc.double({ min: 0, max: 1, noNaN: true })),
              { maxLength: 15 },
            ),
            { minLength: 2, maxLength: 6 },
          ),
          async (clients) => {
            const subject = `key:${++round}`;
            await replicas[0]!.setSpent({ subject, measure: 'usd_day' }, 0);
            let sum = 0;
            let most = 0;
            await Promise.all(
              clients.map(async (calls, index) => {
                for (const [amount, share] of calls) {
                  const result = await replicas[index % 2]!.reserve([
                    charge('usd_day', 100, amount, subject),
                  ]);
                  if (result.outcome !== 'granted') continue;
                  const used = Math.floor(amount * share);
                  most = Math.max(most, result.used[0] ?? 0);
                  result.reservation.settle([used]);
                  sum += used;
                }
              }),
            );
            expect(most).toBeLessThanOrEqual(100);
            expect(sum).toBeLessThanOrEqual(100);
            await until(async () => {
              const result = await replicas[1]!.reserve([charge('usd_day', 100, 0, subject)]);
              return result.outcome === 'granted' && result.used[0] === sum;
            });
          },
        ),
        { numRuns: 20 },
      );
    });

    it('count by one clock on all replicas', async () => {
      prefix = `clock-${++round}:`;
      const here = await replica();
      const result = await here.reserve(dollar(1));
      const today = Math.floor(Date.now() / 86_400_000) * 86_400_000;
      expect(result).toMatchObject({ outcome: 'budget_unknown', charges: [{ since: today }] });
    });

    it('deliver messages to other replicas, and not to the publisher', async () => {
      prefix = `pubSub-${++round}:`;
      const [here, there] = [await replica(), await replica()];
      const heard: string[] = [];
      here.pubSub.subscribe('keys', (text) => heard.push(`here: ${text}`));
      there.pubSub.subscribe('keys', () => {
        throw new Error('not understood');
      });
      there.pubSub.subscribe('keys', (text) => heard.push(`there: ${text}`));
      there.pubSub.subscribe('other', (text) => heard.push(`other: ${text}`));
      await command('PUBLISH', `${prefix}bulletin`, 'no words of ours');
      here.pubSub.publish('keys', 'revoked');
      there.pubSub.publish('keys', 'made');
      await until(() => heard.length >= 2);
      expect(heard.sort()).toEqual(['here: made', 'there: revoked']);
    });

    it('let one replica read the lists of another', async () => {
      prefix = `recentLists-${++round}:`;
      const [here, there] = [await replica(), await replica()];
      here.recentLists.add('latencies', '12', { maxTexts: 10, keepMs: 60_000 });
      await until(async () => (await there.recentLists.read('latencies')).length > 0);
      expect(await there.recentLists.read('latencies')).toEqual(['12']);
      expect(await command('PTTL', `${prefix}{latencies}:notes`)).toBeGreaterThan(50_000);
    });

    it('tell an answer that is being written from one whose writer has died', async () => {
      prefix = `died-${++round}:`;
      const { answerLogs: logs } = await replica();
      await logs.append('log', { kind: 'open', first: 0, last: 0, text: '' }, 5_000);
      expect(await logs.read('log', [0, 2], 0, 1_000)).toEqual([]);
      expect(await logs.read('log', [0, 2], 0, 6_000)).toBeNull();
      expect(await logs.read('log', [0, 0], 0, 6_000)).toHaveLength(1);
      expect(await logs.read('none', [0, 0], 0)).toBeNull();
    });

    it('count failures for all replicas', async () => {
      prefix = `failures-${++round}:`;
      const [here, there] = [await replica(), await replica()];
      for (const counters of [here, there, here, there, here])
        await counters.countFailure('account:a');
      expect(await there.loginBackoff('account:a')).toMatchObject({ failures: 5 });
      await here.clearFailures('account:a');
      expect(await there.loginBackoff('account:a')).toEqual({ failures: 0, waitMs: 0 });
    });

    it('leave no key that never expires', async () => {
      prefix = `expiry-${++round}:`;
      const counters = await replica();
      await counters.setSpent(day, 0);
      granted(
        await counters.reserve([charge('requests', 9, 1), charge('tokens', 9, 1), ...dollar(1)]),
      ).settle([1, 2, 1]);
      granted(await counters.reserve(dollar(1)));
      await counters.countFailure('account:a');
      counters.recentLists.add('list', 'text', { maxTexts: 1, keepMs: 60_000 });
      await counters.recentLists.read('list');
      const keys = (await command('KEYS', `${prefix}*`)) as string[];
      expect(keys.length).toBeGreaterThanOrEqual(6);
      for (const key of keys) expect(await command('PTTL', key), key).not.toBe(-1);
    });
  });

  describe('keep reservations', () => {
    it('until the lease expires if their process has died', async () => {
      prefix = `crash-${++round}:`;
      let now = Date.UTC(2026, 10, 21, 12);
      const [dying, other] = [await replica({ now: () => now }), await replica({ now: () => now })];
      await dying.setSpent(day, 0);
      granted(await dying.reserve(dollar(60)));
      granted(await other.reserve(dollar(10)));
      await dying.close();
      now += 29_999;
      expect(await other.reserve(dollar(31))).toMatchObject({ outcome: 'refused', used: 70 });
      now += 1;
      expect(await other.reserve(dollar(100))).toMatchObject({ outcome: 'granted', used: [100] });
    });

    it('as long as their process lives', async () => {
      prefix = `renewal-${++round}:`;
      let now = Date.UTC(2026, 10, 21, 12);
      const counters = await replica({ now: () => now, leaseMs: 60 });
      await counters.setSpent(day, 0);
      const reservation = granted(await counters.reserve(dollar(60)));
      for (let turn = 0; turn < 6; turn++) {
        now += 40;
        // time for a renewal, which happens every 20 ms
        await wait(60);
        expect(await counters.reserve(dollar(41))).toMatchObject({ outcome: 'refused', used: 60 });
      }
      reservation.settle([5]);
      await until(async () => (await usedOf(counters)) === 5);
    });

    it('and restore them on all replicas before other reservations, when Redis has lost everything and the spending is set again', async () => {
      prefix = `lost-${++round}:`;
      const replicas = [await replica(), await replica()];
      await replicas[0]!.setSpent(day, 0);
      granted(await replicas[0]!.reserve(dollar(40)));
      granted(await replicas[1]!.reserve(dollar(30)));
      await command('FLUSHALL');
      expect(await replicas[0]!.reserve(dollar(50))).toMatchObject({ outcome: 'budget_unknown' });
      await replicas[0]!.setSpent(day, 20);
      // its own at once, the other's after the message
      expect(await replicas[0]!.reserve(dollar(50))).toMatchObject({ outcome: 'refused' });
      await until(async () => (await usedOf(replicas[0]!)) === 90);
    });

    it('and restore them when Redis has lost everything', async () => {
      prefix = `lost-${++round}:`;
      const counters = await replica({ leaseMs: 60 });
      await counters.setSpent(day, 0);
      granted(await counters.reserve(dollar(60)));
      await command('FLUSHALL');
      expect(await counters.reserve(dollar(1))).toMatchObject({ outcome: 'budget_unknown' });
      await counters.setSpent(day, 7);
      await until(async () => (await usedOf(counters)) === 67);
    });
  });

  describe('during failures', () => {
    it('start without Redis, count for themselves, and share as soon as it is available', async () => {
      prefix = `start-${++round}:`;
      await redis.stop();
      const states: string[] = [];
      const [warnings, news]: [string[], string[]] = [[], []];
      const counters = await replica({
        onState: (state) => states.push(state),
        onWarning: (warning) => warnings.push(warning),
        onNews: (text) => news.push(text),
      });
      expect(counters.state).toBe('fallback');
      expect(await counters.reserve(dollar(1))).toMatchObject({ outcome: 'budget_unknown' });
      await counters.setSpent(day, 0);
      granted(await counters.reserve([charge('requests', 1, 1), ...dollar(1)]));
      expect(await counters.reserve([charge('requests', 1, 1)])).toMatchObject({
        outcome: 'refused',
      });
      await redis.restart();
      await isIn(counters, 'redis');
      granted(await counters.reserve([charge('requests', 1, 1)]));
      expect(states).toEqual(['fallback', 'redis']);
      expect(warnings).toEqual([
        expect.stringMatching(
          /^Redis is unavailable \(.*ECONNREFUSED.*\): each process counts limits for itself$/,
        ),
      ]);
      expect(news).toEqual(['Redis is available: replicas share limits']);
    });

    it('fall back when Redis stops, and return to it with everything that they do', async () => {
      prefix = `stop-${++round}:`;
      const [here, there] = [await replica(), await replica()];
      const heard: string[] = [];
      there.pubSub.subscribe('keys', (text) => heard.push(text));
      await here.setSpent(day, 0);
      granted(await here.reserve(dollar(1)));
      await redis.stop();
      const verdicts = await Promise.all(
        Array.from({ length: 20 }, async () => here.reserve([charge('requests', 10, 1)])),
      );
      expect(verdicts.filter(({ outcome }) => outcome === 'granted')).toHaveLength(10);
      await isIn(here, 'fallback');
      here.pubSub.publish('keys', 'into the void');
      here.recentLists.add('list', 'noted while it was away', { maxTexts: 3, keepMs: 60_000 });
      expect(await here.recentLists.read('list')).toEqual(['noted while it was away']);
      await redis.restart();
      await Promise.all([isIn(here, 'redis'), isIn(there, 'redis')]);
      here.pubSub.publish('keys', 'again');
      await until(() => heard.length > 0);
      expect(heard).toEqual(['again']);
      expect(await there.recentLists.read('list')).toEqual(['noted while it was away']);
    });

    it('delay the requests under way by a quarter of a second when Redis hangs, and no others', async () => {
      prefix = `hang-${++round}:`;
      const counters = await replica();
      redis.pause();
      const start = performance.now();
      await Promise.all(
        Array.from({ length: 50 }, async () => counters.reserve([charge('requests', 1000, 1)])),
      );
      // far less than one after the other would take, even on a busy machine
      expect(performance.now() - start).toBeLessThan(10_000);
      expect(counters.state).toBe('fallback');
      const next = performance.now();
      for (let turn = 0; turn < 1000; turn++)
        granted(await counters.reserve([charge('requests', 10_000, 1)]));
      expect(performance.now() - next).toBeLessThan(10_000);
    });

    it('notice that Redis hangs before the next request', async () => {
      prefix = `heartbeat-${++round}:`;
      const counters = await replica();
      redis.pause();
      await until(() => counters.state === 'fallback');
    });

    it('do not take their own busy process for a hanging Redis', async () => {
      prefix = `busy-${++round}:`;
      const states: string[] = [];
      const counters = await replica({ onState: (state) => states.push(state) });
      const result = counters.reserve([charge('requests', 1, 1)]);
      await new Promise(setImmediate);
      const end = performance.now() + 400;
      while (performance.now() < end);
      granted(await result);
      expect(states).toEqual(['redis']);
    });

    it('carry reservations and spending over to the memory and back', async () => {
      prefix = `carry-${++round}:`;
      const [here, there] = [await replica(), await replica()];
      await here.setSpent(day, 0);
      const before = granted(await here.reserve(dollar(50)));
      await freeze(here);
      expect(await here.reserve(dollar(1))).toMatchObject({ outcome: 'budget_unknown' });
      await here.setSpent(day, 0);
      expect(await here.reserve(dollar(51))).toMatchObject({ outcome: 'refused', used: 50 });
      const meanwhile = granted(await here.reserve(dollar(30)));
      granted(await here.reserve(dollar(20))).settle([3]);
      before.settle([11]);
      expect(await usedOf(here)).toBe(44);
      redis.resume();
      await Promise.all([isIn(here, 'redis'), isIn(there, 'redis')]);
      await until(async () => (await usedOf(there)) === 44);
      meanwhile.settle([7]);
      await until(async () => (await usedOf(there)) === 21);
    });

    it('spend what was left once more for each further replica at most, and count all of it afterwards', async () => {
      prefix = `apart-${++round}:`;
      const replicas = [await replica(), await replica()];
      await replicas[0]!.setSpent(day, 40);
      const reservations = [
        granted(await replicas[0]!.reserve(dollar(10))),
        granted(await replicas[1]!.reserve(dollar(20))),
      ];
      redis.pause();
      for (const counters of replicas) {
        await counters.reserve([charge('requests', 1, 0, 'nobody')]);
        expect(counters.state).toBe('fallback');
        // as the request log has it
        await counters.setSpent(day, 40);
        for (;;) {
          const result = await counters.reserve(dollar(1));
          if (result.outcome !== 'granted') break;
          reservations.push(result.reservation);
        }
      }
      for (const reservation of reservations.splice(20)) reservation.settle([1]);
      redis.resume();
      await Promise.all(replicas.map((counters) => isIn(counters, 'redis')));
      // of 100 were 40 spent: 60 are left, for each replica
      for (const counters of replicas) await until(async () => (await usedOf(counters)) === 160);
      expect(await replicas[1]!.reserve(dollar(1))).toMatchObject({ outcome: 'refused' });
      for (const reservation of reservations) reservation.settle([0]);
    });

    it('count what has been settled while they read what was spent', async () => {
      prefix = `meanwhile-${++round}:`;
      const counters = await replica();
      await counters.setSpent(day, 0);
      const ending = granted(await counters.reserve(dollar(60)));
      await freeze(counters);
      expect(await counters.reserve(dollar(1))).toMatchObject({ outcome: 'budget_unknown' });
      ending.settle([50]);
      await counters.setSpent(day, 10);
      expect(await counters.reserve(dollar(41))).toMatchObject({ outcome: 'refused', used: 60 });
    });

    it('learn every five seconds what other replicas have spent while Redis is away', async () => {
      prefix = `every-${++round}:`;
      let now = Date.UTC(2026, 10, 21, 12);
      const counters = await replica({ now: () => now });
      await counters.setSpent(day, 0);
      const live = granted(await counters.reserve(dollar(10)));
      await freeze(counters);
      await counters.setSpent(day, 20);
      granted(await counters.reserve(dollar(15))).settle([15]);
      now += 4_999;
      expect(await counters.reserve(dollar(56))).toMatchObject({ outcome: 'refused', used: 45 });
      now += 1;
      expect(await counters.reserve(dollar(1))).toMatchObject({ outcome: 'budget_unknown' });
      await counters.setSpent(day, 70);
      expect(await counters.reserve(dollar(21))).toMatchObject({ outcome: 'refused', used: 80 });
      now += 5_000;
      expect(await counters.reserve(dollar(1))).toMatchObject({ outcome: 'budget_unknown' });
      // its own last requests may not be in the request log yet
      await counters.setSpent(day, 60);
      expect(await counters.reserve(dollar(21))).toMatchObject({ outcome: 'refused', used: 80 });
      live.settle([5]);
      expect(await counters.reserve(dollar(26))).toMatchObject({ outcome: 'refused', used: 75 });
    });

    it('need the spending to be set again each time they fall back', async () => {
      prefix = `again-${++round}:`;
      const counters = await replica();
      await counters.setSpent(day, 0);
      for (const used of [1, 50]) {
        await freeze(counters);
        expect(await counters.reserve(dollar(1))).toMatchObject({ outcome: 'budget_unknown' });
        await counters.setSpent(day, used);
        expect(await counters.reserve(dollar(0))).toMatchObject({ used: [used] });
        redis.resume();
        await isIn(counters, 'redis');
      }
    });

    it('apply a settlement once if its answer was lost', async () => {
      prefix = `twice-${++round}:`;
      const counters = await replica();
      await counters.setSpent(day, 0);
      const reservations = await Promise.all(
        Array.from({ length: 700 }, async () =>
          granted(await counters.reserve([charge('tokens', 1e9, 10), ...dollar(1, 1e6)])),
        ),
      );
      redis.pause();
      for (const reservation of reservations) reservation.settle([12, 2]);
      await isIn(counters, 'fallback');
      // the frozen Redis has them in its socket, executes them when it wakes, and then gets them
      // again
      redis.resume();
      await isIn(counters, 'redis');
      await until(async () => (await usedOf(counters)) === 1400);
      await wait(50);
      expect(await usedOf(counters)).toBe(1400);
      const tokens = await counters.reserve([charge('tokens', 1e9, 0)]);
      // those of the minute before count less with every second of the next one
      const { used } = tokens as { used: readonly number[] };
      expect(used[0]).toBeGreaterThan(7_700);
      expect(used[0]).toBeLessThanOrEqual(8_400);
    });

    it('work when Redis has lost its scripts', async () => {
      prefix = `scripts-${++round}:`;
      const counters = await replica();
      await command('SCRIPT', 'FLUSH');
      await counters.setSpent(day, 0);
      granted(await counters.reserve(dollar(60))).settle([20]);
      expect(await usedOf(counters)).toBe(20);
      expect(counters.state).toBe('redis');
    });

    it('fall back while Redis accepts no writes, even if it can be reached', async () => {
      prefix = `readonly-${++round}:`;
      const states: string[] = [];
      const counters = await replica({ onState: (state) => states.push(state) });
      await command('REPLICAOF', '127.0.0.1', '1');
      for (let turn = 0; turn < 5; turn++) {
        await counters.reserve([charge('requests', 9, 1)]);
        await wait(80);
      }
      expect(states).toEqual(['redis', 'fallback']);
      await command('REPLICAOF', 'NO', 'ONE');
      await isIn(counters, 'redis');
    });

    it('say each reason for which Redis is away, once', async () => {
      prefix = `reasons-${++round}:`;
      const warnings: string[] = [];
      const states: string[] = [];
      const counters = await replica({
        onWarning: (warning) => warnings.push(warning),
        onState: (state) => states.push(state),
      });
      await counters.setSpent(day, 0);
      const reserved = granted(await counters.reserve(dollar(1)));
      const admin = await createClient({ url: redis.url }).connect();
      await admin.sendCommand(['CONFIG', 'SET', 'requirepass', 'changed']);
      await admin.sendCommand(['CLIENT', 'KILL', 'SKIPME', 'yes']);
      await until(() => warnings.some((warning) => warning.includes('NOAUTH')));
      await wait(100);
      // the second warning begins no second outage, which would forget what the first has counted
      expect(states).toEqual(['redis', 'fallback']);
      expect(warnings).toEqual([
        expect.not.stringContaining('NOAUTH'),
        expect.stringMatching(/^Redis is unavailable \(NOAUTH /),
      ]);
      reserved.settle([1]);
      await admin.sendCommand(['CONFIG', 'SET', 'requirepass', '']).finally(() => admin.destroy());
      await isIn(counters, 'redis');
    });

    it('count for themselves where Redis is a cluster, which keeps what belongs together apart', async () => {
      const cluster = (await startRedis(['--cluster-enabled', 'yes']))!;
      const client = await createClient({ url: cluster.url }).connect();
      await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383']);
      await until(async () =>
        JSON.stringify(await client.sendCommand(['CLUSTER', 'INFO'])).includes('state:ok'),
      );
      client.destroy();
      const warnings: string[] = [];
      const states: string[] = [];
      const counters = await openCounters(cluster.url, {
        onState: (state) => states.push(state),
        onWarning: (warning) => warnings.push(warning),
      });
      const account = { ...charge('requests', 9, 1), subject: 'account:a' };
      granted(await counters.reserve([charge('requests', 9, 1), account]));
      expect(states).toEqual(['fallback']);
      expect(warnings).toEqual([expect.stringContaining('CROSSSLOT')]);
      await counters.close();
      await cluster.stop();
    });

    it('fall back for a single key whose type is wrong', async () => {
      prefix = `foreign-${++round}:`;
      const counters = await replica();
      await command('SET', `${prefix}{key:a}:requests`, 'not ours');
      granted(await counters.reserve([charge('requests', 1, 1)]));
      expect(await counters.reserve([charge('requests', 1, 1)])).toMatchObject({
        outcome: 'refused',
      });
      expect(counters.state).toBe('redis');
    });

    it('do not clear failures because Redis goes away', async () => {
      prefix = `outage-${++round}:`;
      const counters = await replica();
      for (let time = 0; time < 6; time++) await counters.countFailure('account:a');
      await freeze(counters);
      expect(await counters.loginBackoff('account:a')).toMatchObject({ failures: 6 });
    });

    it('never reveal the password', async () => {
      const warnings: string[] = [];
      for (const url of [
        'redis://:se%ret@127.0.0.1',
        'redis://u:sec/ret@127.0.0.1',
        'https://:secret@127.0.0.1',
        ':secret',
      ]) {
        await expect(openCounters(url)).rejects.toMatchObject({
          code: 'internal',
          message: expect.not.stringMatching(/se.?c?ret/),
        });
      }
      await command('CONFIG', 'SET', 'requirepass', 'right');
      const counters = await openCounters(redis.url.replace('//', '//:secret@'), {
        onWarning: (warning) => warnings.push(warning),
      });
      opened.push(counters);
      const client = await createClient({ url: redis.url.replace('//', '//:right@') }).connect();
      await client
        .sendCommand(['CONFIG', 'SET', 'requirepass', ''])
        .finally(() => client.destroy());
      expect(counters.state).toBe('fallback');
      expect(warnings).toEqual([expect.stringMatching(/WRONGPASS/)]);
      expect(warnings.join()).not.toContain('secret');
    });

    it('close while Redis hangs', async () => {
      prefix = `close-${++round}:`;
      const counters = await replica();
      await counters.setSpent(day, 0);
      const reservation = granted(await counters.reserve(dollar(1)));
      redis.pause();
      reservation.settle([1]);
      const start = performance.now();
      await counters.close();
      expect(performance.now() - start).toBeLessThan(10_000);
      reservation.settle([1]);
      expect(await counters.reserve([charge('requests', 1, 1)])).toMatchObject({
        outcome: 'granted',
      });
    });

    it('send everything to Redis before they close', async () => {
      prefix = `drain-${++round}:`;
      const [here, there] = [await replica(), await replica()];
      await here.setSpent(day, 0);
      const reservations = await Promise.all(
        Array.from({ length: 1000 }, async () => granted(await here.reserve(dollar(1, 1e6)))),
      );
      for (const reservation of reservations) reservation.settle([2]);
      await here.close();
      expect(await usedOf(there)).toBe(2000);
    });
  });
});
