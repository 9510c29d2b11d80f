import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '../../src/accounts/static-keys.js';
import { createKeyCommand, rotateKeyCommand } from '../../src/cli/keys.js';
import { openStore } from '../../src/store/open-store.js';
import type { KeyRecord } from '../../src/store/contracts/keys.js';
import type { Store } from '../../src/store/contracts/store.js';

let store: Store;
let key: string;
beforeEach(async () => {
  store = await openStore(':memory:');
  key = (await createKeyCommand(store, { name: 'shop' })).trim();
});
afterEach(() => store.close());

const found = (secret: string): Promise<KeyRecord | null> =>
  store.keys.findByHash(hashKey(secret.trim()));

describe('signalbox keys rotate', () => {
  it.each([
    ['0', 0],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
  ])('prints a new secret, and leaves the old one for %s', async (overlap, ms) => {
    const secret = await rotateKeyCommand(store, key.slice(0, 11), overlap);
    expect(secret).toMatch(/^sk_[\w-]{32}\n$/);
    expect(await found(secret)).toMatchObject({ name: 'shop', secretValidUntil: null });
    const left = ((await found(key))?.secretValidUntil ?? NaN) - Date.now();
    expect(left).toBeLessThanOrEqual(ms);
    expect(left).toBeGreaterThan(ms - 10_000);
  });

  it('tells apart from the secret how long the old one works', async () => {
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    const before = Date.now();
    await rotateKeyCommand(store, key.slice(0, 11), '24h', say);
    const [, until = ''] = /^the old secret works until (\S+Z)$/.exec(said[0] ?? '') ?? [];
    expect(Date.parse(until)).toBeGreaterThan(before + 86_390_000);
    expect(Date.parse(until)).toBeLessThanOrEqual(Date.now() + 86_400_000);
    const { items } = await store.keys.list(null, { limit: 1, cursor: null });
    await rotateKeyCommand(store, items[0]!.id, '0', say);
    expect(said[1]).toBe('the old secret works no longer');
  });

  it.each(['soon', '5', '31d', '-1h', '', '1.5h'])('refuses an overlap of %j', async (overlap) => {
    await expect(rotateKeyCommand(store, key.slice(0, 11), overlap)).rejects.toThrow(
      '--overlap: must be a time such as 90s, 30m, 24h or 7d, at most 30d',
    );
    expect(await found(key)).toMatchObject({ secretValidUntil: null });
  });

  it('refuses a key that there is not', async () => {
    await expect(rotateKeyCommand(store, 'sk_nothing', '0')).rejects.toThrow(
      'no key has the id or prefix "sk_nothing"',
    );
  });
});
