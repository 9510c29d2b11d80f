import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvaluationRecord } from '../../src/store/contracts/evaluations.js';
import type { Store } from '../../src/store/contracts/store.js';
import { everyPage } from '../../src/store/contracts/page.js';
import { type Place, storeRows } from '../helpers/stores.js';

describe.each(storeRows)('an evaluation set on $name', (row) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
  });
  afterAll(() => place.remove());

  const made = (accountId: string, changes: Partial<EvaluationRecord> = {}): EvaluationRecord => ({
    id: randomUUID(),
    accountId,
    requestId: null,
    at: 1_000,
    prompt: 'Why?',
    scores: { 'up/m': 0.5 },
    costs: {},
    ...changes,
  });

  it('belongs to one account, and keeps its order over pages', async () => {
    const [ann, bob] = [randomUUID(), randomUUID()];
    const own = [1, 2, 3].map((at) => made(ann, { at, prompt: 'é'.repeat(300) }));
    for (const one of own) expect(await store.evaluations.save(one)).toEqual(one);
    await store.evaluations.save(made(bob));
    const found: string[] = [];
    for await (const one of everyPage((page) =>
      store.evaluations.list(ann, { ...page, limit: 2 }),
    )) {
      expect([one.prompt.length, one.promptLength]).toEqual([200, 300]);
      found.push(one.id);
    }
    expect(found).toEqual(own.map(({ id }) => id).reverse());
    expect(await store.evaluations.find(bob, own[0]!.id)).toBeNull();
    expect(await store.evaluations.change(bob, own[0]!.id, { 'up/m': 1 })).toBeNull();
    expect(await store.evaluations.remove(bob, own[0]!.id)).toBe(false);
    expect(await store.evaluations.find(ann, own[0]!.id)).toEqual(own[0]);
    expect(await store.evaluations.remove(ann, own[0]!.id)).toBe(true);
  });

  it('has each request once, and prompts without a request as often as they are added', async () => {
    const [accountId, requestId] = [randomUUID(), randomUUID()];
    const first = await store.evaluations.save(made(accountId, { requestId }));
    const merged = await store.evaluations.save(
      made(accountId, { requestId, scores: { 'up/n': 1 }, costs: { 'up/n': 0.1 } }),
    );
    expect(merged).toEqual({
      ...first,
      scores: { 'up/m': 0.5, 'up/n': 1 },
      costs: { 'up/n': 0.1 },
    });
    await store.evaluations.save(made(accountId));
    await store.evaluations.save(made(accountId));
    const { items } = await store.evaluations.whole(accountId, { limit: 10, cursor: null });
    expect(items).toHaveLength(3);
    expect(await store.evaluations.change(accountId, first.id, { 'up/m': null })).toMatchObject({
      scores: { 'up/n': 1 },
    });
  });

  it('is deleted with its account', async () => {
    const accountId = randomUUID();
    const { id } = await store.evaluations.save(made(accountId));
    expect(await store.removal.removeRows(accountId, 10)).toBe(1);
    expect(await store.evaluations.find(accountId, id)).toBeNull();
  });
});
