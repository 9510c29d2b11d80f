import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashKey, type KnownKey, newKey } from './key-book.js';

interface KeptKey {
  name: string;
  hash: string;
  createdAt: string;
}

/** A key that was made just now; `key` is shown once and kept nowhere but by its hash. */
export interface FirstKey {
  keys: readonly KnownKey[];
  /** Null where a key had been made before. */
  made: string | null;
  /** Where the hash stands; without that file the next start makes a new key. */
  file: string;
}

/**
 * The keys that the gateway has issued, from the data folder; on the first start one is made.
 * @throws Error where the folder cannot be written or the file cannot be read as what it is
 */
export function firstKey(dataDir: string, now: Date = new Date()): FirstKey {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'keys.json');
  const kept = readKeys(file);
  if (kept) return { keys: kept.map(({ name, hash }) => ({ name, key: { hash } })), made: null, file };
  const key = newKey();
  const first: KeptKey = { name: 'first', hash: hashKey(key), createdAt: now.toISOString() };
  writeFileSync(file, `${JSON.stringify([first], null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return { keys: [{ name: first.name, key: { hash: first.hash } }], made: key, file };
}

function readKeys(file: string): KeptKey[] | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const kept = JSON.parse(text) as KeptKey[];
  if (!Array.isArray(kept) || !kept.every(({ name, hash }) => typeof name === 'string' && /^[0-9a-f]{64}$/.test(hash))) throw new Error(`${file} does not hold what it should; move it away to have a new key made`);
  return kept;
}
