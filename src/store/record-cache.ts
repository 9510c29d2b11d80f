import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.js';
import type { LazyDatabases, Databases } from './lazy-databases.js';
import type { PubSub } from './contracts/counters.js';
import type { Changes } from './contracts/store.js';

/** Where a cache's records come from. */
export interface RecordSource<T> {
  /** Names them among replicas. */
  readonly topic: string;
  keyOf(record: T): string;
  load(opened: Databases, key: string): Promise<T | null>;
  changedSince(opened: Databases, revision: number): Promise<Changes<T>>;
}

const mostRecords = 50_000;
const pollMs = 500;
const mostPolls = 4;
/** Lookups of unknown keys under way: more are somebody guessing. */
const mostLookups = 64;
const forgetUnknownMs = 1_000;
const mostUnknown = 10_000;
/** More than any revision there is: asks for the number alone. */
const noRecords = Number.MAX_SAFE_INTEGER;

/**
 * Records of the database in memory. What has been asked for once is known without asking again; what other processes change is heard of
 * within half a second, and at once where replicas can tell each other. While the database is away, what is known stays as it was.
 */
export class RecordCache<T extends object> {
  private readonly known = new LRUCache<string, T>({ max: mostRecords });
  private readonly unknown = new LRUCache<string, true>({ max: mostUnknown, ttl: forgetUnknownMs });
  private revision: number | null = null;
  private following: Promise<void> | null = null;
  private lookups = 0;
  private timer: NodeJS.Timeout | undefined;
  private bulletin: PubSub | null = null;
  private polls = 0;
  private isBehind = false;
  private isClosed = false;

  constructor(
    private readonly backing: LazyDatabases,
    private readonly source: RecordSource<T>,
  ) {}

  /** A record by its key, null where there is none; a promise where it has to be looked up. @throws GatewayError `unavailable` */
  find(key: string): T | null | Promise<T | null> {
    const record = this.known.get(key);
    if (record) return record;
    // nobody has put anything into a memory that is not open yet
    if (this.backing.isVolatile && this.backing.now === null) return null;
    return this.unknown.has(key) ? null : this.lookUp(key);
  }

  /** A record that is known here, without looking it up. */
  peek(key: string): T | null {
    return this.known.peek(key) ?? null;
  }

  /** Forgets a record that this process has changed, so that it is looked up anew, and tells the other replicas that there is something new. */
  changed(record: T): void {
    const key = this.source.keyOf(record);
    // not taken in: a change made elsewhere after ours may have been heard of before our commit was answered
    this.known.delete(key);
    this.unknown.delete(key);
    this.bulletin?.tell(this.source.topic, '');
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private async lookUp(key: string): Promise<T | null> {
    if (this.lookups >= mostLookups)
      throw new GatewayError('unavailable', 'too many unknown keys are being looked up', {
        retryAfterMs: 1_000,
      });
    this.lookups++;
    try {
      const opened = await this.backing.get();
      await this.follow(opened);
      const before = this.revision;
      const record = await this.source.load(opened, key);
      // what changed while it was read is not known to be in it
      if (record && this.revision === before) this.known.set(key, record);
      if (!record) this.unknown.set(key, true);
      return record;
    } finally {
      this.lookups--;
    }
  }

  /** Begins to follow changes, before the first record is kept. */
  private async follow(opened: Databases): Promise<void> {
    if (this.revision !== null || this.isClosed) return;
    this.following ??= this.source
      .changedSince(opened, noRecords)
      .then(({ revision }) => this.begin(opened, revision))
      .finally(() => (this.following = null));
    await this.following;
  }

  private begin(opened: Databases, revision: number): void {
    this.revision = revision;
    this.bulletin = opened.counters.bulletin;
    this.bulletin.hear(this.source.topic, () => void this.poll(opened));
    this.schedule(opened);
  }

  private schedule(opened: Databases): void {
    clearTimeout(this.timer);
    if (!this.isClosed)
      this.timer = setTimeout(
        () => void this.poll(opened).then(() => this.schedule(opened)),
        pollMs,
      ).unref();
  }

  /** A few at a time, for one connection may hang: what is told meanwhile, however often, is asked for once more. */
  private async poll(opened: Databases): Promise<void> {
    this.isBehind = this.polls >= mostPolls;
    if (this.isBehind) return;
    this.polls++;
    await this.catchUp(opened).then(() => {
      this.polls--;
      if (this.isBehind && !this.isClosed) void this.poll(opened);
    });
  }

  private async catchUp(opened: Databases): Promise<void> {
    try {
      const before = this.revision ?? 0;
      const { revision, records } = await this.source.changedSince(opened, before);
      // a standby that lacked the last changes, or a backup, has taken over: its revisions count on from there
      const isAnother = revision < before;
      if (this.isClosed || (!isAnother && revision <= (this.revision ?? 0))) return;
      this.revision = revision;
      this.unknown.clear();
      if (isAnother) this.known.clear();
      else this.take(records);
    } catch {
      // the database is away: readiness tells of it, and the next turn asks again
      this.isBehind = false;
    }
  }

  private take(records: readonly T[]): void {
    for (const record of records) {
      const key = this.source.keyOf(record);
      this.unknown.delete(key);
      if (this.known.has(key)) this.known.set(key, record);
    }
  }
}
