import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PreferenceStore } from '../../src/store/contracts/preferences.js';
import { type Place, storeRows } from '../helpers/stores.js';

describe.each(storeRows)('preferences on $name', (row) => {
  let place: Place;
  let preferences: PreferenceStore;
  const added = (accountId: string, changes = {}) =>
    preferences.add({
      id: randomUUID(),
      accountId,
      name: 'Cheap',
      settings: { tradeoff: 'cost', exclude: ['openai/*'] },
      createdAt: 1_000,
      ...changes,
    });

  beforeAll(async () => {
    place = await row.place();
    preferences = (await place.open()).preferences;
  });
  afterAll(() => place.remove());

  it('are found as they were added', async () => {
    const accountId = randomUUID();
    const preference = await added(accountId, {
      name: 'Cheap \0 \ud800',
      settings: { weights: { quality: 0.5, cost: 2, latency: 0 }, allow: null, maxPrice: 1.25 },
    });
    expect(preference).toEqual({
      id: preference.id,
      accountId,
      name: 'Cheap \ufffd \ufffd',
      settings: { weights: { quality: 0.5, cost: 2, latency: 0 }, allow: null, maxPrice: 1.25 },
      router: null,
      createdAt: 1_000,
      updatedAt: 1_000,
      deletedAt: null,
    });
    expect(await preferences.find(accountId, preference.id)).toEqual(preference);
  });

  it('change in part, with the date of the change', async () => {
    const accountId = randomUUID();
    const { id } = await added(accountId);
    const before = Date.now();
    expect(await preferences.update(accountId, id, { name: 'Fast' })).toMatchObject({
      name: 'Fast',
      settings: { tradeoff: 'cost', exclude: ['openai/*'] },
      createdAt: 1_000,
    });
    expect(
      await preferences.update(accountId, id, { settings: { tradeoff: 'latency' } }),
    ).toMatchObject({ name: 'Fast', settings: { tradeoff: 'latency' } });
    expect((await preferences.find(accountId, id))!.updatedAt).toBeGreaterThanOrEqual(before);
  });

  it('keep concurrent changes of different fields', async () => {
    const accountId = randomUUID();
    const { id } = await added(accountId);
    const other = (await place.open()).preferences;
    await Promise.all([
      preferences.update(accountId, id, { settings: { tradeoff: 'latency' } }),
      other.update(accountId, id, { settings: { maxPrice: 2 } }),
      preferences.update(accountId, id, { name: 'Fast' }),
      other.update(accountId, id, { settings: { exclude: null } }),
    ]);
    expect(await preferences.find(accountId, id)).toMatchObject({
      name: 'Fast',
      settings: { tradeoff: 'latency', maxPrice: 2, exclude: null },
    });
  });

  it('are neither found, changed nor removed by another account', async () => {
    const accountId = randomUUID();
    const preference = await added(accountId);
    const stranger = randomUUID();
    expect(await preferences.find(stranger, preference.id)).toBeNull();
    expect(await preferences.update(stranger, preference.id, { name: 'Mine' })).toBeNull();
    expect(await preferences.remove(stranger, preference.id)).toBe(false);
    expect(await preferences.list(stranger, { limit: 10, cursor: null })).toEqual({
      items: [],
      next: null,
    });
    expect(await preferences.find(accountId, preference.id)).toEqual(preference);
  });

  it('are gone after they were removed, settings included', async () => {
    const accountId = randomUUID();
    const { id } = await added(accountId);
    const { revision } = await preferences.changedSince(0);
    expect(await preferences.remove(accountId, id)).toBe(true);
    expect(await preferences.remove(accountId, id)).toBe(false);
    expect(await preferences.find(accountId, id)).toBeNull();
    expect(await preferences.update(accountId, id, { name: 'Back' })).toBeNull();
    expect((await preferences.list(accountId, { limit: 10, cursor: null })).items).toEqual([]);
    const changes = await preferences.changedSince(revision);
    expect(changes.records).toMatchObject([{ id, accountId, settings: {} }]);
    expect(changes.records[0]!.deletedAt).toBeGreaterThan(0);
  });

  it('are listed newest first, page by page', async () => {
    const accountId = randomUUID();
    for (const createdAt of [2, 4, 1, 3]) await added(accountId, { createdAt });
    const first = await preferences.list(accountId, { limit: 3, cursor: null });
    const second = await preferences.list(accountId, { limit: 3, cursor: first.next });
    expect([...first.items, ...second.items].map((preference) => preference.createdAt)).toEqual([
      4, 3, 2, 1,
    ]);
    expect(second.next).toBeNull();
  });

  it('list what has changed since a revision', async () => {
    const other = (await place.open()).preferences;
    const accountId = randomUUID();
    const { revision } = await other.changedSince(0);
    expect(await other.changedSince(revision)).toEqual({ revision, records: [] });
    const [one, two] = [await added(accountId), await added(accountId)];
    await preferences.update(accountId, one.id, { name: 'Changed' });
    const changes = await other.changedSince(revision);
    expect(changes.revision).toBe(revision + 3);
    expect(changes.records.map(({ id, name }) => [id, name])).toEqual([
      [two.id, 'Cheap'],
      [one.id, 'Changed'],
    ]);
    expect(await other.changedSince(changes.revision)).toEqual({
      revision: changes.revision,
      records: [],
    });
  });
});
