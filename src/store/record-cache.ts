import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.js';
import type { LazyDatabases, Databases } from './lazy-databases.js';
import type { PubSub } from './contracts/counters.js';
import type { Changes } from './contracts/page.js';

/** Where the records of a cache come from. */
export interface RecordSource<T> {
  /** The topic on which replicas publish changes. */
  readonly topic: string;
  keyOf(record: T): string;
  load(databases: Databases, key: string): Promise<T | null>;
  changedSince(databases: Databases, revision: number): Promise<Changes<T>>;
}

const maxRecords = 50_000;
const pollMs = 500;
const maxPolls = 4;
/** Concurrent lookups of unknown keys; more of them are guesses. */
const maxLookups = 64;
const unknownTtlMs = 1_000;
const maxUnknown = 10_000;
/** Larger than any revision: asks only for the current revision. */
const noRecords = Number.MAX_SAFE_INTEGER;

/**
 * Records of the database in memory, each loaded once. Changes of other processes arrive by polling
 * within half a second, and at once if replicas share a `PubSub`. While the database is away,
 * cached records stay as they are.
 */
export class RecordCache<T extends object> {
  // of size 1 each: with `max` the room for all of them is taken at once, 1 MB in 10 ms
  private readonly known = new LRUCache<string, T>({
    maxSize: maxRecords,
    sizeCalculation: () => 1,
  });
  private readonly unknown = new LRUCache<string, true>({
    maxSize: maxUnknown,
    sizeCalculation: () => 1,
    ttl: unknownTtlMs,
  });
  private revision: number | null = null;
  private following: Promise<void> | null = null;
  private lookups = 0;
  private timer: NodeJS.Timeout | undefined;
  private pubSub: PubSub | null = null;
  private polls = 0;
  private isBehind = false;
  private isClosed = false;

  constructor(
    private readonly databases: LazyDatabases,
    private readonly source: RecordSource<T>,
  ) {}

  /** A record by its key; null if there is none. @throws GatewayError `unavailable` */
  async find(key: string): Promise<T | null> {
    const cached = this.cached(key);
    return cached === undefined ? this.lookUp(key) : cached;
  }

  /** What is known without the database: a record, null for none; undefined: unknown. */
  cached(key: string): T | null | undefined {
    const record = this.known.get(key);
    if (record) return record;
    // an in-memory database that has not been opened is empty
    if (this.databases.isVolatile && this.databases.now === null) return null;
    return this.unknown.has(key) ? null : undefined;
  }

  /** A cached record, or null; does not count as a use. */
  peek(key: string): T | null {
    return this.known.peek(key) ?? null;
  }

  /** Must be called after a change by this process: forgets the record, notifies other replicas. */
  changed(record: T): void {
    const key = this.source.keyOf(record);
    // not cached here: a later change by another replica may have arrived before our commit was
    // confirmed
    this.known.delete(key);
    this.unknown.delete(key);
    this.pubSub?.publish(this.source.topic, '');
  }

  /**
   * Must be called when this process has changed several records: resolves when the changes are
   * seen here, and notifies the other replicas. Never rejects.
   */
  async changedMany(): Promise<void> {
    this.pubSub?.publish(this.source.topic, '');
    const databases = this.databases.now;
    if (this.revision !== null && databases !== null) await this.poll(databases);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private async lookUp(key: string): Promise<T | null> {
    if (this.lookups >= maxLookups)
      throw new GatewayError('unavailable', 'too many unknown keys are being looked up', {
        retryAfterMs: 1_000,
      });
    this.lookups++;
    try {
      const databases = await this.databases.get();
      await this.follow(databases);
      const before = this.revision;
      const record = await this.source.load(databases, key);
      // a record that may have changed while it was read is not cached
      if (record && this.revision === before) this.known.set(key, record);
      if (!record) this.unknown.set(key, true);
      return record;
    } finally {
      this.lookups--;
    }
  }

  /** Begins to follow changes, before the first record is cached. */
  private async follow(databases: Databases): Promise<void> {
    if (this.revision !== null || this.isClosed) return;
    this.following ??= this.source
      .changedSince(databases, noRecords)
      .then(({ revision }) => this.begin(databases, revision))
      .finally(() => (this.following = null));
    await this.following;
  }

  private begin(databases: Databases, revision: number): void {
    this.revision = revision;
    this.pubSub = databases.counters.pubSub;
    this.pubSub.subscribe(this.source.topic, () => void this.poll(databases));
    this.schedule(databases);
  }

  private schedule(databases: Databases): void {
    clearTimeout(this.timer);
    if (!this.isClosed)
      this.timer = setTimeout(
        () => void this.poll(databases).then(() => this.schedule(databases)),
        pollMs,
      ).unref();
  }

  /** A few polls at a time, as a connection may hang; notices meanwhile lead to one more. */
  private async poll(databases: Databases): Promise<void> {
    this.isBehind = this.polls >= maxPolls;
    if (this.isBehind) return;
    this.polls++;
    await this.catchUp(databases).then(() => {
      this.polls--;
      if (this.isBehind && !this.isClosed) void this.poll(databases);
    });
  }

  /** Never rejects. */
  private async catchUp(databases: Databases): Promise<void> {
    try {
      const before = this.revision ?? 0;
      const { revision, records } = await this.source.changedSince(databases, before);
      // a standby without the last changes, or a restored backup, continues from a lower revision
      const isOtherDatabase = revision < before;
      if (this.isClosed || (!isOtherDatabase && revision <= (this.revision ?? 0))) return;
      this.revision = revision;
      this.unknown.clear();
      if (isOtherDatabase) this.known.clear();
      else this.update(records);
    } catch {
      // the database is away: readiness reports it, and the next poll asks again
      this.isBehind = false;
    }
  }

  private update(records: readonly T[]): void {
    for (const record of records) {
      const key = this.source.keyOf(record);
      this.unknown.delete(key);
      if (this.known.has(key)) this.known.set(key, record);
    }
  }
}
