import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noLimits } from '../../src/store/contracts/accounts.js';
import type { NewKey } from '../../src/store/contracts/keys.js';
import type { Store } from '../../src/store/contracts/store.js';
import { type Place, storeRows } from '../helpers/stores.js';

let at = 1_000;
const newKey = (accountId: string, changes: Partial<NewKey> = {}): NewKey => ({
  id: randomUUID(),
  accountId,
  name: 'one',
  prefix: 'sk_abcd',
  hash: randomUUID(),
  scopes: ['completions', 'admin'],
  models: ['openai/*'],
  toolkits: ['files', 'git*'],
  economy: 7,
  limits: {
    requestsPerMinute: 60,
    tokensPerMinute: null,
    dayBudgetUsd: 0.25,
    monthBudgetUsd: 1e-9,
  },
  createdAt: at++,
  expiresAt: 9_000,
  ...changes,
});

describe.each(storeRows)('keys on $name', (row) => {
  let place: Place;
  let store: Store;
  let ada: string;
  let grace: string;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
    for (const email of ['first@example.com', 'ada@example.com', 'grace@example.com'])
      await store.accounts.create({ id: randomUUID(), email, passwordHash: null, at: at++ });
    ada = (await store.accounts.findByEmail('ada@example.com'))!.id;
    grace = (await store.accounts.findByEmail('grace@example.com'))!.id;
  });
  afterAll(() => place.remove());

  it('are found by hash and by id with all their fields', async () => {
    const key = newKey(ada, { name: 'Zürich \u{1f600}' });
    const record = {
      ...key,
      accountRole: 'member',
      accountDisabledAt: null,
      accountLimits: noLimits,
      secretValidUntil: null,
      previousValidUntil: null,
      revokedAt: null,
      lastUsedAt: null,
    };
    expect(await store.keys.add(key)).toEqual(record);
    expect(await store.keys.findByHash(key.hash)).toEqual(record);
    expect(await store.keys.find(ada, key.id)).toEqual(record);
    expect(await store.keys.find(null, key.id)).toEqual(record);
    expect(await store.keys.findByHash(randomUUID())).toBeNull();
  });

  it('accept a name with characters that no database accepts', async () => {
    const key = await store.keys.add(newKey(ada, { name: 'a\0b\ud800' }));
    expect(key.name).toBe('a\ufffdb\ufffd');
    expect((await store.keys.update(ada, key.id, { name: '\0' }))?.name).toBe('\ufffd');
  });

  it('are found by a part of their name or by their beginning, in either case', async () => {
    const [bill, ship] = [
      newKey(ada, { name: 'Billing 100%_a' }),
      newKey(ada, { name: 'shipping' }),
    ];
    const [billing] = [await store.keys.add(bill), await store.keys.add(ship)];
    const found = async (accountId: string | null, search: string) =>
      (await store.keys.list(accountId, { limit: 100, cursor: null }, search)).items.map(
        ({ id }) => id,
      );
    expect(await found(ada, 'bILL')).toEqual([billing.id]);
    expect(await found(ada, '100%_A')).toEqual([billing.id]);
    expect(await found(null, bill.prefix.toUpperCase())).toContain(billing.id);
    for (const other of ['100%%', 'b_lling', '\\', "'"])
      expect(await found(ada, other)).toEqual([]);
    for (const text of ['bill', bill.prefix]) expect(await found(grace, text)).toEqual([]);
    const first = await store.keys.list(ada, { limit: 1, cursor: null }, 'ing');
    const second = await store.keys.list(ada, { limit: 1, cursor: first.next }, 'ing');
    expect([...first.items, ...second.items].map(({ name }) => name).sort()).toEqual([
      'Billing 100%_a',
      'shipping',
    ]);
  });

  it('of another account do not exist', async () => {
    const key = await store.keys.add(newKey(ada));
    expect(await store.keys.find(grace, key.id)).toBeNull();
    expect(await store.keys.update(grace, key.id, { revokedAt: 1 })).toBeNull();
    expect((await store.keys.list(grace, { limit: 100, cursor: null })).items).toEqual([]);
    expect((await store.keys.list('\0', { limit: 100, cursor: null })).items).toEqual([]);
    expect(await store.keys.find(ada, key.id)).toEqual(key);
    const { next } = await store.keys.list(ada, { limit: 1, cursor: null });
    expect((await store.keys.list(grace, { limit: 100, cursor: next })).items).toEqual([]);
  });

  it('may belong to an account without a row, which is a member', async () => {
    const key = newKey(randomUUID());
    expect(await store.keys.add(key)).toMatchObject({
      accountId: key.accountId,
      accountRole: 'member',
      accountDisabledAt: null,
      accountLimits: noLimits,
    });
    expect(await store.keys.find(key.accountId, key.id)).toMatchObject({ id: key.id });
  });

  it('are listed newest first, of one account or of all', async () => {
    const keys = [
      await store.keys.add(newKey(grace)),
      await store.keys.add(newKey(ada)),
      await store.keys.add(newKey(grace)),
    ];
    const first = await store.keys.list(grace, { limit: 1, cursor: null });
    expect(first.items).toEqual([keys[2]]);
    expect(await store.keys.list(grace, { limit: 1, cursor: first.next })).toEqual({
      items: [keys[0]],
      next: null,
    });
    expect((await store.keys.list(null, { limit: 3, cursor: null })).items).toEqual(
      [...keys].reverse(),
    );
  });

  it('keep concurrent changes of different limits', async () => {
    const other = await place.open();
    const key = await store.keys.add(newKey(ada));
    await Promise.all([
      store.keys.update(ada, key.id, { limits: { dayBudgetUsd: 0.1 } }),
      other.keys.update(ada, key.id, { limits: { requestsPerMinute: null } }),
      store.keys.update(ada, key.id, { limits: { tokensPerMinute: 5 } }),
      other.keys.update(ada, key.id, { name: 'two' }),
    ]);
    expect(await store.keys.find(ada, key.id)).toEqual({
      ...key,
      name: 'two',
      limits: {
        requestsPerMinute: null,
        tokensPerMinute: 5,
        dayBudgetUsd: 0.1,
        monthBudgetUsd: 1e-9,
      },
    });
  });

  it('change only in the given fields', async () => {
    const key = await store.keys.add(newKey(ada));
    const limits = { ...noLimits, tokensPerMinute: 5 };
    expect(await store.keys.update(ada, key.id, { revokedAt: 7 })).toEqual({
      ...key,
      revokedAt: 7,
    });
    expect(await store.keys.update(ada, key.id, { limits, models: null })).toEqual({
      ...key,
      revokedAt: 7,
      limits,
      models: null,
    });
    expect(
      await store.keys.update(null, key.id, { name: 'two', scopes: [], expiresAt: null }),
    ).toMatchObject({ name: 'two', scopes: [], expiresAt: null });
    expect(await store.keys.update(ada, randomUUID(), { name: 'x' })).toBeNull();
  });

  it('store when they were last used, which never decreases and updates no cache', async () => {
    const keys = [
      await store.keys.add(newKey(ada)),
      await store.keys.add(newKey(ada)),
      await store.keys.add(newKey(ada)),
    ];
    const unknown = (count: number): string[] => Array.from({ length: count }, () => randomUUID());
    const ids = [keys[0]!.id, ...unknown(600), keys[1]!.id, ...unknown(600), keys[2]!.id];
    const { revision } = await store.keys.changedSince(Number.MAX_SAFE_INTEGER);
    await store.keys.touch(new Map(ids.map((id) => [id, 1_700_000_000_000])));
    await store.keys.touch(
      new Map([
        [keys[0]!.id, 1_700_000_000_001],
        [keys[1]!.id, 5],
      ]),
    );
    await store.keys.touch(new Map());
    const usedAt = async (index: number): Promise<number | null | undefined> =>
      (await store.keys.find(null, keys[index]!.id))?.lastUsedAt;
    expect([await usedAt(0), await usedAt(1), await usedAt(2)]).toEqual([
      1_700_000_000_001, 1_700_000_000_000, 1_700_000_000_000,
    ]);
    expect(await store.keys.changedSince(revision)).toEqual({ revision, records: [] });
  });

  it('are touched by several processes at the same time in any order', async () => {
    const other = await place.open();
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => (await store.keys.add(newKey(ada))).id),
    );
    await Promise.all(
      Array.from({ length: 20 }, (_, round) =>
        (round % 2 ? store : other).keys.touch(
          new Map((round % 3 ? ids : [...ids].reverse()).map((id) => [id, round])),
        ),
      ),
    );
    expect((await store.keys.find(ada, ids[7]!))?.lastUsedAt).toBe(19);
  });
});
