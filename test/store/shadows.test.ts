import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShadowBudget } from '../../src/chooser/savings/shadow-limits.js';
import type { FeedbackRow, NewRequest } from '../../src/store/contracts/requests.js';
import type { NewShadow } from '../../src/store/contracts/shadows.js';
import type { Store } from '../../src/store/contracts/store.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { openCounters } from '../../src/store/open-databases.js';
import { requestRow } from '../helpers/request-row.js';
import { type Place, storeRows } from '../helpers/stores.js';

const noon = Date.UTC(2026, 0, 10, 12);
const dayMs = 86_400_000;

/** The small model's answer is twice as long as predicted, the large one's three times. */
const shadow: NewShadow = {
  preferenceId: null,
  responseId: null,
  chosen: { model: 'up/small', quality: 0.7, uncertainty: 0.05, tokens: 200, expectedTokens: 100 },
  shadow: { model: 'up/large', quality: 0.8, uncertainty: 0.06, tokens: 900, expectedTokens: 300 },
  isPair: true,
  costUsd: 0.01,
};

const shadowed = (accountId: string, more: Partial<NewShadow> = {}, at = noon): NewRequest => ({
  ...requestRow({ accountId, at, surface: 'shadow', planId: randomUUID() }),
  shadow: { ...shadow, ...more },
});

const ratingOf = (accountId: string, more: Partial<FeedbackRow>): FeedbackRow => ({
  id: randomUUID(),
  accountId,
  keyId: null,
  at: noon,
  sessionId: null,
  responseId: null,
  provider: 'up',
  model: 'small',
  score: 1,
  comment: null,
  tokensPerSecond: null,
  predicted: 0.7,
  ...more,
});

describe.each(storeRows)('pairs of answers on $name', (row) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
  });
  afterAll(() => place.remove());

  it('are summed by their two models, once each, for an account, its keys and a period', async () => {
    const accountId = randomUUID();
    const first = shadowed(accountId);
    await store.requests.add([first, shadowed(accountId), shadowed(randomUUID())]);
    await store.requests.add([first]);
    await store.requests.add([shadowed(accountId, {}, noon + dayMs)]);
    const ratio = Math.log(3 / 2);
    const [sums, ...others] = await store.shadows.pairs({ accountId, to: noon });
    expect(others).toEqual([]);
    expect(sums).toMatchObject({ chosen: 'up/small', shadow: 'up/large', pairs: 2, measured: 2 });
    expect(sums?.logRatio).toBeCloseTo(2 * ratio, 9);
    expect(sums?.logRatioSquares).toBeCloseTo(2 * ratio ** 2, 9);
    expect(sums?.costUsd).toBeCloseTo(0.02, 9);
    expect(await store.shadows.pairs({ accountId, keyIds: ['another'] })).toEqual([]);
    expect(await store.shadows.ofPlan(accountId, first.planId ?? '')).toBe(first.id);
    expect(await store.shadows.ofPlan(randomUUID(), first.planId ?? '')).toBeNull();
  });

  it('are none where there is one answer, which costs nevertheless, and measure no length that is unknown', async () => {
    const accountId = randomUUID();
    const unknown = { ...shadow.shadow, tokens: 0 };
    await store.requests.add([
      shadowed(accountId, { isPair: false }),
      shadowed(accountId, { shadow: unknown }),
    ]);
    expect(await store.shadows.pairs({ accountId })).toMatchObject([
      { pairs: 1, measured: 0, logRatio: 0, costUsd: 0.02 },
    ]);
  });

  it('are rated where both answers are, whichever id names them, and count once', async () => {
    const accountId = randomUUID();
    const responseId = randomUUID();
    const pairs = [
      shadowed(accountId, { responseId }),
      shadowed(accountId),
      shadowed(accountId, { isPair: false }),
    ];
    await store.requests.add(pairs);
    const [one, two, none] = pairs.map(({ planId }) => planId);
    const ratings = [
      // the first by the answer's id, twice, and by the plan's
      { responseId, score: 0 },
      { responseId, score: 1 },
      { sessionId: one!, model: 'large', score: 1, predicted: 0.8 },
      // of the second, one answer alone
      { sessionId: two!, score: 1 },
      { sessionId: two!, model: 'large', score: 1, predicted: null },
      // nor do two keys make a pair
      { sessionId: two!, model: 'large', score: 1, keyId: 'another' },
      { sessionId: none!, score: 1 },
      { sessionId: none!, model: 'large', score: 1 },
    ];
    for (const rating of ratings) await store.feedback.add(ratingOf(accountId, rating));
    // another account's rating of the same plan
    await store.feedback.add(ratingOf(randomUUID(), { sessionId: two!, model: 'large' }));
    const [rated, ...others] = await store.shadows.rated({ accountId });
    expect(others).toEqual([]);
    // 1 - 0.8 less 0.5 - 0.7
    expect(rated?.pairs).toBe(1);
    expect(rated?.difference).toBeCloseTo(0.4, 9);
    expect(rated?.squares).toBeCloseTo(0.16, 9);
    expect(rated).toMatchObject({ uncertainty: 0.06, chosenUncertainty: 0.05 });
    const [first, second] = rated?.singles ?? [];
    expect(first).toMatchObject({ model: 'up/small', answers: 1 });
    expect(first?.difference).toBeCloseTo(-0.2, 9);
    expect(second).toMatchObject({ model: 'up/large', answers: 1 });
    expect(second?.difference).toBeCloseTo(0.2, 9);
    expect(await store.shadows.rated({ accountId, from: noon + dayMs })).toEqual([]);
  });

  it('are allowed unless the account says otherwise', async () => {
    const accountId = randomUUID();
    expect(await store.shadows.isAllowed(accountId)).toBe(true);
    await store.shadows.allow(accountId, false, noon);
    await store.shadows.allow(accountId, false, noon);
    expect(await store.shadows.isAllowed(accountId)).toBe(false);
    expect(await store.shadows.isAllowed(randomUUID())).toBe(true);
    await store.shadows.allow(accountId, true, noon);
    expect(await store.shadows.isAllowed(accountId)).toBe(true);
  });

  it('are deleted with their account, and when they are old', async () => {
    const [accountId, old] = [randomUUID(), randomUUID()];
    await store.requests.add([shadowed(accountId), shadowed(old, {}, 0)]);
    await store.shadows.allow(accountId, false, noon);
    while ((await store.removal.removeRows(accountId, 10)) > 0);
    expect(await store.shadows.pairs({ accountId })).toEqual([]);
    expect(await store.shadows.isAllowed(accountId)).toBe(true);
    await store.retention.removeBefore('shadows', dayMs, 1_000);
    expect(await store.shadows.pairs({ accountId: old })).toEqual([]);
  });

  it("count towards the day's budget, also after a restart", async () => {
    await store.requests.add([shadowed(randomUUID(), { costUsd: 0.9 }, Date.now())]);
    const counters = await openCounters(null);
    const databases = new LazyDatabases(() => Promise.resolve({ store, counters }), false);
    const budget = new ShadowBudget(databases, () => Promise.resolve());
    expect(await budget.reserve(1, 0.2)).toBeNull();
    const reserved = await budget.reserve(1, 0.08);
    expect(await budget.reserve(1, 0.08)).toBeNull();
    reserved?.settle(0.01);
    expect(await budget.reserve(1, 0.08)).not.toBeNull();
    await counters.close();
  });
});
