import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.js';
import { OutcomeCounts } from '../../../src/chooser/learning/outcome-counts.js';
import { decodeEvidence } from '../../../src/chooser/learning/evidence-codec.js';
import type { LazyDatabases } from '../../../src/store/lazy-databases.js';
import type { LearningScope } from '../../../src/store/contracts/learnings.js';
import { quietDatabases } from '../../helpers/quiet-databases.js';
import { isWholeRun } from '../../helpers/runs.js';
import type { Outcome } from '../../../src/chooser/learning/learn-from-request.js';

const outcome = (kind: Outcome, name = 'p/a') => new Map([[name, kind]]);
const never = 3_600_000;

describe('counts of outcomes', () => {
  let backing: LazyDatabases;
  let lost: [string, number][];
  let scope: LearningScope;
  beforeEach(() => {
    backing = quietDatabases();
    lost = [];
    scope = { accountId: randomUUID(), preferenceId: '' };
  });
  afterEach(() => backing.close());
  const countsOn = (on: LazyDatabases, hasFaults = false, now = Date.now): OutcomeCounts =>
    new OutcomeCounts(on, {
      report: { lost: (...what) => lost.push(what), warn: () => undefined },
      hasFaults: () => hasFaults,
      everyMs: never,
      now,
    });
  const forget = (counts: OutcomeCounts, of = scope): Promise<void> =>
    counts.forget(of, null, async () => {
      await (await backing.get()).store.learnings.forget(of);
    });
  const stored = async (of = scope): Promise<Record<string, unknown> | null> => {
    const record = await (await backing.get()).store.learnings.find(of);
    return (
      record &&
      Object.fromEntries(
        decodeEvidence(record.state).rows.map(({ model, key, weight, score }) => [
          key === 'k' ? model : `${key} ${model}`,
          [Math.round(weight), Math.round(weight * (1 - score))],
        ]),
      )
    );
  };
  /** Databases that fail the first `times` times. */
  const awayFor = (
    times: number,
    error: Error = new GatewayError('unavailable', 'away'),
  ): LazyDatabases =>
    Object.assign(Object.create(backing) as LazyDatabases, {
      get: () => (times-- > 0 ? Promise.reject(error) : backing.get()),
    });

  it('are added to what any process has counted before', async () => {
    const [one, other] = [countsOn(backing), countsOn(backing)];
    for (const counts of [one, other]) {
      for (const kind of ['answered', 'failed', 'answered'] as const)
        counts.add(scope, 'k', outcome(kind));
      counts.add(scope, 'k', outcome('answered', 'p/b'));
    }
    await Promise.all([one.flush(5_000), other.flush(5_000)]);
    expect(await stored()).toEqual({ 'p/a': [6, 2], 'p/b': [2, 0] });
  });

  it('are not written if nothing ever failed', async () => {
    const counts = countsOn(backing);
    for (let times = 0; times < 100; times++) counts.add(scope, 'k', outcome('answered'));
    await counts.flush(5_000);
    expect(await stored()).toBeNull();
    counts.add(scope, 'k', outcome('failed'));
    await counts.close();
    expect(await stored()).toEqual({ 'p/a': [101, 1] });
  });

  it('of answers without a failure are written from a minimum on, if something had failed before', async () => {
    const counts = countsOn(backing, true);
    for (let times = 0; times < 49; times++) counts.add(scope, 'k', outcome('answered'));
    await counts.flush(5_000);
    expect(await stored()).toBeNull();
    counts.add(scope, 'k', outcome('answered'));
    await counts.flush(5_000);
    expect(await stored()).toEqual({ 'p/a': [50, 0] });
  });

  it('of fewer answers without a failure are written after a minute, if something had failed before', async () => {
    const begun = Date.now();
    let now = begun;
    const counts = countsOn(backing, true, () => now);
    for (const after of [0, 59_000, 60_000]) {
      now = begun + after;
      expect(await stored()).toBeNull();
      counts.add(scope, 'k', outcome('answered'));
      await counts.flush(5_000);
    }
    expect(await stored()).toEqual({ 'p/a': [3, 0] });
  });

  it('wait and add up while the database is away', async () => {
    const counts = countsOn(awayFor(2));
    counts.add(scope, 'k', outcome('failed'));
    expect(await counts.flush(10)).toBe(false);
    counts.add(scope, 'k', outcome('failed'));
    expect(await counts.flush(10)).toBe(false);
    await counts.flush(5_000);
    expect(await stored()).toEqual({ 'p/a': [2, 2] });
    expect(lost).toEqual([]);
    await counts.close();
  });

  it('that come while others are written wait for the next write', async () => {
    let written = 0;
    const busy = Object.assign(Object.create(backing) as LazyDatabases, {
      get: () => {
        if (++written < 10) counts.add(scope, 'k', outcome('failed'));
        return backing.get();
      },
    });
    const counts = countsOn(busy);
    counts.add(scope, 'k', outcome('failed'));
    await counts.flush(5_000);
    expect(written).toBe(1);
    await counts.close();
    expect(await stored()).toEqual({ 'p/a': [2, 2] });
  });

  it('are dropped when their scope is forgotten, while those of another scope stay', async () => {
    const other = { ...scope, preferenceId: '', accountId: randomUUID() };
    const counts = countsOn(backing);
    for (const each of [scope, other]) counts.add(each, 'k', outcome('failed'));
    await forget(counts);
    await counts.flush(5_000);
    expect([await stored(), await stored(other)]).toEqual([{}, { 'p/a': [1, 1] }]);
    counts.add(scope, 'k', outcome('failed'));
    await counts.flush(5_000);
    expect(await stored()).toEqual({ 'p/a': [1, 1] });
  });

  it('that are being written when their scope is forgotten do not return', async () => {
    let open = (): void => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    const slow = Object.assign(Object.create(backing) as LazyDatabases, {
      get: () => held.then(() => backing.get()),
    });
    const counts = countsOn(slow);
    counts.add(scope, 'k', outcome('failed'));
    const written = counts.flush(5_000);
    const forgotten = forget(counts);
    open();
    await Promise.all([written, forgotten]);
    expect(await stored()).toEqual({});
  });

  it('are kept apart by key', async () => {
    const counts = countsOn(backing);
    for (let times = 0; times < 3; times++) counts.add(scope, 'k', outcome('failed'));
    counts.add(scope, 'l', outcome('failed'));
    counts.add(scope, null, outcome('answered'));
    await counts.flush(5_000);
    expect(await stored()).toEqual({ 'p/a': [3, 3], 'l p/a': [1, 1], 'null p/a': [1, 0] });
  });

  it('of another key, model or time stay when a part is forgotten', async () => {
    const counts = countsOn(backing);
    const since = Date.now();
    for (const key of ['k', 'l'])
      for (const name of ['p/a', 'p/b']) counts.add(scope, key, outcome('failed', name));
    const none = { from: null, keys: null, model: null };
    for (const part of [
      { ...none, keys: ['l'], model: 'a' },
      { ...none, keys: ['k'], from: since + 3_600_000 },
      { ...none, keys: ['k'], from: since, model: 'b' },
    ])
      await counts.forget(scope, part, () => Promise.resolve());
    await counts.flush(5_000);
    expect(await stored()).toEqual({ 'p/a': [1, 1], 'l p/b': [1, 1] });
  });

  it('stay when their scope could not be forgotten', async () => {
    const counts = countsOn(backing);
    counts.add(scope, 'k', outcome('failed'));
    await expect(
      counts.forget(scope, null, () => Promise.reject(new GatewayError('unavailable', 'away'))),
    ).rejects.toThrow('away');
    await counts.flush(5_000);
    expect(await stored()).toEqual({ 'p/a': [1, 1] });
  });

  it('of another process from before the scope was forgotten are left out too', async () => {
    let now = Date.now() - 1_000;
    const other = new OutcomeCounts(backing, {
      report: { lost: () => undefined, warn: () => undefined },
      hasFaults: () => false,
      everyMs: never,
      now: () => now,
    });
    other.add(scope, 'k', outcome('failed'));
    await forget(countsOn(backing));
    now += 5_000;
    other.add(scope, 'k', outcome('failed'));
    await other.flush(5_000);
    expect(await stored()).toEqual({});
    other.add(scope, 'k', outcome('failed'));
    await other.flush(5_000);
    expect(await stored()).toEqual({ 'p/a': [1, 1] });
  });

  it('are reported as lost when they are refused', async () => {
    const broken = countsOn(awayFor(1, new Error('no such table')));
    broken.add(scope, 'k', outcome('failed'));
    await broken.flush(5_000);
    expect(lost).toEqual([['outcomes', 1]]);
  });

  it.runIf(isWholeRun)('are reported as lost when the gateway stops during an outage', async () => {
    const away = countsOn(awayFor(9));
    away.add(scope, 'k', outcome('failed'));
    await away.close();
    away.add(scope, 'k', outcome('failed'));
    expect(lost).toEqual([['outcomes', 1]]);
  });

  it('are bounded: models of keys in a scope, and scopes', async () => {
    const counts = countsOn(backing);
    for (let at = 0; at < 150; at++) counts.add(scope, 'k', outcome('failed', `p/${at}`));
    await counts.flush(5_000);
    expect(Object.keys((await stored())!)).toHaveLength(100);
    const full = countsOn(awayFor(Infinity));
    for (let at = 0; at < 5_001; at++)
      full.add({ accountId: `account ${at}`, preferenceId: '' }, 'k', outcome('failed'));
    expect(lost).toEqual([['outcomes', 1]]);
  });
});
