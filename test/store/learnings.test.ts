import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LearningScope, LearningStore } from '../../src/store/contracts/learnings.js';
import type { FeedbackRow } from '../../src/store/contracts/requests.js';
import type { Store } from '../../src/store/contracts/store.js';
import { type Place, storeRows } from '../helpers/stores.js';

const feedbackOf = (
  { accountId }: LearningScope,
  changes: Partial<FeedbackRow> = {},
): FeedbackRow => ({
  id: randomUUID(),
  accountId,
  keyId: null,
  at: Date.now(),
  sessionId: randomUUID(),
  responseId: null,
  provider: 'p',
  model: 'a',
  score: 1,
  comment: null,
  tokensPerSecond: null,
  predicted: null,
  ...changes,
});
const more = (state: string | null): string => String(Number(state ?? 0) + 1);
const scopeOf = (preferenceId = ''): LearningScope => ({ accountId: randomUUID(), preferenceId });

describe.each(storeRows)('what is learned, on $name', (row) => {
  let place: Place;
  let store: Store;
  let learnings: LearningStore;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
    learnings = store.learnings;
  });
  afterAll(() => place.remove());

  it('is stored for each account and preference separately', async () => {
    const scope = scopeOf();
    expect(await learnings.find(scope)).toBeNull();
    await learnings.change([
      [scope, () => '{"a":1}'],
      [scopeOf(), () => 'x'],
    ]);
    expect(await learnings.find(scope)).toMatchObject({ ...scope, state: '{"a":1}' });
    expect(await learnings.find(scopeOf())).toBeNull();
  });

  it('loses nothing that two replicas add at the same time', async () => {
    const scope = scopeOf();
    const other = (await place.open()).learnings;
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? learnings : other).change([[scope, more]]),
      ),
    );
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (at % 2 === 0 ? learnings : other).rate(scope, [feedbackOf(scope)], more),
      ),
    );
    expect(await learnings.find(scope)).toMatchObject({ state: '30' });
  });

  it('is stored together with its feedback, or neither is', async () => {
    const scope = scopeOf();
    const failing = learnings.rate(scope, [feedbackOf(scope)], () => {
      throw new Error('cannot learn');
    });
    await expect(failing).rejects.toThrow();
    expect((await store.feedback.list(scope.accountId, { limit: 10, cursor: null })).items).toEqual(
      [],
    );
    await learnings.rate(scope, [feedbackOf(scope)], more);
    expect(
      (await store.feedback.list(scope.accountId, { limit: 10, cursor: null })).items,
    ).toHaveLength(1);
  });

  it('accepts several ratings at once, all or none', async () => {
    const scope = scopeOf(),
      sessionId = randomUUID();
    const several = [
      { score: 0.25, at: 1 },
      { score: 1, at: 2, model: 'b' },
      { score: 0.5, at: 3 },
      { score: 0, at: 4 },
    ].map((changes) => feedbackOf(scope, { sessionId, ...changes }));
    await learnings.rate(scope, several, more);
    expect(await learnings.find(scope)).toMatchObject({ state: '1' });
    await expect(
      learnings.rate(scope, [feedbackOf(scope), feedbackOf(scope)], () => {
        throw new Error('cannot learn');
      }),
    ).rejects.toThrow();
    expect(
      (await store.feedback.list(scope.accountId, { limit: 10, cursor: null })).items,
    ).toHaveLength(4);
  });

  it('is removed with its preference, and does not return when something is learned late', async () => {
    const { accountId } = scopeOf();
    const { id: preferenceId } = await store.preferences.add({
      id: randomUUID(),
      accountId,
      name: 'Mine',
      settings: {},
      createdAt: 1,
    });
    const scope = { accountId, preferenceId };
    await learnings.change([[scope, more]]);
    await learnings.change([[{ ...scope, accountId: randomUUID() }, more]]);
    expect(await learnings.find(scope)).toMatchObject({ state: '1' });
    await store.preferences.remove(accountId, preferenceId);
    await learnings.change([[scope, more]]);
    await learnings.rate(scope, [feedbackOf(scope)], more);
    expect(await learnings.find(scope)).toMatchObject({ state: null });
  });

  it('can be forgotten, and other processes notice', async () => {
    const scope = scopeOf();
    expect(await learnings.forget(scope)).toBe(false);
    await learnings.change([[scope, more]]);
    const { revision } = await learnings.changedSince(0);
    expect(await learnings.forget(scope)).toBe(true);
    expect(await learnings.forget(scope)).toBe(false);
    const changes = await learnings.changedSince(revision);
    expect(changes.records).toMatchObject([{ ...scope, state: null }]);
    expect(changes.revision).toBeGreaterThan(revision);
  });

  it('says when it was forgotten, even if nothing had been stored', async () => {
    const scope = scopeOf();
    const heard: (number | null)[] = [];
    const put = (next: string | null): Promise<void> =>
      learnings.change([
        [
          scope,
          (_state, forgottenAt) => {
            heard.push(forgottenAt);
            return next;
          },
        ],
      ]);
    await put(null);
    const before = Date.now();
    expect(await learnings.forget(scope)).toBe(false);
    await put(null);
    await put('1');
    await put('2');
    await learnings.forget(scope);
    await put('1');
    expect(heard.map((at) => at !== null && at >= before)).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
  });

  it('is removed after a long time without a change', async () => {
    const scope = scopeOf();
    await learnings.change([[scope, more]]);
    expect(await store.retention.removeBefore('learnings', 1, 100)).toBe(0);
    expect(
      await store.retention.removeBefore('learnings', Date.now() + 1_000, 1_000),
    ).toBeGreaterThan(0);
    expect(await learnings.find(scope)).toBeNull();
  });
});
