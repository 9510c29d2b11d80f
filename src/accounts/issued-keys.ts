import { LRUCache } from 'lru-cache';
import type { Databases, LazyDatabases } from '../store/lazy-databases.js';
import type { KeyRecord } from '../store/contracts/keys.js';
import { RecordCache } from '../store/record-cache.js';
import { type Caller, issuedCaller, refusalOf } from './caller.js';
import { remoteAddress, FairQueue, type WorkSource } from '../async/fair-queue.js';
import { GatewayError } from '../errors.js';

/** Issued keys. One used here needs no database; a revoked one is refused within a second. */
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

const windowMs = 60_000;
/**
 * Unknown keys of one address in a minute. A program that goes on sending one wrong key stays below
 * it, because each key is looked up at most once a second.
 */
const maxMisses = 120;
const maxNetworkMisses = 4 * maxMisses;
/** The addresses and networks that missed last: about 4 MB. */
const maxCounted = 20_000;

/**
 * Decides which API keys are looked up in the database, and when: addresses take turns, and one
 * that sends many unknown keys is refused for the rest of its minute. So guesses do not keep keys
 * of other addresses waiting.
 */
class KeyLookups {
  /** Unknown keys by address and network, for a minute from the first. */
  private readonly misses = new LRUCache<string, number>({
    // `max` would allocate room for all entries at once
    maxSize: maxCounted,
    sizeCalculation: () => 1,
    ttl: windowMs,
    noUpdateTTL: true,
  });
  private readonly queue = new FairQueue({
    maxRunning: 64,
    maxRunningPerNetwork: 16,
    maxWaiting: 1_024,
    maxWaitingPerNetwork: 256,
    refusal: () =>
      new GatewayError('unavailable', 'too many unknown keys are being looked up', {
        retryAfterMs: 1_000,
      }),
  });

  /**
   * Runs a lookup in the address's turn, and counts it if it finds nothing.
   * @throws GatewayError `too_many_requests` after many unknown keys of the address, `unavailable`
   * if too many lookups wait
   */
  async find<T>(from: WorkSource, lookUp: () => Promise<T | null>): Promise<T | null> {
    this.refuseGuesses(from);
    return this.queue.run(from, async () => {
      // others of the same address may have failed while this one waited
      this.refuseGuesses(from);
      const found = await lookUp();
      if (found === null) this.countMiss(from);
      return found;
    });
  }

  private refuseGuesses({ address, network }: WorkSource): void {
    const waitMs = Math.max(
      this.waitMs(address, maxMisses),
      this.waitMs(network, maxNetworkMisses),
    );
    if (waitMs > 0)
      throw new GatewayError(
        'too_many_requests',
        'authorization: too many unknown API keys from this address; Retry-After says when to try again',
        { retryAfterMs: waitMs },
      );
  }

  private waitMs(counted: string, max: number): number {
    const count = this.misses.get(counted) ?? 0;
    return count < max ? 0 : this.misses.getRemainingTTL(counted);
  }

  private countMiss({ address, network }: WorkSource): void {
    for (const counted of new Set([address, network]))
      this.misses.set(counted, (this.misses.get(counted) ?? 0) + 1);
  }
}
