import { until } from '../../helpers/until.js';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Counters,
  type LimitCharge,
  type Measure,
  type Reservation,
  type ReserveResult,
  usdToNano,
} from '../../../src/store/contracts/counters.js';
import { createMemoryCounters } from '../../../src/store/counters/memory/memory-counters.js';
import { openRedisCounters } from '../../../src/store/counters/redis/redis-counters.js';
import { DatabaseOwner } from '../../../src/store/relay/database-owner.js';
import { relayedFrom } from '../../helpers/relayed.js';
import { redisIsThere, type RunningRedis, startRedis } from '../../helpers/redis.js';
import { runs } from '../../helpers/runs.js';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** The middle of a day, at the start of a minute. */
const noon = Date.UTC(2026, 10, 21, 12);

let now = noon;
let redis: RunningRedis | null = null;
let prefixes = 0;
const open: Counters[] = [];

beforeAll(async () => {
  redis = await startRedis();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((counters) => counters.close()));
  now = noon;
});
afterAll(() => redis?.stop());

const inMemory = (): Promise<Counters> => Promise.resolve(createMemoryCounters({ now: () => now }));
const inSupervisor = async (): Promise<Counters> =>
  relayedFrom(new DatabaseOwner(':memory:', await inMemory())).databases.counters();
// a lease longer than every wait, because there is no renewal in simulated time
const inRedis = (): Promise<Counters> =>
  openRedisCounters(redis?.url ?? '', {
    now: () => now,
    prefix: `test-${++prefixes}:`,
    leaseMs: 60 * dayMs,
  });

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
const granted = (result: ReserveResult): Reservation => {
  if (result.outcome !== 'granted') throw new Error(JSON.stringify(result));
  return result.reservation;
};

