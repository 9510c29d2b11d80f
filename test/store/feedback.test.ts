import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FeedbackRow, FeedbackStore } from '../../src/store/contracts/requests.js';
import { type Place, storeRows } from '../helpers/stores.js';

const feedbackOf = (changes: Partial<FeedbackRow> = {}): FeedbackRow => ({
  id: randomUUID(),
  accountId: randomUUID(),
  keyId: null,
  at: 1_000,
  sessionId: null,
  responseId: null,
  provider: null,
  model: null,
  score: null,
  comment: null,
  tokensPerSecond: null,
  predicted: null,
  ...changes,
});

describe.each(storeRows)('feedback on $name', (row) => {
  let place: Place;
  let feedback: FeedbackStore;

  beforeAll(async () => {
    place = await row.place();
    feedback = (await place.open()).feedback;
  });
  afterAll(() => place.remove());

  it('is stored as it was given, once', async () => {
    const full = feedbackOf({
      keyId: 'key',
      sessionId: 'session',
      responseId: 'response',
      provider: 'openai',
      model: 'gpt-4o',
      score: 0.75,
      comment: 'Very \u{1f600}',
      tokensPerSecond: 41.5,
      predicted: 0.625,
    });
    const empty = feedbackOf({ accountId: full.accountId, at: 900 });
    await feedback.add(full);
    await feedback.add(empty);
    await feedback.add({ ...full, score: 0 });
    expect(await feedback.list(full.accountId, { limit: 10, cursor: null })).toEqual({
      items: [full, empty],
      next: null,
    });
  });

  it('accepts a comment with characters that no database accepts', async () => {
    const odd = feedbackOf({ comment: 'a\0b\ud800c' });
    await feedback.add(odd);
    expect((await feedback.list(odd.accountId, { limit: 10, cursor: null })).items).toMatchObject([
      { comment: 'a\ufffdb\ufffdc' },
    ]);
  });

  it('is listed newest first, page by page, to its own account', async () => {
    const accountId = randomUUID();
    for (const at of [2, 3, 1]) await feedback.add(feedbackOf({ accountId, at }));
    const first = await feedback.list(accountId, { limit: 2, cursor: null });
    const second = await feedback.list(accountId, { limit: 2, cursor: first.next });
    expect([...first.items, ...second.items].map((one) => one.at)).toEqual([3, 2, 1]);
    expect(second.next).toBeNull();
    expect((await feedback.list(randomUUID(), { limit: 2, cursor: null })).items).toEqual([]);
  });
});
