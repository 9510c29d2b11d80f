import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRow, AuditStore } from '../../src/store/contracts/audit.js';
import type { Store } from '../../src/store/contracts/store.js';
import { type Place, storeRows } from '../helpers/stores.js';

const page = { limit: 100, cursor: null };
const rowOf = (more: Partial<AuditRow> = {}): AuditRow => ({
  id: randomUUID(),
  at: 1_000,
  act: 'key.create',
  accountId: null,
  target: 'key-1',
  actor: 'ada@example.org',
  actorAccountId: null,
  actorKeyId: null,
  address: '192.0.2.7',
  details: { name: 'ci', limits: { dayBudgetUsd: 5 } },
  ...more,
});

describe.each(storeRows)('the audit log on $name', (row) => {
  let place: Place;
  let store: Store;
  let audit: AuditStore;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
    audit = store.audit;
  });
  afterAll(() => place.remove());

  it('keeps acts as they were, newest first, page by page', async () => {
    const accountId = randomUUID();
    const rows = [1, 2, 3].map((at) => rowOf({ at, accountId, actor: 'a\0b' }));
    for (const one of rows) await audit.add(one);
    const first = await audit.list({ accountId }, { limit: 2, cursor: null });
    expect(first.items.map(({ at }) => at)).toEqual([3, 2]);
    const rest = await audit.list({ accountId }, { limit: 2, cursor: first.next });
    expect(rest).toEqual({ items: [{ ...rows[0], actor: 'a\ufffdb' }], next: null });
  });

  it('finds the acts that concern an account and those that its owner did, by act and time', async () => {
    const accountId = randomUUID();
    await audit.add(rowOf({ accountId, at: 1 }));
    await audit.add(rowOf({ actorAccountId: accountId, at: 2, act: 'account.change' }));
    await audit.add(rowOf({ accountId: randomUUID(), at: 3 }));
    const listed = async (more: object): Promise<number[]> =>
      (await audit.list({ accountId, ...more }, page)).items.map(({ at }) => at);
    expect(await listed({})).toEqual([2, 1]);
    expect(await listed({ act: 'account.change' })).toEqual([2]);
    expect(await listed({ from: 1, to: 2 })).toEqual([1]);
  });

  it('loses only what is older than it is kept', async () => {
    await audit.add(rowOf({ at: 5 }));
    expect(await store.retention.removeBefore('audit', 6, 1_000)).toBeGreaterThan(0);
    expect(await store.retention.removeBefore('audit', 6, 1_000)).toBe(0);
  });
});
