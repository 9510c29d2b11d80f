import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import type { Turn } from '../../src/store/contracts/conversations.js';
import type { Store } from '../../src/store/contracts/store.js';
import { requestRow } from '../helpers/request-row.js';
import { type Place, storeRows } from '../helpers/stores.js';
import { wholeUsage } from '../helpers/whole-usage.js';

const page = { limit: 100, cursor: null };
const turnOf = (conversationId: string, at: number): Turn => ({
  conversationId,
  accountId: 'ann',
  begins: { title: 'Trains' },
  history: [],
  at,
  answer: {
    id: randomUUID(),
    role: 'assistant',
    content: [{ type: 'text', text: 'Yes.' }],
    provider: 'up',
    model: 'm',
    finishReason: 'stop',
    usage: null,
    costUsd: null,
  },
});

describe.each(storeRows)('old rows on $name', (row) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
  });
  afterAll(() => place.remove());

  it('are removed with what belongs to them: conversations with their messages', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    await store.conversations.append(ids.map((id, index) => turnOf(id, 100 * (index + 1))));
    expect(await store.retention.removeBefore('conversations', 300, 1)).toBe(1);
    expect(await store.retention.removeBefore('conversations', 300, 10)).toBe(1);
    expect(await store.retention.removeBefore('conversations', 300, 10)).toBe(0);
    const found = await Promise.all(ids.map((id) => store.conversations.find('ann', id)));
    expect(found.map((one) => one !== null)).toEqual([false, false, true]);
    expect((await store.conversations.messages('ann', ids[2]!, page))?.items).toHaveLength(1);
    // a late turn does not bring a conversation back
    const { begins: _begins, ...late } = turnOf(ids[0]!, 400);
    expect(await store.conversations.append([{ ...late, begins: null }])).toEqual(['gone']);
  });

  it('are removed by UTC day where they are sums', async () => {
    const dayMs = 86_400_000;
    const days = [10, 11, 12];
    const accountId = randomUUID();
    await store.requests.add(days.map((day) => requestRow({ accountId, at: day * dayMs + 5 })));
    expect(await store.retention.removeBefore('usage_days', 12 * dayMs - 1, 100)).toBe(1);
    const left = await wholeUsage(store.requests, { accountId });
    expect(left.map(({ day }) => day)).toEqual(['1970-01-13', '1970-01-12']);
  });

  it('are removed by their date where they are feedback, links or sign-ins', async () => {
    const accountId = firstAccountId;
    for (const at of [1_000, 2_000]) {
      await store.feedback.add({
        id: randomUUID(),
        accountId,
        keyId: null,
        at,
        sessionId: null,
        responseId: randomUUID(),
        provider: 'p',
        model: 'm',
        score: 1,
        comment: null,
        tokensPerSecond: null,
        predicted: null,
      });
      await store.signIns.addReset({ tokenHash: `reset ${at}`, accountId, expiresAt: at });
      await store.signIns.add(
        { tokenHash: `sign-in ${at}`, accountId, csrfToken: 'c', createdAt: 0, expiresAt: at },
        '',
      );
    }
    for (const rows of ['feedback', 'password_resets'] as const)
      expect(await store.retention.removeBefore(rows, 1_500, 100), rows).toBe(1);
    expect((await store.feedback.list(accountId, page)).items.map(({ at }) => at)).toEqual([2_000]);
    expect(await store.signIns.takeReset('reset 2000', 1_600)).toBe(accountId);
  });
});
