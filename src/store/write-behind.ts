import { GatewayError } from '../errors.js';

/** Where a queue tells how it fares. */
export interface WriteBehindReport {
  /** So many records of that kind will never be written. */
  lost(kind: string, count: number): void;
  /** Told once in a while, not for each record. */
  warn(message: string): void;
}

/** What is written behind, and within which bounds. Durations in ms. */
export interface WriteBehindOptions<T> {
  /** Names the records in metrics and warnings. */
  readonly kind: string;
  /**
   * Writes a batch, whole or not at all; records that are there already are passed over, so that a batch whose end nobody heard of can be
   * written again. Rejects with a GatewayError `unavailable` where the same may succeed later, with anything else where it will not.
   */
  readonly write: (records: readonly T[]) => Promise<void>;
  readonly report: WriteBehindReport;
  /** The most records that wait. */
  readonly most: number;
  /** What a record weighs beside its few fixed fields, in bytes; absent: nothing. */
  readonly weigh?: (record: T) => number;
  readonly mostBytes?: number;
  /** While there is nothing to write to, only so many wait and the oldest give way; null: there is. */
  readonly mostAtRest?: () => number | null;
  readonly delayMs?: number;
  readonly firstRetryMs?: number;
  readonly longestRetryMs?: number;
}

const largestBatch = 500;
const warnAgainMs = 60_000;

interface Waiter {
  /** How many records have to be settled. */
  readonly upTo: number;
  readonly done: (settled: boolean) => void;
}

/**
 * A bounded queue in front of a database. Adding costs next to nothing and never fails; records are written in batches, one at a time and in
 * order, soon after the first has come. While the database is away they wait; beyond the bound the newest are refused, counted and told of.
 * A batch that is refused for another reason is halved until the record at fault stands alone, which is dropped.
 */
export class WriteBehind<T> {
  private readonly queue: T[] = [];
  private bytes = 0;
  private added = 0;
  private settled = 0;
  private failures = 0;
  /** The most that are written at once: fewer where so many have failed, for a slow database may take part of them in time. */
  private batch = largestBatch;
  private isWriting = false;
  private isClosed = false;
  private timer: NodeJS.Timeout | null = null;
  private waiters: Waiter[] = [];
  private lostSoFar = 0;
  private warnedAt = -Infinity;

  constructor(private readonly options: WriteBehindOptions<T>) {}

  /** How many wait. */
  get size(): number {
    return this.queue.length;
  }

  /** Takes a record, where there is room. Never throws. */
  add(record: T): void {
    const { most, mostBytes = Infinity, weigh, mostAtRest, delayMs = 200 } = this.options;
    const weight = weigh ? weigh(record) : 0;
    if (this.isClosed || this.queue.length >= most || this.bytes + weight > mostBytes) {
      this.lose(1, this.isClosed ? 'the gateway has stopped' : 'too many wait to be written');
      return;
    }
    this.queue.push(record);
    this.bytes += weight;
    this.added++;
    // what is being written is taken off when it is
    const atRest = this.isWriting ? null : (mostAtRest?.() ?? null);
    if (atRest !== null) this.take(Math.max(0, this.queue.length - atRest));
    else if (this.timer === null && !this.isWriting) this.schedule(delayMs);
    else if (this.queue.length >= largestBatch && this.failures === 0) void this.write();
  }

  /** Writes what has been added so far, at once. False: it took too long; it is still going to be written. */
  flush(limitMs: number): Promise<boolean> {
    if (this.settled >= this.added) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => finish(false), limitMs);
      const finish = (settled: boolean): void => {
        clearTimeout(timer);
        this.waiters = this.waiters.filter((other) => other !== waiter);
        resolve(settled);
      };
      const waiter: Waiter = { upTo: this.added, done: finish };
      this.waiters.push(waiter);
      void this.write();
    });
  }

  /** Writes what it can within the limit and takes no more; what is left then is lost. */
  async close(limitMs: number): Promise<void> {
    if ((this.options.mostAtRest?.() ?? null) === null) await this.flush(limitMs);
    else this.take(this.queue.length);
    this.isClosed = true;
    if (this.timer) clearTimeout(this.timer);
    if (this.queue.length > 0)
      this.lose(this.queue.length, 'the database was away when the gateway stopped');
    this.take(this.queue.length);
  }

  private schedule(afterMs: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = this.isClosed ? null : setTimeout(() => void this.write(), afterMs).unref();
  }

  private async write(): Promise<void> {
    if (this.isWriting || this.queue.length === 0) return;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.isWriting = true;
    const count = Math.min(this.queue.length, this.batch);
    try {
      await this.store(count);
      this.failures = 0;
      this.batch = Math.min(largestBatch, 2 * this.batch);
    } catch {
      this.failures++;
      this.batch = Math.ceil(count / 2);
    }
    this.isWriting = false;
    for (const { upTo, done } of [...this.waiters]) if (this.settled >= upTo) done(true);
    this.goOn();
  }

  private goOn(): void {
    if (this.queue.length === 0) return;
    if (this.failures > 0) this.schedule(this.backoffMs());
    else if (this.waiters.length > 0 || this.queue.length >= this.batch) this.schedule(0);
    else this.schedule(this.options.delayMs ?? 200);
  }

  /** Writes the first `count` of the queue. @throws GatewayError `unavailable`: those that are still in the queue may be written later */
  private async store(count: number): Promise<void> {
    // nothing is left of it where the queue was closed meanwhile
    if (this.queue.length === 0) return;
    try {
      await this.options.write(this.queue.slice(0, count));
      this.take(count);
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'unavailable') throw error;
      if (count === 1) {
        this.take(1);
        this.lose(
          1,
          `it cannot be stored: ${error instanceof Error ? error.message : String(error)}`,
        );
        return;
      }
      const half = Math.floor(count / 2);
      await this.store(half);
      await this.store(count - half);
    }
  }

  /** The first `count` of the queue are settled, for good or ill. */
  private take(count: number): void {
    if (count === 0) return;
    const { weigh } = this.options;
    const gone = this.queue.splice(0, count);
    this.settled += gone.length;
    if (weigh) for (const record of gone) this.bytes -= weigh(record);
  }

  private lose(count: number, reason: string): void {
    const { kind, report } = this.options;
    report.lost(kind, count);
    this.lostSoFar += count;
    if (performance.now() - this.warnedAt < warnAgainMs) return;
    this.warnedAt = performance.now();
    report.warn(`records of ${kind} are lost (${this.lostSoFar} so far): ${reason}`);
  }

  /** Doubles with every failure, and is a little different in every process. */
  private backoffMs(): number {
    const { firstRetryMs = 250, longestRetryMs = 10_000 } = this.options;
    const fullMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(this.failures - 1, 20));
    return fullMs * (0.75 + Math.random() / 4);
  }
}
