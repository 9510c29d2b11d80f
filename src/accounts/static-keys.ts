import { hash, randomBytes } from 'node:crypto';
import { type Caller, fixedCaller } from './caller.js';
import type { KeyLimits, Scope } from '../store/contracts/keys.js';

/** A key that the configuration fixes. */
export interface KnownKey {
  readonly name: string;
  readonly key: string;
  /** Globs of the labels that it may use; absent: all. */
  readonly models?: readonly string[];
  /** Absent: all. */
  readonly scopes?: readonly Scope[];
  readonly limits?: Partial<KeyLimits>;
}

/** The fixed keys of one configuration, by their hash: looking one up takes the same time whoever asks, and the keys themselves are not kept. */
export class StaticKeys {
  private readonly callers = new Map<string, Caller>();

  /** @throws Error for an empty key: it must never authenticate anybody */
  constructor(keys: readonly KnownKey[]) {
    for (const known of keys) {
      if (known.key === '') throw new Error(`the key "${known.name}" is empty`);
      this.callers.set(hashKey(known.key), fixedCaller(known));
    }
  }

  /** Whose key it is, or null. */
  find(keyHash: string): Caller | null {
    return this.callers.get(keyHash) ?? null;
  }

  get size(): number {
    return this.callers.size;
  }
}

/** What is kept of a key. A key holds at least 128 random bits, so a fast hash without salt is enough. */
export const hashKey = (key: string): string => hash('sha256', key);

/** A new key: `sk_` and 192 random bits. */
export const newKey = (): string => `sk_${randomBytes(24).toString('base64url')}`;
