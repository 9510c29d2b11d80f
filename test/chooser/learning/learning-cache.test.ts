import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LearningCache } from '../../../src/chooser/learning/learning-cache.js';
import { decodeEvidence, encodeEvidence } from '../../../src/chooser/learning/evidence-codec.js';
import { withOutcomes } from '../../../src/chooser/learning/add-evidence.js';
import type { ModelScore } from '../../../src/chooser/learning/rated-decision.js';
import type { LazyDatabases } from '../../../src/store/lazy-databases.js';
import { quietDatabases } from '../../helpers/quiet-databases.js';
import type { FeedbackRow } from '../../../src/store/contracts/requests.js';
import { databases } from '../../helpers/databases.js';

const router = (): string => 'r';
const open = (): LazyDatabases => quietDatabases();
const scope = { accountId: 'fixed:some name', preferenceId: '' };
const feedback = (): FeedbackRow => ({
  id: randomUUID(),
  accountId: scope.accountId,
  keyId: null,
  at: Date.now(),
  sessionId: randomUUID(),
  responseId: null,
  provider: 'p',
  model: 'a',
  score: 0,
  comment: null,
  tokensPerSecond: null,
  predicted: null,
});
const rating = (): ModelScore => ({
  model: 'a',
  kinds: null,
  predicted: 0.5,
  score: 0,
  at: Date.now(),
});

