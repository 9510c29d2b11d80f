import { messageOf } from '../errors.js';
import type { BackoffRule } from '../async/backoff.js';
import { BatchQueue, type LossReason } from '../async/batch-queue.js';

/** Where a queue reports what it loses. */
export interface WriteBehindReport {
  /** `count` rows of this kind will never be written. */
  lost(kind: string, count: number): void;
  /** Called at most once a minute, not for each row. */
  warn(message: string): void;
}

/** What is written behind, and its bounds. Durations in ms. */
export interface WriteBehindOptions<T> {
  /** Names the rows in metrics and warnings. */
  readonly kind: string;
  /** See `BatchQueueOptions.write`. */
  readonly write: (rows: readonly T[]) => Promise<void>;
  readonly report: WriteBehindReport;
  /** How many rows may wait. */
  readonly maxItems: number;
  /** The bytes of a row beside its few fixed fields; 0 if absent. */
  readonly sizeOf?: (row: T) => number;
  readonly maxBytes?: number;
  /**
   * While no database is open, how many rows may wait without causing one to be opened; the oldest
   * are dropped. Null: one is open.
   */
  readonly maxUnopened?: () => number | null;
  readonly delayMs?: number;
  readonly backoff?: BackoffRule;
}

const maxBatch = 500;
const warnAgainMs = 60_000;
const defaultDelayMs = 200;
const defaultBackoff: BackoffRule = { firstMs: 250, maxMs: 10_000, jitter: 0.25 };

const reasons: Record<Exclude<LossReason, 'refused'>, string> = {
  full: 'too many wait to be written',
  closed: 'the gateway has stopped',
  unwritten: 'the database was away when the gateway stopped',
};

/**
 * Rows on their way to the database: a batch queue that counts and reports what it loses, and that
 * does not open a database just for its rows.
 */
export class WriteBehind<T> {
  private readonly queue: BatchQueue<T>;
  /** Rows that wait while no database is open, oldest first. */
  private readonly unopened: T[] = [];
  private unopenedBytes = 0;
  private isClosed = false;
  private lostSoFar = 0;
  private warnedAt = -Infinity;

  constructor(private readonly options: WriteBehindOptions<T>) {
    const { write, maxItems, sizeOf, maxBytes, delayMs, backoff } = options;
    this.queue = new BatchQueue<T>({
      write,
      maxItems,
      maxBatch,
      delayMs: delayMs ?? defaultDelayMs,
      backoff: backoff ?? defaultBackoff,
      ...(sizeOf && { sizeOf }),
      ...(maxBytes !== undefined && { maxSize: maxBytes }),
      onLost: (rows, reason, cause) => this.lose(rows.length, reason, cause),
    });
  }

  /** How many rows wait. */
  get size(): number {
    return this.unopened.length + this.queue.size;
  }

  /** Whether the last write failed because the database was away. */
  get isAway(): boolean {
    return this.queue.isAway;
  }

  /** Takes a row if there is room. Never throws. */
  add(row: T): void {
    const maxUnopened = this.maxUnopened();
    // rows in the queue mean that a database is being opened for them
    if (maxUnopened === null || this.queue.size > 0 || this.isClosed) {
      this.enqueueUnopened();
      this.queue.add(row);
      return;
    }
    this.unopened.push(row);
    this.unopenedBytes += this.bytesOf(row);
    const { maxBytes = Infinity } = this.options;
    while (this.unopened.length > maxUnopened || this.unopenedBytes > maxBytes)
      this.takeUnopened(1);
  }

  /** Writes what has been added so far. False if that took longer; it will still be written. */
  flush(limitMs: number): Promise<boolean> {
    this.enqueueUnopened();
    return this.queue.flush(limitMs);
  }

  /** Writes what it can within the limit. What is left, and what is added later, is lost. */
  async close(limitMs: number): Promise<void> {
    // a database that was never opened has no reader: its rows go silently
    if (this.maxUnopened() === null) this.enqueueUnopened();
    this.takeUnopened(this.unopened.length);
    this.isClosed = true;
    await this.queue.close(limitMs);
  }

  private maxUnopened(): number | null {
    return this.options.maxUnopened?.() ?? null;
  }

  private enqueueUnopened(): void {
    if (this.unopened.length === 0) return;
    for (const row of this.takeUnopened(this.unopened.length)) this.queue.add(row);
  }

  private takeUnopened(count: number): T[] {
    const taken = this.unopened.splice(0, count);
    for (const row of taken) this.unopenedBytes -= this.bytesOf(row);
    return taken;
  }

  private bytesOf(row: T): number {
    return this.options.sizeOf?.(row) ?? 0;
  }

  private lose(count: number, reason: LossReason, cause: unknown): void {
    const { kind, report } = this.options;
    report.lost(kind, count);
    this.lostSoFar += count;
    if (performance.now() - this.warnedAt < warnAgainMs) return;
    this.warnedAt = performance.now();
    const why =
      reason === 'refused' ? `the database refused them: ${messageOf(cause)}` : reasons[reason];
    report.warn(`rows of ${kind} are lost (${this.lostSoFar} so far): ${why}`);
  }
}
