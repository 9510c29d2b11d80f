import { hash, randomBytes } from 'node:crypto';

/** A key that the gateway accepts. */
export interface KnownKey {
  name: string;
  /** The key itself, or its hash as `hashKey` makes it. */
  key: string | { hash: string };
  /** Globs of the labels that it may use; absent: all. */
  models?: readonly string[];
}

/** Who is asking: the key's name (`anonymous` where keys are not required), and globs of the labels that it may use; null: every model. */
export interface KeyOwner {
  name: string;
  models: readonly string[] | null;
}

/** The keys that are accepted, by their hash: looking one up takes the same time whoever asks, and the keys themselves are not kept. */
export class KeyBook {
  private readonly owners = new Map<string, KeyOwner>();

  /** @throws Error for an empty key: it must never authenticate anybody */
  constructor(keys: readonly KnownKey[]) {
    for (const { name, key, models } of keys) {
      if (key === '') throw new Error(`the key "${name}" is empty`);
      this.owners.set(typeof key === 'string' ? hashKey(key) : key.hash, { name, models: models ?? null });
    }
  }

  /** Whose key it is, or null. */
  find(key: string): KeyOwner | null {
    return this.owners.get(hashKey(key)) ?? null;
  }

  get size(): number {
    return this.owners.size;
  }
}

/** What is kept of a key. A key holds at least 128 random bits, so a fast hash without salt is enough. */
export const hashKey = (key: string): string => hash('sha256', key);

/** A new key: `sk_` and 192 random bits. */
export const newKey = (): string => `sk_${randomBytes(24).toString('base64url')}`;
