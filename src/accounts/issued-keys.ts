import type { Databases, LazyDatabases } from '../store/lazy-databases.js';
import type { KeyRecord } from '../store/contracts/keys.js';
import { RecordCache } from '../store/record-cache.js';
import { type Caller, issuedCaller, refusalOf } from './caller.js';
import { KeyLookups } from './key-lookups.js';
import { remoteAddress } from '../async/fair-queue.js';

/**
 * Issued keys. A key that was used here before needs no database; a revoked one is refused within a
 * second.
 */
export class IssuedKeys {
  private readonly cache: RecordCache<KeyRecord>;
  private readonly lookups = new KeyLookups();
  private readonly callers = new WeakMap<KeyRecord, Caller>();
  /** Whether keys of the configuration are issued keys too, by hash. */
  private readonly fixed = new Map<string, boolean>();

  constructor(private readonly databases: LazyDatabases) {
    this.cache = new RecordCache(databases, {
      topic: 'keys',
      keyOf: ({ hash }) => hash,
      load: ({ store }, hash) => store.keys.findByHash(hash),
      changedSince: ({ store }, revision) => store.keys.changedSince(revision),
    });
  }

  /**
   * The caller of a key; null if the key is unknown or may not be used.
   * @param from gives the address that a lookup counts for
   * @throws GatewayError `unavailable`, `too_many_requests` while the address sends many unknown keys
   */
  async find(keyHash: string, from: () => string): Promise<Caller | null> {
    const key = await this.record(keyHash, from);
    if (key === null || refusalOf(key, Date.now()) !== null) return null;
    let caller = this.callers.get(key);
    if (!caller) this.callers.set(key, (caller = issuedCaller(key)));
    return caller;
  }

  /**
   * Why an issued key may not be used, for its holder; null: it is unknown, or may be used.
   * @throws GatewayError as `find` does
   */
  async refusal(keyHash: string, from: () => string): Promise<string | null> {
    const key = await this.record(keyHash, from);
    return key === null ? null : refusalOf(key, Date.now());
  }

  private record(
    keyHash: string,
    from: () => string,
  ): KeyRecord | null | Promise<KeyRecord | null> {
    const cached = this.cache.cached(keyHash);
    return cached === undefined
      ? this.lookups.find(remoteAddress(from()), () => this.cache.find(keyHash))
      : cached;
  }

  /**
   * Whether a key of the configuration is an issued key too. False while the database is not open
   * or cannot be reached: then the configuration decides.
   */
  isIssued(keyHash: string): boolean | Promise<boolean> {
    const known = this.fixed.get(keyHash);
    if (known !== undefined) return known;
    const databases = this.databases.now;
    return databases === null ? false : this.lookUpFixed(databases, keyHash);
  }

  /** Looks keys of the configuration up ahead, so that they work while the database is away. */
  lookUpAhead(keyHashes: readonly string[]): void {
    this.databases.whenOpened(() => {
      for (const keyHash of keyHashes) void this.isIssued(keyHash);
    });
  }

  private async lookUpFixed({ store }: Databases, keyHash: string): Promise<boolean> {
    try {
      const isIssued = (await store.keys.findByHash(keyHash)) !== null;
      this.fixed.set(keyHash, isIssued);
      return isIssued;
    } catch {
      return false;
    }
  }

  /** Must be called when this process has changed a key; resolves when all its secrets show it. */
  async changed(key: KeyRecord): Promise<void> {
    this.cache.changed(key);
    // a secret that was replaced is a record of its own in the cache
    if (key.previousValidUntil !== null) await this.cache.changedMany();
  }

  /** Must be called when this process has changed an account; resolves when its keys show it. */
  accountChanged(): Promise<void> {
    return this.cache.changedMany();
  }

  /** Stops following changes. */
  close(): void {
    this.cache.close();
  }
}