describe.each([
  { where: 'memory', isThere: true, start: inMemory },
  { where: 'the supervisor of workers', isThere: true, start: inSupervisor },
  { where: 'Redis', isThere: redisIsThere, start: inRedis },
])('counters in $where', ({ isThere, start }) => {
  const opened = async (): Promise<Counters> => {
    const counters = await start();
    open.push(counters);
    return counters;
  };
  const withBudget = async (used = 0): Promise<Counters> => {
    const counters = await opened();
    await counters.setSpent({ subject: 'key:a', measure: 'usd_day' }, used);
    return counters;
  };

  describe.skipIf(!isThere)('count requests and tokens in a sliding window of 60 s, and', () => {
    it('grant up to the limit, then refuse with the limit, its usage and when to retry', async () => {
      const counters = await opened();
      const three = charge('requests', 3, 1);
      for (const used of [1, 2, 3])
        expect(await counters.reserve([three])).toMatchObject({ outcome: 'granted', used: [used] });
      expect(await counters.reserve([three])).toEqual({
        outcome: 'refused',
        charge: three,
        used: 3,
        retryAfterMs: minuteMs + minuteMs / 3,
      });
    });

    it('grant again at the time they stated, and not a millisecond before', async () => {
      const counters = await opened();
      now += 12_345;
      granted(await counters.reserve([charge('tokens', 1000, 700)]));
      const refused = await counters.reserve([charge('tokens', 1000, 543)]);
      const retryAfterMs = refused.outcome === 'refused' ? refused.retryAfterMs : 0;
      now += retryAfterMs - 1;
      expect(await counters.reserve([charge('tokens', 1000, 543)])).toMatchObject({
        outcome: 'refused',
        retryAfterMs: 1,
      });
      now += 1;
      granted(await counters.reserve([charge('tokens', 1000, 543)]));
    });

    it('let the last minute fade out linearly', async () => {
      const counters = await opened();
      granted(await counters.reserve([charge('requests', 100, 100)]));
      now += minuteMs + 15_000;
      expect(await counters.reserve([charge('requests', 100, 26)])).toMatchObject({
        outcome: 'refused',
        used: 75,
      });
      expect(await counters.reserve([charge('requests', 100, 25)])).toMatchObject({
        outcome: 'granted',
        used: [100],
      });
    });

    it('do not count what is two minutes old', async () => {
      const counters = await opened();
      granted(await counters.reserve([charge('requests', 1, 1)]));
      now += 2 * minuteMs;
      granted(await counters.reserve([charge('requests', 1, 1)]));
    });

    it('reserve from all limits or from none', async () => {
      const counters = await opened();
      expect(
        await counters.reserve([charge('requests', 1, 1), charge('tokens', 10, 11)]),
      ).toMatchObject({ outcome: 'refused', charge: { measure: 'tokens' } });
      granted(await counters.reserve([charge('requests', 1, 1), charge('tokens', 10, 10)]));
    });

    it('name the limit with the longest wait when several are reached', async () => {
      const counters = await withBudget(10);
      granted(await counters.reserve([charge('requests', 1, 1)]));
      expect(
        await counters.reserve([charge('requests', 1, 1), charge('usd_day', 10, 1)]),
      ).toMatchObject({ charge: { measure: 'usd_day' }, retryAfterMs: dayMs / 2 });
    });

    it('refuse for a minute what exceeds the limit by itself', async () => {
      const counters = await opened();
      expect(await counters.reserve([charge('tokens', 10, 11)])).toMatchObject({
        outcome: 'refused',
        used: 0,
        retryAfterMs: minuteMs,
      });
    });

    it('count subjects separately', async () => {
      const counters = await opened();
      granted(await counters.reserve([charge('requests', 1, 1, 'key:a')]));
      granted(await counters.reserve([charge('requests', 1, 1, 'key:b')]));
    });

    it('subtract what was not used from the minute of the reservation', async () => {
      const counters = await opened();
      const reservation = granted(await counters.reserve([charge('tokens', 100, 80)]));
      now += minuteMs + 30_000;
      reservation.settle([20]);
      expect(await counters.reserve([charge('tokens', 100, 91)])).toMatchObject({
        outcome: 'refused',
        used: 10,
      });
      granted(await counters.reserve([charge('tokens', 100, 90)]));
    });

    it('subtract nothing after the minute has faded out', async () => {
      const counters = await opened();
      const reservation = granted(await counters.reserve([charge('tokens', 100, 80)]));
      now += 2 * minuteMs;
      granted(await counters.reserve([charge('tokens', 100, 50)]));
      reservation.settle([0]);
      expect(await counters.reserve([charge('tokens', 100, 51)])).toMatchObject({
        outcome: 'refused',
        used: 50,
      });
    });

    it('count in full what was used beyond the reservation, from the settlement on', async () => {
      const counters = await opened();
      const reservation = granted(await counters.reserve([charge('tokens', 100, 10)]));
      now += 2 * minuteMs;
      reservation.settle([110]);
      expect(await counters.reserve([charge('tokens', 100, 1)])).toMatchObject({
        outcome: 'refused',
        used: 100,
      });
    });

    it('do not limit concurrent requests by the reservations of long ones', async () => {
      const counters = await opened();
      granted(await counters.reserve([charge('requests', 1, 1)]));
      now += 2 * minuteMs;
      granted(await counters.reserve([charge('requests', 1, 1)]));
    });
  });

  describe.skipIf(!isThere)('count money by the UTC day and month, and', () => {
    it('first ask for what has been spent, and since when', async () => {
      const counters = await opened();
      const charges = [
        charge('requests', 9, 1),
        charge('usd_day', 9, 1),
        charge('usd_month', 9, 1),
      ];
      expect(await counters.reserve(charges)).toEqual({
        outcome: 'budget_unknown',
        charges: [
          { ...charges[1], since: Date.UTC(2026, 10, 21) },
          { ...charges[2], since: Date.UTC(2026, 10, 1) },
        ],
      });
      await counters.setSpent({ subject: 'key:a', measure: 'usd_day' }, 8);
      expect(await counters.reserve(charges)).toMatchObject({
        outcome: 'budget_unknown',
        charges: [{ measure: 'usd_month' }],
      });
      await counters.setSpent({ subject: 'key:a', measure: 'usd_month' }, 0);
      expect(await counters.reserve(charges)).toMatchObject({
        outcome: 'granted',
        used: [1, 9, 1],
      });
    });

    it('keep the first value that is set', async () => {
      const counters = await withBudget(3);
      await counters.setSpent({ subject: 'key:a', measure: 'usd_day' }, 0);
      expect(await counters.reserve([charge('usd_day', 10, 1)])).toMatchObject({ used: [4] });
    });

    it('ignore a sum from before midnight', async () => {
      const counters = await opened();
      const before = await counters.reserve([charge('usd_day', 10, 1)]);
      now = Date.UTC(2026, 10, 22);
      if (before.outcome === 'budget_unknown')
        for (const unseeded of before.charges) await counters.setSpent(unseeded, 10);
      expect(await counters.reserve([charge('usd_day', 10, 1)])).toMatchObject({
        outcome: 'budget_unknown',
        charges: [{ since: now }],
      });
    });

    it('count what is reserved until it is settled, then what was used', async () => {
      const counters = await withBudget();
      const reservation = granted(await counters.reserve([charge('usd_day', 100, 100)]));
      expect(await counters.reserve([charge('usd_day', 100, 1)])).toMatchObject({
        outcome: 'refused',
        used: 100,
      });
      reservation.settle([30]);
      expect(await counters.reserve([charge('usd_day', 100, 71)])).toMatchObject({
        outcome: 'refused',
        used: 30,
      });
      granted(await counters.reserve([charge('usd_day', 100, 70)]));
    });

    it('settle once, in full if it was more, and as reserved if it is unknown', async () => {
      const counters = await withBudget();
      const reservation = granted(await counters.reserve([charge('usd_day', 100, 10)]));
      reservation.settle([20]);
      reservation.settle([50]);
      granted(await counters.reserve([charge('usd_day', 100, 5)])).settle([]);
      granted(await counters.reserve([charge('usd_day', 100, 5)])).settle([NaN]);
      expect(await counters.reserve([charge('usd_day', 100, 0)])).toMatchObject({ used: [30] });
    });

    it('say to retry soon if only reservations are in the way, and at the end of the period if it is spent', async () => {
      const counters = await withBudget();
      const reservation = granted(await counters.reserve([charge('usd_day', 100, 100)]));
      expect(await counters.reserve([charge('usd_day', 100, 1)])).toMatchObject({
        retryAfterMs: 5_000,
      });
      reservation.settle([100]);
      expect(await counters.reserve([charge('usd_day', 100, 1)])).toMatchObject({
        retryAfterMs: dayMs / 2,
      });
      expect(await counters.reserve([charge('usd_day', 100, 101)])).toMatchObject({
        retryAfterMs: dayMs / 2,
      });
    });

    it.each([
      ['a day', 'usd_day', Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22)],
      ['the last day of a year', 'usd_day', Date.UTC(2027, 11, 31), Date.UTC(2028, 0, 1)],
      ['a month of 30 days', 'usd_month', Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 1)],
      ['December', 'usd_month', Date.UTC(2026, 11, 1), Date.UTC(2027, 0, 1)],
      ['February', 'usd_month', Date.UTC(2027, 1, 1), Date.UTC(2027, 2, 1)],
      ['February of a leap year', 'usd_month', Date.UTC(2028, 1, 1), Date.UTC(2028, 2, 1)],
    ] as const)('begin anew when %s ends', async (_, measure, from, to) => {
      const counters = await opened();
      now = from;
      await counters.setSpent({ subject: 'key:a', measure }, 10);
      expect(await counters.reserve([charge(measure, 10, 1)])).toMatchObject({
        outcome: 'refused',
        retryAfterMs: to - from,
      });
      now = to - 1;
      expect(await counters.reserve([charge(measure, 10, 1)])).toMatchObject({
        outcome: 'refused',
        retryAfterMs: 1,
      });
      now = to;
      expect(await counters.reserve([charge(measure, 10, 1)])).toMatchObject({
        outcome: 'budget_unknown',
        charges: [{ since: to }],
      });
    });

    it('count what was reserved yesterday neither as reserved nor as used today', async () => {
      const counters = await withBudget();
      const reservation = granted(await counters.reserve([charge('usd_day', 100, 60)]));
      now += dayMs;
      await counters.setSpent({ subject: 'key:a', measure: 'usd_day' }, 0);
      granted(await counters.reserve([charge('usd_day', 100, 50)]));
      reservation.settle([60]);
      expect(await counters.reserve([charge('usd_day', 100, 50)])).toMatchObject({
        outcome: 'granted',
        used: [100],
      });
    });

    it('are exact to the nanodollar in a budget of a million', async () => {
      const counters = await withBudget(usdToNano(999_999));
      const limit = usdToNano(1_000_000);
      granted(await counters.reserve([charge('usd_day', limit, usdToNano(0.999999999))])).settle([
        usdToNano(0.999999998),
      ]);
      granted(await counters.reserve([charge('usd_day', limit, 2)]));
      expect(await counters.reserve([charge('usd_day', limit, 1)])).toMatchObject({
        outcome: 'refused',
        used: limit,
      });
    });

    it('never grant more than the limit, in whatever order reservations are made and settled', async () => {
      const step = fc.record({
        amount: fc.integer({ min: 0, max: 60 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
        settles: fc.nat(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
          const counters = await withBudget();
          const reservations: { reservation: Reservation; amount: number; share: number }[] = [];
          let used = 0;
          for (const { amount, share, settles } of steps) {
            const result = await counters.reserve([charge('usd_day', 100, amount)]);
            const sum =
              used +
              reservations.reduce((reserved, reservation) => reserved + reservation.amount, 0);
            expect(result.outcome).toBe(sum + amount <= 100 ? 'granted' : 'refused');
            if (result.outcome === 'granted')
              reservations.push({ reservation: result.reservation, amount, share });
            for (const gone of settles % 2
              ? reservations.splice(settles % reservations.length || 0, 1)
              : []) {
              used += Math.floor(gone.amount * gone.share);
              gone.reservation.settle([Math.floor(gone.amount * gone.share)]);
            }
          }
          expect(used).toBeLessThanOrEqual(100);
        }),
        { numRuns: 25 },
      );
    });
  });

  describe.skipIf(!isThere)('count failed sign-ins, and', () => {
    const failed = async (counters: Counters, times: number): Promise<void> => {
      for (let time = 0; time < times; time++) await counters.countFailure('account:a');
    };

    it('let no one wait without a failure', async () => {
      expect(await (await opened()).loginBackoff('account:a')).toEqual({ failures: 0, waitMs: 0 });
    });

    it('make the fifth failure wait, then twice as long each time, up to 15 minutes', async () => {
      const counters = await opened();
      const waits: number[] = [];
      for (let time = 0; time < 17; time++)
        waits.push((await counters.countFailure('account:a')).waitMs);
      expect(waits).toEqual(
        [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900].map(
          (seconds) => seconds * 1000,
        ),
      );
    });

    it('count down the wait', async () => {
      const counters = await opened();
      await failed(counters, 6);
      now += 500;
      expect(await counters.loginBackoff('account:a')).toEqual({ failures: 6, waitMs: 1_500 });
      now += 1_500;
      expect(await counters.loginBackoff('account:a')).toEqual({ failures: 6, waitMs: 0 });
      expect(await counters.loginBackoff('account:b')).toEqual({ failures: 0, waitMs: 0 });
    });

    it('forget failures when they are cleared, or a day after the last', async () => {
      const counters = await opened();
      await failed(counters, 6);
      await counters.clearFailures('account:a');
      expect(await counters.countFailure('account:a')).toEqual({ failures: 1, waitMs: 0 });
      now += dayMs;
      expect(await counters.loginBackoff('account:a')).toEqual({ failures: 0, waitMs: 0 });
      expect(await counters.countFailure('account:a')).toEqual({ failures: 1, waitMs: 0 });
    });
  });

  describe.skipIf(!isThere)('keep recent lists, and', () => {
    it('read the newest texts first, up to the maximum', async () => {
      const { recentLists } = await opened();
      for (const text of ['one', 'two', 'three'])
        recentLists.add('list', text, { maxTexts: 2, keepMs: minuteMs });
      recentLists.add('other', 'else', { maxTexts: 2, keepMs: minuteMs });
      expect(await recentLists.read('list')).toEqual(['three', 'two']);
      recentLists.add('list', 'four', { maxTexts: 2, keepMs: minuteMs });
      expect(await recentLists.read('list')).toEqual(['four', 'three']);
      expect(await recentLists.read('nothing')).toEqual([]);
    });

    it('forget a list some time after its last text', async () => {
      const { recentLists } = await opened();
      recentLists.add('list', 'one', { maxTexts: 2, keepMs: 40 });
      expect(await recentLists.read('list')).toEqual(['one']);
      now += 40;
      await until(async () => (await recentLists.read('list')).length === 0);
    });
  });
});

