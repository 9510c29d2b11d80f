import { hash, randomBytes } from 'node:crypto';
import { type Caller, type FixedKey, fixedCaller } from './caller.js';

/** The fixed keys of one configuration by hash: lookups take constant time, no key is kept. */
export class StaticKeys {
  private readonly callers = new Map<string, Caller>();

  /** @throws Error for an empty key, which would admit every client */
  constructor(keys: readonly (FixedKey & { readonly key: string })[]) {
    for (const known of keys) {
      if (known.key === '') throw new Error(`the key "${known.name}" is empty`);
      this.callers.set(hashKey(known.key), fixedCaller(known));
    }
  }

  find(keyHash: string): Caller | null {
    return this.callers.get(keyHash) ?? null;
  }

  get hashes(): string[] {
    return [...this.callers.keys()];
  }
}

/** The stored hash of a key, whose 128 random bits need neither a salt nor a slow hash. */
export const hashKey = (key: string): string => hash('sha256', key);

/** How every issued key begins. */
export const keyPrefix = 'sk_';

/** A new key: `sk_` and 192 random bits. */
export const newKey = (): string => `${keyPrefix}${randomBytes(24).toString('base64url')}`;
