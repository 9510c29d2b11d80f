import { GatewayError } from '../errors.js';
import { backoffMs, type BackoffRule } from './backoff.js';
import { withTimeout } from './with-timeout.js';

/**
 * Why items will never be written: the queue was `full`; it was `closed` before they came; the
 * write `refused` them; they were still `unwritten` when the queue closed.
 */
export type LossReason = 'full' | 'closed' | 'refused' | 'unwritten';

/** What a queue writes, and its bounds. Durations in ms. */
export interface BatchQueueOptions<T> {
  /**
   * Writes a batch, all or nothing. Must tolerate items that it has written before, because a batch
   * is written again when its confirmation got lost. Rejects with a GatewayError `unavailable` when
   * the same batch may succeed later, with any other error when it will not.
   */
  readonly write: (items: readonly T[]) => Promise<void>;
  readonly onLost: (items: readonly T[], reason: LossReason, cause?: unknown) => void;
  /** Called when an outage begins (`unavailable`), and when the first write after it succeeds. */
  readonly onOutage?: (isAway: boolean, cause?: unknown) => void;
  /** How many items may wait beside a batch; an empty queue accepts an item of any size. */
  readonly maxItems: number;
  readonly maxBatch: number;
  /** The size of an item in any unit; `maxSize` bounds the sum of all that wait. */
  readonly sizeOf?: (item: T) => number;
  readonly maxSize?: number;
  /** How long the first item waits for others. 0: until the end of this round of the event loop. */
  readonly delayMs: number;
  /** Whether a full batch is written without waiting for the delay; true if absent. */
  readonly flushesFullBatch?: boolean;
  readonly backoff: BackoffRule;
}

interface Waiter {
  /** Resolves once this many items have been settled since the queue was made. */
  readonly upTo: number;
  readonly resolve: (settled: true) => void;
}

/**
 * A bounded queue in front of a store. `add` is synchronous and never throws. Items are written in
 * order, one batch at a time. During an outage they wait, and each failure halves the batch,
 * because a slow store may manage part of it in time. A batch that is refused is split until the
 * faulty item is alone; only that item is dropped. `onLost` is called exactly once for each item
 * that will not be written.
 */
export class BatchQueue<T> {
  private readonly items: T[] = [];
  private totalSize = 0;
  /** Counts of items since the beginning; those up to `dueUpTo` no longer wait for the delay. */
  private added = 0;
  private settled = 0;
  private dueUpTo = 0;
  private failures = 0;
  private batchSize: number;
  /** How many of the items are being written. */
  private writing = 0;
  private closing: Promise<void> | null = null;
  private isClosed = false;
  private cancelTimer: (() => void) | null = null;
  private readonly waiters = new Set<Waiter>();

  constructor(private readonly options: BatchQueueOptions<T>) {
    this.batchSize = options.maxBatch;
  }

  /** How many items wait, including those that are being written. */
  get size(): number {
    return this.items.length;
  }

  /** Whether the last write failed because the store was away. */
  get isAway(): boolean {
    return this.failures > 0;
  }

  /** The first waiting item that satisfies the condition, also among those being written. */
  find(condition: (item: T) => boolean): T | undefined {
    return this.items.find(condition);
  }

  /** Takes an item. False if the queue is full or closed; `onLost` has been called then. */
  add(item: T): boolean {
    const { sizeOf, maxBatch, flushesFullBatch = true, delayMs } = this.options;
    const size = sizeOf ? sizeOf(item) : 0;
    if (this.isClosed || !this.hasRoom(size)) {
      this.options.onLost([item], this.isClosed ? 'closed' : 'full');
      return false;
    }
    this.items.push(item);
    this.totalSize += size;
    this.added++;
    if (this.writing > 0 || this.failures > 0) return true;
    if (flushesFullBatch && this.items.length >= maxBatch) void this.writeBatch();
    else if (this.cancelTimer === null) this.schedule(delayMs);
    return true;
  }

  /** Writes the items added so far. False after `limitMs`: they will still be written. */
  flush(limitMs: number): Promise<boolean> {
    return this.settle(this.added, limitMs);
  }

