import type { LazyDatabases } from '../store/lazy-databases.js';
import type { KeyRecord } from '../store/contracts/keys.js';
import { RecordCache } from '../store/record-cache.js';
import { type Caller, issuedCaller, isUsable } from './caller.js';

/**
 * Issued keys. A key that was used here before needs no database; a revoked one is refused within a
 * second.
 */
export class IssuedKeys {
  private readonly cache: RecordCache<KeyRecord>;
  private readonly callers = new WeakMap<KeyRecord, Caller>();

  constructor(databases: LazyDatabases) {
    this.cache = new RecordCache(databases, {
      topic: 'keys',
      keyOf: ({ hash }) => hash,
      load: ({ store }, hash) => store.keys.findByHash(hash),
      changedSince: ({ store }, revision) => store.keys.changedSince(revision),
    });
  }

  /**
   * The caller of a key; null if the key is unknown or may not be used.
   * @throws GatewayError `unavailable`
   */
  async find(keyHash: string): Promise<Caller | null> {
    const key = await this.cache.find(keyHash);
    if (key === null || !isUsable(key, Date.now())) return null;
    let caller = this.callers.get(key);
    if (!caller) this.callers.set(key, (caller = issuedCaller(key)));
    return caller;
  }

  /** Must be called when this process has changed a key. */
  changed(key: KeyRecord): void {
    this.cache.changed(key);
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
