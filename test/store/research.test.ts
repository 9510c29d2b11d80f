import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Turn } from '../../src/store/contracts/conversations.js';
import type { Store } from '../../src/store/contracts/store.js';
import { everyPage } from '../../src/store/contracts/page.js';
import { type Place, storeRows } from '../helpers/stores.js';

const notesOf = (text: string): string => JSON.stringify({ version: 1, asked: [text] });

/** A conversation of one answer. */
const turnOf = (accountId: string, answerId: string, at: number): Turn => ({
  conversationId: randomUUID(),
  accountId,
  begins: { title: 'Trains' },
  history: [],
  at,
  answer: {
    id: answerId,
    role: 'assistant',
    content: [{ type: 'text', text: 'Yes.' }],
    provider: 'up',
    model: 'm',
    finishReason: 'stop',
    usage: null,
    costUsd: null,
  },
});

describe.each(storeRows)('notes of research on $name', (row) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
  });
  afterAll(() => place.remove());

  const save = (accountId: string, id: string, text: string, at = 1_000): Promise<void> =>
    store.research.save({ id, accountId, json: notesOf(text), at });
  const listed = async (accountId: string): Promise<object[]> => {
    const items: object[] = [];
    for await (const item of everyPage((page) => store.research.list(accountId, page)))
      items.push(item);
    return items;
  };

  it('are found by another process as they were saved last', async () => {
    const [accountId, id] = [randomUUID(), randomUUID()];
    await save(accountId, id, 'Why?');
    const large = `${'€ "\\\u0000 '.repeat(90_000)}\ud800 end`;
    await save(accountId, id, large, 2_000);
    const another = await place.open();
    expect(await another.research.find(accountId, id)).toBe(notesOf(large));
    expect(await another.research.list(accountId, { limit: 10, cursor: null })).toEqual({
      items: [{ id, at: 2_000 }],
      next: null,
    });
    expect(await store.research.find(accountId, randomUUID())).toBeNull();
  });

  it('of one account are neither read nor replaced nor deleted by another', async () => {
    const [ann, bob, id] = [randomUUID(), randomUUID(), randomUUID()];
    await save(ann, id, 'of Ann');
    expect(await store.research.find(bob, id)).toBeNull();
    await save(bob, id, 'of Bob', 5_000);
    expect(await store.research.find(ann, id)).toBe(notesOf('of Ann'));
    expect(await store.research.find(bob, id)).toBe(notesOf('of Bob'));
    const turn = turnOf(bob, id, 1);
    await store.conversations.append([turn]);
    expect(await store.conversations.remove(bob, turn.conversationId)).toBe(true);
    expect(await store.research.find(bob, id)).toBeNull();
    await save(bob, id, 'of Bob');
    while ((await store.removal.removeRows(bob, 10)) > 0);
    expect(await store.research.find(bob, id)).toBeNull();
    expect(await store.research.find(ann, id)).toBe(notesOf('of Ann'));
  });

  it('are deleted one by one, and count as storage of their account', async () => {
    const [ann, bob, id] = [randomUUID(), randomUUID(), randomUUID()];
    const { storedBytes } = store.conversations;
    for (const accountId of [ann, bob]) await save(accountId, id, '€'.repeat(500_000));
    expect(await storedBytes(ann)).toBe(Buffer.byteLength(notesOf('€'.repeat(500_000))));
    await store.research.remove(ann, id);
    await store.research.remove(ann, id);
    expect([await storedBytes(ann), await store.research.find(ann, id)]).toEqual([0, null]);
    expect(await store.research.find(bob, id)).not.toBeNull();
  });

  it('are listed newest first, page by page', async () => {
    const accountId = randomUUID();
    const ids = Array.from({ length: 120 }, () => randomUUID());
    for (const [index, id] of ids.entries()) await save(accountId, id, 'Why?', 1_000 + index);
    expect(await listed(accountId)).toEqual(
      ids.map((id, index) => ({ id, at: 1_000 + index })).reverse(),
    );
  });

  it('are deleted with the conversation of their answer, also where it is old', async () => {
    const accountId = randomUUID();
    const ids = [randomUUID(), randomUUID(), randomUUID()] as const;
    const turns = ids.map((id, index) => turnOf(accountId, id, 100 + index));
    await store.conversations.append(turns);
    for (const id of ids) await save(accountId, id, 'Why?');
    await store.conversations.remove(accountId, turns[2]!.conversationId);
    expect(await store.research.find(accountId, ids[2])).toBeNull();
    await store.retention.removeBefore('conversations', 101, 1_000);
    expect(await store.research.find(accountId, ids[0])).toBeNull();
    expect(await store.research.find(accountId, ids[1])).toBe(notesOf('Why?'));
  });

  it('are deleted with their account, however many, and when they are old', async () => {
    const [gone, stays] = [randomUUID(), randomUUID()];
    for (let count = 0; count < 25; count++) await save(gone, randomUUID(), 'Why?');
    await save(stays, 'old', 'Why?', 10);
    await save(stays, 'new', 'Why?', 20);
    let removed = 0;
    for (let some; (some = await store.removal.removeRows(gone, 10)) > 0; removed += some)
      expect(some).toBeLessThanOrEqual(10);
    expect(removed).toBe(25);
    expect(await listed(gone)).toEqual([]);
    expect(await store.retention.removeBefore('research_notes', 20, 1_000)).toBe(1);
    expect(await listed(stays)).toEqual([{ id: 'new', at: 20 }]);
  });
});
