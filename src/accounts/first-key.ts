import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashKey, type KnownKey, newKey } from './key-book.js';

interface KeptKey {
  name: string;
  hash: string;
  createdAt: string;
}

/** The keys that the gateway has issued. */
export interface FirstKey {
  readonly keys: readonly KnownKey[];
  /** A key that was made just now; it is shown once and kept nowhere but by its hash. Null where none was made. */
  readonly made: string | null;
  /** Where the hashes stand. */
  readonly file: string;
}

/** How the first key is made. */
export interface FirstKeyOptions {
  /** Whether one is made where there is none yet. */
  readonly make: boolean;
  readonly now?: Date;
}

/**
 * The keys that the gateway has issued, from the data folder; on the first start one is made, if asked for.
 * @throws Error where the folder cannot be written, or the file cannot be read as what it is
 */
export function firstKey(dataDir: string, { make, now = new Date() }: FirstKeyOptions): FirstKey {
  const file = join(dataDir, 'keys.json');
  const kept = readKeys(file);
  if (kept || !make) return { keys: knownKeys(kept ?? []), made: null, file };
  const key = newKey();
  const first: KeptKey = { name: 'first', hash: hashKey(key), createdAt: now.toISOString() };
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify([first], null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new Error(`dataDir: the first key cannot be kept in ${file}: ${(error as Error).message}`, { cause: error });
  }
  return { keys: knownKeys([first]), made: key, file };
}

const knownKeys = (kept: readonly KeptKey[]): KnownKey[] => kept.map(({ name, hash }) => ({ name, key: { hash } }));

function readKeys(file: string): KeptKey[] | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`dataDir: the keys in ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const kept = parsed(text);
  if (!Array.isArray(kept) || !kept.every(isKeptKey)) throw new Error(`dataDir: ${file} does not hold what it should; move it away to have a new key made`);
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
  const { name, hash } = (value ?? {}) as Partial<KeptKey>;
  return typeof name === 'string' && typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash);
}
