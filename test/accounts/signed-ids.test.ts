import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SignedIds } from '../../src/accounts/signed-ids.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { openMemoryStore } from '../helpers/memory-databases.js';

const idsOfAMemory = (): SignedIds =>
  new SignedIds(new LazyDatabases(() => Promise.reject(new Error('nothing is opened')), true));

describe('signed ids', () => {
  it('are UUIDs of version 8, and no two are alike', () => {
    const ids = idsOfAMemory();
    const made = Array.from({ length: 2_000 }, () => ids.make('one'));
    expect(new Set(made).size).toBe(2_000);
    expect(new Set(made.map((id) => id.slice(0, 18))).size).toBe(2_000);
    for (const id of made)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('belong to the account and the database that they were made for', () => {
    const [ids, others] = [idsOfAMemory(), idsOfAMemory()];
    const made = Array.from({ length: 600 }, () => ids.make('one'));
    expect(made.every((id) => ids.isOf(id, 'one'))).toBe(true);
    expect(made.some((id) => ids.isOf(id, 'two') || others.isOf(id, 'one'))).toBe(false);
  });

  it.each(['one', 'host:ünïcode', 'x'.repeat(300)])(
    'are signed by HMAC-SHA-256, for the account %s',
    async (account) => {
      const store = await openMemoryStore();
      const counters = createMemoryCounters();
      const ids = new SignedIds(
        new LazyDatabases(() => Promise.resolve({ store, counters }), false),
      );
      await ids.ready();
      const secret = await store.secret('signed-ids');
      const bytes = Buffer.from(ids.make(account).replaceAll('-', ''), 'hex');
      const expected = createHmac('sha256', secret)
        .update(bytes.subarray(0, 8))
        .update(account)
        .digest()
        .subarray(0, 8);
      await store.close();
      expected[0] = (expected[0]! & 0x3f) | 0x80;
      expect(bytes.subarray(8)).toEqual(expected);
    },
  );
});
