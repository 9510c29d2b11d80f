import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyFor } from '../../../src/accounts/first-key.js';
import { KeyUses } from '../../../src/telemetry/requests/request-log-writer.js';
import { firstAccountId } from '../../../src/store/contracts/accounts.js';
import { LazyDatabases } from '../../../src/store/lazy-databases.js';
import { GatewayError } from '../../../src/errors.js';
import { openStore } from '../../../src/store/open-store.js';
import type { Store } from '../../../src/store/contracts/store.js';
import { unusedCounters } from '../../helpers/unused-counters.js';
import { until } from '../../helpers/until.js';

let store: Store;
let id: string;
let isAway: boolean;
let uses: KeyUses;
beforeEach(async () => {
  store = await openStore(':memory:');
  ({ id } = await store.keys.add(keyFor(firstAccountId, 'one', 'sk_0123456789')));
  isAway = false;
  uses = new KeyUses(
    new LazyDatabases(
      () =>
        isAway
          ? Promise.reject(new GatewayError('unavailable', 'away'))
          : Promise.resolve({ store, counters: unusedCounters }),
      false,
    ),
    20,
  );
});
afterEach(async () => {
  await uses.close(0);
  await store.close();
});

const lastUsedAt = async (): Promise<number | null> =>
  (await store.keys.find(null, id))?.lastUsedAt ?? null;

describe('the last use of a key', () => {
  it('is stored a while later, once for many uses', async () => {
    const before = Date.now();
    for (let time = 0; time < 1_000; time++) uses.mark(id);
    expect(await lastUsedAt()).toBeNull();
    await until(async () => (await lastUsedAt()) !== null);
    expect(await lastUsedAt()).toBeGreaterThanOrEqual(before);
  });

  it('is not lost while the database is away', async () => {
    isAway = true;
    uses.mark(id);
    expect(await uses.flush(10)).toBe(false);
    isAway = false;
    await until(async () => (await lastUsedAt()) !== null);
  });

  it('is not stored for keys that the configuration fixes', async () => {
    isAway = true;
    uses.mark('fixed:one');
    await uses.flush(10);
    isAway = false;
    await uses.flush(10);
    expect(await lastUsedAt()).toBeNull();
  });
});
