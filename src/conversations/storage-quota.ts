import { LRUCache } from 'lru-cache';

const maxAccounts = 10_000;
/** How long deletions and the turns of other replicas may go unnoticed here. */
const freshMs = 60_000;

/** Bounds what an account stores in conversations and research notes. No request waits for it. */
export class StorageQuota {
  /** What is stored, by account; null: being looked up. */
  private readonly stored = new LRUCache<string, { bytes: number | null }>({
    // `max` would allocate room for all entries at once
    maxSize: maxAccounts,
    sizeCalculation: () => 1,
    ttl: freshMs,
  });

  /** @param lookUp asks the database @param maxBytes for each account, by the current settings */
  constructor(
    private readonly lookUp: (accountId: string) => Promise<number>,
    private readonly maxBytes: () => number,
  ) {}

  /** Looks up what the account stores, unless that is known, so that `hasRoom` can tell. */
  prepare(accountId: string): void {
    if (this.stored.has(accountId)) return;
    const entry: { bytes: number | null } = { bytes: null };
    this.stored.set(accountId, entry);
    this.lookUp(accountId).then(
      (bytes) => (entry.bytes = bytes),
      // the next request asks again
      () => this.stored.delete(accountId),
    );
  }

  /** Whether the account may store as many bytes more; true where that is not known. */
  hasRoom(accountId: string, bytes: number): boolean {
    const stored = this.stored.get(accountId)?.bytes ?? null;
    return stored === null || stored + bytes <= this.maxBytes();
  }

  add(accountId: string, bytes: number): void {
    const entry = this.stored.get(accountId);
    if (entry?.bytes != null) entry.bytes += bytes;
  }

  /** Forgets what is known, because conversations were deleted. */
  forget(accountId: string): void {
    this.stored.delete(accountId);
  }
}
