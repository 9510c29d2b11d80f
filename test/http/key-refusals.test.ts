import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyFor, makeFirstKey, newSecret } from '../../src/accounts/first-key.js';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import type { Store } from '../../src/store/contracts/store.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { textAt } from '../helpers/json.js';
import { ask } from '../helpers/sse.js';
import { openFreshStore } from '../helpers/stores.js';

let store: Store;
let gateway: RunningGateway;
const disabledId = '5a3c9be2-0d55-4a52-9d35-6f0b8f5d7a10';
beforeAll(async () => {
  store = await openFreshStore();
  await makeFirstKey(store, 'sk_first');
  await store.accounts.create({ id: disabledId, email: 'd@a.org', passwordHash: null, at: 1 });
  await store.accounts.update(disabledId, { disabledAt: 1 });
  const expiresAt = Date.UTC(2026, 0, 31);
  await store.keys.add(keyFor(firstAccountId, 'old', 'sk_expired', { expiresAt }));
  await store.keys.add(keyFor(disabledId, 'theirs', 'sk_disabled'));
  for (const key of ['sk_revoked', 'sk_revoked_and_fixed']) {
    const { id } = await store.keys.add(keyFor(firstAccountId, key, key));
    await store.keys.update(null, id, { revokedAt: Date.UTC(2026, 1, 1) });
  }
  const rotated = await store.keys.add(keyFor(firstAccountId, 'rotated', 'sk_rotated_and_fixed'));
  await store.keys.rotate(null, rotated.id, {
    ...newSecret('sk_rotated'),
    validUntil: Date.UTC(2026, 1, 1),
  });
  const keys = ['sk_fixed', 'sk_first', 'sk_revoked_and_fixed', 'sk_rotated_and_fixed'].map(
    (key) => ({ name: key, key }),
  );
  gateway = await startGateway(
    { auth: { keys } },
    {
      databases: new LazyDatabases(
        () => Promise.resolve({ store, counters: createMemoryCounters() }),
        false,
      ),
    },
  );
  // as the standalone process does before it listens
  await gateway.claimCode();
});
afterAll(() => gateway.close());

const messageFor = async (key: string, path: string): Promise<string> => {
  const { status, json } = await ask('GET', gateway.url + path, { authorization: `Bearer ${key}` });
  expect(status).toBe(401);
  return textAt(json, 'message') || textAt(json, 'error', 'message');
};

describe('a key that is not accepted', () => {
  it.each([
    ['sk_expired', 'authorization: this API key expired on 2026-01-31T00:00:00.000Z'],
    ['sk_revoked', 'authorization: this API key was revoked on 2026-02-01T00:00:00.000Z'],
    ['sk_disabled', 'authorization: the account of this API key is disabled'],
    [
      'sk_expire',
      'authorization: this API key is not known; check that it is complete and belongs to this gateway',
    ],
  ])('says why to its holder: %s', async (key, message) => {
    for (const path of ['/v1/models', '/api/v1/keys'])
      expect(await messageFor(key, path)).toBe(message);
  });
});

describe('a key of the configuration that is an issued key too', () => {
  it('stays the key of its account, and stays revoked or rotated; others have accounts of their own', async () => {
    const accountOf = async (key: string): Promise<string> => {
      const headers = { authorization: `Bearer ${key}` };
      const { json } = await ask('GET', `${gateway.url}/api/v1/auth/account`, headers);
      return textAt(json, 'account', 'id');
    };
    expect(await accountOf('sk_first')).toBe(firstAccountId);
    expect(await accountOf('sk_fixed')).toBe('fixed:sk_fixed');
    expect(await messageFor('sk_revoked_and_fixed', '/v1/models')).toContain('was revoked on');
    expect(await messageFor('sk_rotated_and_fixed', '/v1/models')).toContain('was rotated');
  });
});