  /** Writes what it can within the limit. What is left, and what is added later, is lost. */
  close(limitMs: number): Promise<void> {
    return (this.closing ??= this.drain(limitMs));
  }

  private async drain(limitMs: number): Promise<void> {
    await this.settle(Infinity, limitMs);
    this.isClosed = true;
    this.cancelTimer?.();
    const left = this.take(this.items.length);
    if (left.length > 0) this.options.onLost(left, 'unwritten');
  }

  private hasRoom(size: number): boolean {
    const { maxItems, maxSize = Infinity } = this.options;
    return (
      this.items.length === 0 ||
      (this.items.length - this.writing < maxItems && this.totalSize + size <= maxSize)
    );
  }

  private settle(upTo: number, limitMs: number): Promise<boolean> {
    if (this.items.length === 0 || this.settled >= upTo) return Promise.resolve(true);
    this.dueUpTo = Math.max(this.dueUpTo, upTo);
    let waiter: Waiter | undefined;
    const settled = new Promise<true>((resolve) => this.waiters.add((waiter = { upTo, resolve })));
    void this.writeBatch();
    return withTimeout(settled, limitMs, () => {
      if (waiter) this.waiters.delete(waiter);
      return false;
    });
  }

  private schedule(afterMs: number): void {
    this.cancelTimer?.();
    const begin = (): void => {
      this.dueUpTo = Math.max(this.dueUpTo, this.added);
      void this.writeBatch();
    };
    if (afterMs === 0) {
      const immediate = setImmediate(begin);
      this.cancelTimer = () => clearImmediate(immediate);
    } else {
      const timer = setTimeout(begin, afterMs).unref();
      this.cancelTimer = () => clearTimeout(timer);
    }
  }

  private async writeBatch(): Promise<void> {
    if (this.writing > 0 || this.items.length === 0) return;
    this.cancelTimer?.();
    this.cancelTimer = null;
    const count = Math.min(this.items.length, this.batchSize);
    this.writing = count;
    try {
      await this.store(count);
      this.batchSize = Math.min(this.options.maxBatch, 2 * this.batchSize);
      if (this.failures > 0) this.options.onOutage?.(false);
      this.failures = 0;
    } catch (error) {
      this.batchSize = Math.ceil(count / 2);
      if (this.failures++ === 0) this.options.onOutage?.(true, error);
    }
    this.writing = 0;
    this.resolveWaiters();
    this.continue();
  }

  /** Writes the first `count` items. @throws GatewayError `unavailable`: items may be left over */
  private async store(count: number): Promise<void> {
    // nothing is left if the queue was closed meanwhile
    if (this.items.length === 0) return;
    try {
      await this.options.write(this.items.slice(0, count));
      this.take(count);
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'unavailable') throw error;
      if (count > 1) {
        const half = Math.floor(count / 2);
        await this.store(half);
        await this.store(count - half);
      } else {
        const refused = this.take(1);
        if (refused.length > 0) this.options.onLost(refused, 'refused', error);
      }
    }
  }

  private take(count: number): T[] {
    const { sizeOf } = this.options;
    const taken = this.items.splice(0, count);
    this.settled += taken.length;
    if (sizeOf) for (const item of taken) this.totalSize -= sizeOf(item);
    return taken;
  }

  private resolveWaiters(): void {
    for (const waiter of this.waiters) {
      if (this.items.length > 0 && this.settled < waiter.upTo) continue;
      this.waiters.delete(waiter);
      waiter.resolve(true);
    }
  }

  private continue(): void {
    const { backoff, delayMs, flushesFullBatch = true } = this.options;
    if (this.items.length === 0) return;
    if (this.failures > 0) {
      // a process that stops has no time for long waits
      this.schedule(backoffMs(this.closing ? 1 : this.failures, backoff));
    } else if (
      this.settled < this.dueUpTo ||
      (flushesFullBatch && this.items.length >= this.batchSize)
    )
      void this.writeBatch();
    else this.schedule(delayMs);
  }
}
