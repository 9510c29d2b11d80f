import { setTimeout as wait } from 'node:timers/promises';
import type { LazyDatabases } from '../../store/lazy-databases.js';

const defaultFirstAfterMs = 60_000;
const defaultEveryMs = 3_600_000;
const dayMs = 86_400_000;
const maxBatch = 1_000;
/** After a year next to nothing is left of what was learned. */
const maxLearningDays = 365;
/** Between two batches, so that other statements get their turn. */
const pauseMs = 50;
/** Rows of a database in memory. */
const defaultMaxVolatile = 10_000;

export interface RetentionOptions {
  /** How many days requests and decisions are kept, according to the configuration in force. */
  readonly keepDays: () => number;
  readonly firstAfterMs?: number;
  readonly everyMs?: number;
  readonly maxVolatile?: number;
}

/**
 * Deletes, once an hour and in small batches, requests and decisions that are older than the
 * configuration keeps them, and learned state that has faded. Any number of replicas may do it.
 */
export class Retention {
  private timer: NodeJS.Timeout | null;
  private isClosed = false;
  /** When the rows of a database in memory were written, oldest first. */
  private readonly times: number[] = [];

  constructor(
    private readonly databases: LazyDatabases,
    private readonly options: RetentionOptions,
  ) {
    this.timer = this.schedule(options.firstAfterMs ?? defaultFirstAfterMs);
  }

  /**
   * Must be called when rows have been written: keeps a database in memory small however busy it
   * is.
   */
  noteWritten(times: readonly number[]): void {
    if (!this.databases.isVolatile) return;
    for (const time of times) this.times.push(time);
    const maxRows = this.options.maxVolatile ?? defaultMaxVolatile;
    if (this.times.length <= maxRows) return;
    this.times.splice(0, this.times.length - Math.ceil(maxRows * 0.9));
    void this.removeBefore(this.times[0] ?? 0);
  }

  close(): void {
    this.isClosed = true;
    if (this.timer) clearTimeout(this.timer);
  }

  /** At a slightly different time in every process. */
  private schedule(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.run(), ms * (0.9 + Math.random() / 5)).unref();
  }

  private async run(): Promise<void> {
    await this.removeBefore(Date.now() - this.options.keepDays() * dayMs);
    await this.removeLearningsBefore(Date.now() - maxLearningDays * dayMs);
    if (!this.isClosed) this.timer = this.schedule(this.options.everyMs ?? defaultEveryMs);
  }

  /** Never rejects. */
  private async removeLearningsBefore(at: number): Promise<void> {
    await this.databases.now?.store.learnings.removeBefore(at, maxBatch).catch(() => undefined);
  }

  /** Never rejects: what cannot be deleted now is deleted the next time. */
  private async removeBefore(at: number): Promise<void> {
    // does not open a database just to delete from it
    const opened = this.databases.now;
    if (opened === null) return;
    try {
      while (!this.isClosed && (await opened.store.requests.removeBefore(at, maxBatch)) >= maxBatch)
        await wait(pauseMs, null, { ref: false });
    } catch {
      // the database is away: readiness reports it
    }
  }
}
