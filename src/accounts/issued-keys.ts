import type { LazyDatabases } from '../store/lazy-databases.js';
import type { KeyRecord } from '../store/contracts/keys.js';
import { RecordCache } from '../store/record-cache.js';
import { type Caller, callerOf, isUsable } from './caller.js';

/** Keys that were issued: one that has been used here before is checked without asking the database, and a revoked one is out within a second. */
export class IssuedKeys {
  private readonly cache: RecordCache<KeyRecord>;
  private readonly callers = new WeakMap<KeyRecord, Caller>();

  constructor(backing: LazyDatabases) {
    this.cache = new RecordCache(backing, {
      topic: 'keys',
      keyOf: ({ hash }) => hash,
      load: ({ store }, hash) => store.keys.findByHash(hash),
      changedSince: ({ store }, revision) => store.keys.changedSince(revision),
    });
  }

  /** Whose key it is, null for nobody's; a promise where it has to be looked up. @throws GatewayError `unavailable` */
  find(keyHash: string): Caller | null | Promise<Caller | null> {
    const record = this.cache.find(keyHash);
    return record instanceof Promise
      ? record.then((found) => this.callerOf(found))
      : this.callerOf(record);
  }

  /** Takes in a key that this process has changed. */
  changed(key: KeyRecord): void {
    this.cache.changed(key);
  }

  /** Stops following changes. */
  close(): void {
    this.cache.close();
  }

  private callerOf(key: KeyRecord | null): Caller | null {
    if (key === null || !isUsable(key, Date.now())) return null;
    let caller = this.callers.get(key);
    if (!caller) this.callers.set(key, (caller = callerOf(key)));
    return caller;
  }
}
