import { BatchQueue, type BatchQueueOptions, type LossReason } from './batch-queue.js';

/** As `BatchQueueOptions`, for values by key. */
export interface MergingQueueOptions<V> extends Pick<
  BatchQueueOptions<string>,
  'maxItems' | 'maxBatch' | 'delayMs' | 'backoff'
> {
  /** See `BatchQueueOptions.write`. */
  readonly write: (values: ReadonlyMap<string, V>) => Promise<void>;
  /** One value for an older and a newer one of the same key. */
  readonly merge: (older: V, newer: V) => V;
  readonly onLost: (keys: readonly string[], reason: LossReason, cause?: unknown) => void;
}

/** A batch queue with one value for each key: a value is merged with one that waits already. */
export class MergingQueue<V> {
  private readonly values = new Map<string, V>();
  /** Values that are being written are not in `values`. */
  private writing: ReadonlyMap<string, V> = new Map();
  private readonly queued = new Set<string>();
  private readonly queue: BatchQueue<string>;

  constructor(private readonly options: MergingQueueOptions<V>) {
    const { maxItems, maxBatch, delayMs, backoff } = options;
    this.queue = new BatchQueue<string>({
      maxItems,
      maxBatch,
      delayMs,
      backoff,
      // the longer values wait, the more of them merge
      flushesFullBatch: false,
      write: (keys) => this.write(keys),
      onLost: (keys, reason, cause) => this.lose(keys, reason, cause),
    });
  }

  /** Whether a value of this key waits, and is not being written. */
  has(key: string): boolean {
    return this.values.has(key);
  }

  /** Takes a value. Never throws; `onLost` is called if there is no room. */
  add(key: string, value: V): void {
    const older = this.values.get(key);
    this.values.set(key, older === undefined ? value : this.options.merge(older, value));
    this.enqueue(key);
  }

  /**
   * Makes a value from the one that waits: cheaper than `add` where that can be changed in place.
   * @param change gets the waiting value, or undefined; may mutate and return it
   */
  update(key: string, change: (waiting: V | undefined) => V): void {
    this.values.set(key, change(this.values.get(key)));
    this.enqueue(key);
  }

  /** Replaces a value that waits and is not being written; null from `change` drops it. */
  replace(key: string, change: (waiting: V) => V | null): void {
    const waiting = this.values.get(key);
    if (waiting === undefined) return;
    const value = change(waiting);
    if (value === null) this.values.delete(key);
    else this.values.set(key, value);
  }

  /** Writes the values added so far. False after `limitMs`: they will still be written. */
  flush(limitMs: number): Promise<boolean> {
    return this.queue.flush(limitMs);
  }

  /** Writes what it can within the limit. What is left, and what is added later, is lost. */
  close(limitMs: number): Promise<void> {
    return this.queue.close(limitMs);
  }

  private enqueue(key: string): void {
    if (this.queued.has(key)) return;
    this.queued.add(key);
    this.queue.add(key);
  }

  private async write(keys: readonly string[]): Promise<void> {
    const values = new Map<string, V>();
    for (const key of keys) {
      const value = this.values.get(key);
      if (value === undefined) continue;
      values.set(key, value);
      this.values.delete(key);
    }
    this.writing = values;
    try {
      if (values.size > 0) await this.options.write(values);
    } catch (error) {
      for (const [key, value] of values) this.putBack(key, value);
      throw error;
    } finally {
      this.writing = new Map();
    }
    for (const key of keys) {
      this.queued.delete(key);
      // a value that came meanwhile waits for its own turn
      if (this.values.has(key)) this.enqueue(key);
    }
  }

  private putBack(key: string, value: V): void {
    const newer = this.values.get(key);
    this.values.set(key, newer === undefined ? value : this.options.merge(value, newer));
  }

  private lose(keys: readonly string[], reason: LossReason, cause: unknown): void {
    for (const key of keys) this.queued.delete(key);
    // a value that was deleted meanwhile is not lost
    const lost = keys.filter((key) => this.values.delete(key) || this.writing.has(key));
    if (lost.length > 0) this.options.onLost(lost, reason, cause);
  }
}