describe.skipIf(!redisIsThere)('memory and Redis', () => {
  const measure = fc.constantFrom<Measure>('requests', 'tokens', 'usd_day', 'usd_month');
  const wanted = fc.uniqueArray(
    fc.record({
      measure,
      limit: fc.integer({ min: 0, max: 50 }),
      amount: fc.integer({ min: 0, max: 30 }),
    }),
    { selector: (one) => one.measure, minLength: 1 },
  );
  const action = fc.oneof(
    { weight: 5, arbitrary: fc.record({ reserve: wanted }) },
    {
      weight: 3,
      arbitrary: fc.record({
        settle: fc.nat(),
        used: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 4 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ setSpent: fc.integer({ min: 0, max: 20 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        wait: fc.oneof(
          fc.integer({ min: 0, max: 90_000 }),
          fc.constant(dayMs),
          fc.integer({ min: 0, max: 20 * dayMs }),
        ),
      }),
    },
  );

  it('give the same results, whatever the order and time of calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        now = noon;
        const both = [await inMemory(), await inRedis()];
        open.push(...both);
        const reservations: Reservation[][] = [];
        for (const one of actions) {
          if ('wait' in one) now += one.wait;
          if ('setSpent' in one)
            for (const name of ['usd_day', 'usd_month'] as const)
              for (const counters of both)
                await counters.setSpent({ subject: 'key:a', measure: name }, one.setSpent);
          if ('settle' in one)
            for (const reservation of reservations
              .splice(one.settle % (reservations.length || 1), 1)
              .flat())
              reservation.settle(one.used);
          if (!('reserve' in one)) continue;
          const charges = one.reserve.map((each) => ({ ...each, subject: 'key:a' }));
          const verdicts = [await both[0]!.reserve(charges), await both[1]!.reserve(charges)];
          const [inProcess, shared] = verdicts.map((result) =>
            result.outcome === 'granted' ? { ...result, reservation: null } : result,
          );
          expect(shared).toEqual(inProcess);
          if (inProcess?.outcome === 'granted') reservations.push(verdicts.map(granted));
        }
      }),
      { numRuns: runs(60) },
    );
  });
});