describe('the cached learning of a scope', () => {
  it('is empty at first', async () => {
    const backing = open();
    await backing.get();
    const cache = new LearningCache(backing, { router });
    expect(await cache.find(scope)).toBeNull();
    expect(await cache.find(scope)).toBeNull();
    cache.close();
    await backing.close();
  });

  it('that another version told apart by other kinds is used without them, with one warning', async () => {
    const backing = open();
    const before = new LearningCache(backing, { router: () => 'earlier' });
    const kinds = { router: 'earlier', shares: [[3, 1]] } as const;
    await before.rate(feedback(), scope, { ...rating(), kinds });
    before.close();
    const warnings: string[] = [];
    const warn = (warning: string): void => void warnings.push(warning);
    const cache = new LearningCache(backing, { router, warn });
    expect(await cache.find(scope)).toMatchObject({ isRated: true });
    await cache.rate(feedback(), { ...scope, preferenceId: 'p' }, rating());
    await cache.find({ ...scope, preferenceId: 'p' });
    await cache.find(scope);
    expect(warnings).toEqual([
      'what account fixed:some name has learned was told apart by the kinds of task of an ' +
        'earlier version: it counts for all kinds alike until new ratings come',
    ]);
    cache.close();
    await backing.close();
  });

  it.each([
    ['{"version":2}', 'it cannot be read and is dropped'],
    ['{"version":3,"lessons":[[2]]}', 'what came of signals without a rating is dropped'],
  ])('that another version stored (%s) is taken over with one warning', async (state, fate) => {
    const backing = open();
    const { store } = await backing.get();
    await store.learnings.change([[scope, () => state]]);
    const warnings: string[] = [];
    const warn = (warning: string): void => void warnings.push(warning);
    const cache = new LearningCache(backing, { router, warn });
    await cache.find(scope);
    await cache.find(scope);
    expect(warnings).toEqual([
      `what account fixed:some name has learned was stored by another version: ${fate}`,
    ]);
    cache.close();
    await backing.close();
  });

  it('is known as soon as it is stored, and rated for a month', async () => {
    const backing = open();
    let now = Date.now();
    const cache = new LearningCache(backing, { router, now: () => now });
    await cache.rate(feedback(), scope, rating());
    expect(await cache.find(scope)).toMatchObject({ isRated: true, hasFaults: false });
    expect(await cache.find(scope)).toBe(await cache.find(scope));
    now += 31 * 86_400_000;
    expect(await cache.find(scope)).toMatchObject({ isRated: false });
    await cache.forget(scope);
    expect(await cache.find(scope)).toBeNull();
    expect(await cache.show(scope)).toMatchObject({ updatedAt: null });
    cache.close();
    await backing.close();
  });

  it.each<[string, () => Promise<never>]>([
    ['is away', () => Promise.reject(new Error('away'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])(
    'is empty while the database %s, and is not looked up again for a while',
    async (_what, get) => {
      const backing = open();
      let asked = 0,
        now = 0;
      const away = Object.assign(Object.create(backing) as LazyDatabases, {
        isVolatile: false,
        get: () => (asked++, get()),
      });
      const cache = new LearningCache(away, {
        router,
        maxWaitMs: 20,
        restMs: 1_000,
        now: () => now,
      });
      expect(await cache.find(scope)).toBeNull();
      expect(await cache.find(scope)).toBeNull();
      expect(asked).toBe(1);
      now = 1_000;
      expect(await cache.find(scope)).toBeNull();
      expect(asked).toBe(2);
      cache.close();
      await backing.close();
    },
  );

  it('stays known while the database is away, even if another scope is looked up', async () => {
    const backing = open();
    let isAway = false;
    const shaky = Object.assign(Object.create(backing) as LazyDatabases, {
      get: () => (isAway ? Promise.reject(new Error('away')) : backing.get()),
    });
    const cache = new LearningCache(shaky, { router });
    await cache.rate(feedback(), scope, rating());
    const known = await cache.find(scope);
    isAway = true;
    expect(await cache.find({ ...scope, preferenceId: 'another' })).toBeNull();
    expect(known).not.toBeNull();
    expect(await cache.find(scope)).toBe(known);
    cache.close();
    await backing.close();
  });

  it('is looked up again at once after a rating, though the last lookup was late', async () => {
    const backing = open();
    let isLate = true;
    const slow = Object.assign(Object.create(backing) as LazyDatabases, {
      isVolatile: false,
      get: () => (isLate ? new Promise<never>(() => undefined) : backing.get()),
    });
    const cache = new LearningCache(slow, { router, maxWaitMs: 1_000, restMs: 60_000 });
    expect(await cache.find(scope)).toBeNull();
    isLate = false;
    await cache.rate(feedback(), scope, rating());
    expect(await cache.find(scope)).toMatchObject({ isRated: true });
    cache.close();
    await backing.close();
  });

  it('is looked up once for concurrent requests', async () => {
    const backing = open();
    await new LearningCache(backing, { router }).rate(feedback(), scope, rating());
    const cache = new LearningCache(backing, { router, maxWaitMs: 5_000 });
    const found = await Promise.all(Array.from({ length: 200 }, async () => cache.find(scope)));
    expect(found.every((known) => known?.isRated)).toBe(true);
    cache.close();
    await backing.close();
  });

  it.each(databases)(
    'counts every one of many concurrent ratings on %s, and leaves connections to others',
    async (_name, make) => {
      const database = await make();
      const backing = quietDatabases(database.url, 2);
      const cache = new LearningCache(backing, { router });
      const { store } = await backing.get();
      const crowd = Promise.all(
        Array.from({ length: 400 }, (_, at) =>
          cache.rate(feedback(), scope, { ...rating(), model: `model-${at % 4}` }),
        ),
      );
      const under = { way: true };
      void crowd.finally(() => (under.way = false));
      let meanwhile = 0;
      for (; under.way; meanwhile++) await store.learnings.find(scope);
      await crowd;
      expect((await cache.show(scope)).state.rows).toHaveLength(400);
      expect(
        (await store.feedback.list(scope.accountId, { limit: 500, cursor: null })).items,
      ).toHaveLength(400);
      expect(meanwhile).toBeGreaterThan(3);
      cache.close();
      await backing.close();
      await database.drop();
    },
  );

  it('on kinds of task stays when a decision of another router is rated', async () => {
    const backing = open();
    const cache = new LearningCache(backing, { router });
    const rate = (name: string): Promise<void> =>
      cache.rate(feedback(), scope, { ...rating(), kinds: { router: name, shares: [[0, 1]] } });
    await rate('r');
    await rate('an older one');
    const { state } = await cache.show(scope);
    expect(state).toMatchObject({ router: 'r' });
    expect(state.rows.map(({ kinds }) => kinds)).toEqual([[[0, 1]], []]);
    cache.close();
    await backing.close();
  });

  it('has no faults after it was forgotten', async () => {
    const backing = open();
    let now = Date.now();
    const cache = new LearningCache(backing, { router, now: () => now });
    const { store } = await backing.get();
    await store.learnings.change([
      [
        scope,
        (state) =>
          encodeEvidence(
            withOutcomes(decodeEvidence(state), [
              {
                source: 'outcome',
                model: 'p/a',
                key: 'k',
                kinds: [],
                score: 0.5,
                weight: 10,
                predicted: 1,
                subject: '',
                at: now,
              },
            ]),
          ),
      ],
    ]);
    expect(await cache.find(scope)).toMatchObject({ hasFaults: true });
    expect(cache.hasFaults(scope)).toBe(true);
    now += 30 * 86_400_000;
    expect(cache.hasFaults(scope)).toBe(false);
    cache.close();
    await backing.close();
  });
});
