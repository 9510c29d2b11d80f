import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { firstAccountId } from '../store/contracts/accounts.js';
import { type NewKey, noLimits, scopes } from '../store/contracts/keys.js';
import type { Store } from '../store/contracts/store.js';
import { hashKey, newKey } from './static-keys.js';

/** How many of a key's characters its owner knows it again by: `sk_` and 48 of its random bits. */
const prefixLength = 11;

/** A key that is about to be issued to an account, with every scope and no bounds unless said otherwise. */
export function keyFor(
  accountId: string,
  name: string,
  key: string,
  more: Partial<NewKey> = {},
): NewKey {
  return {
    id: randomUUID(),
    accountId,
    name,
    prefix: key.slice(0, prefixLength),
    hash: hashKey(key),
    scopes,
    models: null,
    limits: noLimits,
    createdAt: Date.now(),
    expiresAt: null,
    ...more,
  };
}

/**
 * Makes the first key where there is none yet, for the account that is there from the start.
 * @returns the key, shown once and kept nowhere but by its hash; null where there are keys
 */
export async function makeFirstKey(store: Store): Promise<string | null> {
  const key = newKey();
  return (await store.keys.addFirst(keyFor(firstAccountId, 'first', key))) ? key : null;
}

/**
 * Takes over the key that version 0.1 kept in `keys.json`; the file is renamed then.
 * @throws Error for a file that does not hold what it should
 */
export async function takeOverKeptKeys(store: Store, dataDir: string): Promise<void> {
  const file = join(dataDir, 'keys.json');
  for (const { name, hash, createdAt } of readKeys(file)) {
    const made = Date.parse(createdAt);
    if (!(await store.keys.findByHash(hash)))
      await store.keys.add({
        ...keyFor(firstAccountId, name, 'sk_…'),
        hash,
        createdAt: Number.isNaN(made) ? Date.now() : made,
      });
  }
  if (existsSync(file)) renameSync(file, `${file}.taken-over`);
}

interface KeptKey {
  readonly name: string;
  readonly hash: string;
  readonly createdAt: string;
}

function readKeys(file: string): KeptKey[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Error(`dataDir: the keys in ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const kept = parsed(text);
  if (!Array.isArray(kept) || !kept.every(isKeptKey))
    throw new Error(
      `dataDir: ${file} does not hold what it should; move it away to have a new key made`,
    );
  return kept;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function isKeptKey(value: unknown): value is KeptKey {
  const { name, hash, createdAt } = (value ?? {}) as Partial<KeptKey>;
  return (
    typeof name === 'string' &&
    typeof createdAt === 'string' &&
    typeof hash === 'string' &&
    /^[0-9a-f]{64}$/.test(hash)
  );
}
