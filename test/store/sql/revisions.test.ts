import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstAccountId, noLimits } from '../../../src/store/contracts/accounts.js';
import type { NewKey } from '../../../src/store/contracts/keys.js';
import type { Store } from '../../../src/store/contracts/store.js';
import { type Place, storeRows } from '../../helpers/stores.js';

const newKey = (): NewKey => ({
  id: randomUUID(),
  accountId: firstAccountId,
  name: 'one',
  prefix: 'sk_abcd',
  hash: randomUUID(),
  scopes: [],
  models: null,
  toolkits: [],
  economy: null,
  limits: noLimits,
  createdAt: 1,
  expiresAt: null,
});

describe.each(storeRows)('changes on $name', (row) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
  });
  afterAll(() => place.remove());

  it('since a revision include what was added, changed and revoked, once and in its current state', async () => {
    const { revision: start } = await store.keys.changedSince(0);
    const [first, second] = [await store.keys.add(newKey()), await store.keys.add(newKey())];
    const added = await store.keys.changedSince(start);
    expect(added.records.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    await store.keys.update(null, first.id, { name: 'two' });
    await store.keys.update(null, first.id, { revokedAt: 5 });
    const changed = await store.keys.changedSince(added.revision);
    expect(changed.records).toEqual([{ ...first, name: 'two', revokedAt: 5 }]);
    expect(changed.revision).toBeGreaterThan(added.revision);
    expect(await store.keys.changedSince(changed.revision)).toEqual({
      revision: changed.revision,
      records: [],
    });
  });

  it('that fail do not raise the revision', async () => {
    const known = await store.keys.add(newKey());
    const { revision } = await store.keys.changedSince(Number.MAX_SAFE_INTEGER);
    await store.keys.update(null, randomUUID(), { name: 'two' });
    await store.keys.add(known).catch(() => undefined);
    expect(await store.keys.changedSince(revision)).toEqual({ revision, records: [] });
  });

  it('of several concurrent writers all reach a process that follows them', async () => {
    const writers = [store, await place.open(), await place.open()];
    const follower = await place.open();
    let { revision } = await follower.keys.changedSince(Number.MAX_SAFE_INTEGER);
    const heard = new Set<string>();
    const hear = async (): Promise<void> => {
      const changes = await follower.keys.changedSince(revision);
      revision = changes.revision;
      for (const { id } of changes.records) heard.add(id);
    };
    const progress = { isDone: false };
    // as many at a time as there are connections: none has to wait for one
    const tenKeys = async (writer: Store): Promise<string[]> => {
      const ids: string[] = [];
      while (ids.length < 10) ids.push((await writer.keys.add(newKey())).id);
      return ids;
    };
    const writing = Promise.all(
      Array.from({ length: 6 }, (_, index) => tenKeys(writers[index % 3]!)),
    ).finally(() => (progress.isDone = true));
    while (!progress.isDone) await hear();
    await hear();
    expect([...heard].sort()).toEqual((await writing).flat().sort());
  });
});
