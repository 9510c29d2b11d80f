import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChosenSums } from '../../src/store/contracts/choices.js';
import type { FeedbackRow } from '../../src/store/contracts/requests.js';
import type { Store } from '../../src/store/contracts/store.js';
import { dayOf } from '../../src/store/sql/usage/usage.js';
import { addSums, withChoice } from '../../src/store/sum-choices.js';
import { newChoice } from '../helpers/new-choice.js';
import { requestRow } from '../helpers/request-row.js';
import { type Place, storeRows } from '../helpers/stores.js';

const dayMs = 86_400_000;
const noon = Date.UTC(2026, 0, 10, 12);

const sumsIn = (
  accountId: string,
  choice = newChoice(),
  at = noon,
  keyId: string | null = 'key',
): ChosenSums[] => {
  const whose = { accountId, keyId, at };
  const sums = withChoice(undefined, whose, choice, dayOf(at), 1);
  const { replaces } = choice;
  return replaces ? [sums, withChoice(undefined, whose, replaces, dayOf(at), -1)] : [sums];
};

const ratingOf = (accountId: string, more: Partial<FeedbackRow>): FeedbackRow => ({
  id: randomUUID(),
  accountId,
  keyId: null,
  at: noon,
  sessionId: null,
  responseId: randomUUID(),
  provider: 'up',
  model: 'small',
  score: 1,
  comment: null,
  tokensPerSecond: null,
  predicted: 0.75,
  ...more,
});

describe.each(storeRows)('sums of choices on $name', (row) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
  });
  afterAll(() => place.remove());
  const sumsOf = (accountId: string) => store.choices.sums({ accountId }, null, null);

  it('compare what was chosen with each candidate, whether they were added up before or not', async () => {
    const accountId = randomUUID();
    await store.choices.add([...sumsIn(accountId), ...sumsIn(accountId)]);
    const [one, another] = [...sumsIn(accountId), ...sumsIn(accountId)];
    await store.choices.add([addSums(one!, another!)]);
    expect((await sumsOf(accountId)).sort((a, b) => (a.candidate < b.candidate ? -1 : 1))).toEqual([
      {
        group: '',
        chosen: 'up/small',
        candidate: 'up/large',
        isMeasured: true,
        choices: 4,
        quality: expect.closeTo(3.2) as number,
        uncertainty: expect.closeTo(0.2) as number,
        chosenQuality: expect.closeTo(2.8) as number,
        chosenUncertainty: expect.closeTo(0.2) as number,
        variance: expect.closeTo(4 * (0.16 + 0.21)) as number,
        priced: 4,
        promptUsd: expect.closeTo(0.02) as number,
        answerUsd: expect.closeTo(0.04) as number,
        answerSquares: expect.closeTo(0.0004) as number,
        actualUsd: expect.closeTo(0.008) as number,
        chosenPromptUsd: 0,
        chosenAnswerUsd: 0,
        tokens: 1_200,
        expectedTokens: 800,
      },
      expect.objectContaining({
        candidate: 'up/small',
        choices: 4,
        variance: 0,
        priced: 4,
      }),
    ]);
  });

  it('leave out costs of which one is unknown, and not the qualities', async () => {
    const accountId = randomUUID();
    const figures = [0.7, 0.05, 0.0005, 0.001, 0.8, 0.05, NaN, NaN];
    await store.choices.add(sumsIn(accountId, newChoice({ figures })));
    expect(await sumsOf(accountId)).toContainEqual(
      expect.objectContaining({
        candidate: 'up/large',
        choices: 1,
        quality: 0.8,
        priced: 0,
        promptUsd: 0,
        answerUsd: 0,
        actualUsd: 0,
      }),
    );
  });

  it('take a decision back when its answer is reported', async () => {
    const accountId = randomUUID();
    const decision = newChoice({ measured: null });
    await store.choices.add(sumsIn(accountId, decision));
    expect(await sumsOf(accountId)).toContainEqual(
      expect.objectContaining({
        candidate: 'up/large',
        isMeasured: false,
        choices: 1,
        chosenPromptUsd: 0.0005,
      }),
    );
    await store.choices.add(sumsIn(accountId, newChoice({ replaces: decision })));
    expect(
      (await sumsOf(accountId)).map(({ candidate, isMeasured, choices }) => [
        candidate,
        isMeasured,
        choices,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['up/small', true, 1],
        ['up/large', true, 1],
      ]),
    );
    expect(await sumsOf(accountId)).toHaveLength(2);
  });

  it('are selected by day and key, and grouped by key, preference or chosen model', async () => {
    const accountId = randomUUID();
    const add = (keyId: string, at: number, more: Parameters<typeof newChoice>[0] = {}) =>
      store.choices.add(sumsIn(accountId, newChoice(more), at, keyId));
    await add('one', noon);
    await add('one', noon, { preferenceId: 'mine' });
    await add('two', noon - dayMs, { chosen: 1 });
    const { choices } = store;
    expect(await choices.groups({ accountId }, 'key', 10)).toEqual(['one', 'two']);
    expect(await choices.groups({ accountId }, 'key', 1)).toEqual(['one']);
    expect(await choices.groups({ accountId }, 'preference', 10)).toEqual(['', 'mine']);
    expect(await choices.groups({ accountId }, 'model', 10)).toEqual(['up/small', 'up/large']);
    const byKey = await choices.sums({ accountId, keyIds: ['two'] }, 'key', ['one', 'two']);
    expect(byKey.map(({ group, chosen }) => [group, chosen])).toEqual([
      ['two', 'up/large'],
      ['two', 'up/large'],
    ]);
    const today = await choices.sums({ accountId, from: noon, to: noon + 1 }, null, null);
    expect(today.map((one) => [one.chosen, one.choices])).toEqual([
      ['up/small', 2],
      ['up/small', 2],
    ]);
    expect(await choices.days(accountId)).toEqual(['2026-01-09', '2026-01-10']);
    expect(await choices.day(accountId, '2026-01-09')).toHaveLength(2);
  });

  it('take several ratings of one answer as one, and leave out what was not predicted', async () => {
    const accountId = randomUUID();
    const responseId = randomUUID();
    await store.feedback.add(ratingOf(accountId, { responseId, score: 1 }));
    await store.feedback.add(ratingOf(accountId, { responseId, score: 0 }));
    await store.feedback.add(ratingOf(accountId, { score: 1 }));
    await store.feedback.add(ratingOf(accountId, { predicted: null }));
    await store.feedback.add(ratingOf(accountId, { at: noon - dayMs }));
    const filter = { accountId, from: noon, to: noon + 1 };
    expect(await store.choices.ratings(filter)).toEqual([
      { accountId, keyId: '', model: 'up/small', answers: 2, difference: 0, squares: 0.125 },
    ]);
  });

  it('tell the ratings of each key apart, and share an answer between the keys that rated it', async () => {
    const accountId = randomUUID();
    const responseId = randomUUID();
    await store.feedback.add(ratingOf(accountId, { responseId, keyId: 'one', score: 1 }));
    await store.feedback.add(ratingOf(accountId, { responseId, keyId: 'two', score: 0 }));
    await store.feedback.add(ratingOf(accountId, { keyId: 'two', score: 1 }));
    expect(await store.choices.ratings({ accountId })).toMatchObject([
      { keyId: 'one', answers: 0.5, difference: 0.125 },
      { keyId: 'two', answers: 1.5, difference: 0.25 - 0.375 },
    ]);
    expect(await store.choices.ratings({ accountId, keyIds: ['two'] })).toMatchObject([
      { keyId: 'two', answers: 2 },
    ]);
  });

  it('leave out ratings that were forgotten: by time, key, model or preference', async () => {
    const accountId = randomUUID();
    const preference = randomUUID();
    const [withOne, without] = [randomUUID(), randomUUID()];
    await store.requests.add(
      [withOne, without].map((responseId) =>
        requestRow({
          accountId,
          responseId,
          plan: responseId === withOne ? { preferenceId: preference, candidates: [] } : {},
        }),
      ),
    );
    const add = (more: Partial<FeedbackRow>): Promise<void> =>
      store.feedback.add(ratingOf(accountId, more));
    const left = async (): Promise<number> =>
      (await store.choices.ratings({ accountId })).reduce((sum, { answers }) => sum + answers, 0);
    const all = { accountId, preferenceId: '', from: null, keyIds: null, models: null };
    await add({ responseId: withOne });
    await add({ responseId: without });
    await add({ keyId: 'one' });
    await add({ model: 'large' });
    await add({ at: noon + 1 });
    expect(await left()).toBe(5);
    await store.feedback.forget({ ...all, accountId: randomUUID() });
    await store.feedback.forget({ ...all, keyIds: [] });
    await store.feedback.forget({ ...all, from: noon + 1 });
    expect(await left()).toBe(4);
    await store.feedback.forget({ ...all, keyIds: ['one'] });
    expect(await left()).toBe(3);
    expect(await store.feedback.ratedModels(accountId)).toEqual(
      expect.arrayContaining(['large', 'small']),
    );
    await store.feedback.forget({ ...all, models: ['large'] });
    expect(await left()).toBe(2);
    await store.feedback.forget({ ...all, preferenceId: randomUUID() });
    await store.feedback.forget(all);
    expect(await left()).toBe(1);
    await store.feedback.forget({ ...all, preferenceId: preference });
    expect(await left()).toBe(0);
    const { items } = await store.feedback.list(accountId, { limit: 10, cursor: null });
    expect(items).toHaveLength(5);
  });

  it('are deleted by age, and with their account', async () => {
    const accountId = randomUUID();
    await store.choices.add(
      [1, 2, 3].flatMap((day) => sumsIn(accountId, newChoice(), day * dayMs + 5)),
    );
    expect(await store.retention.removeBefore('choice_days', 2 * dayMs, 100)).toBe(2);
    expect(await store.choices.days(accountId)).toEqual(['1970-01-03', '1970-01-04']);
    let rounds = 0;
    while ((await store.removal.removeRows(accountId, 3)) > 0) rounds++;
    expect(rounds).toBeGreaterThan(1);
    expect(await sumsOf(accountId)).toEqual([]);
  });
});
