import { setTimeout as wait } from 'node:timers/promises';
import type { AgedRows } from './contracts/removal.js';
import type { Store } from './contracts/store.js';
import type { LazyDatabases } from './lazy-databases.js';

const defaultFirstAfterMs = 60_000;
const defaultEveryMs = 3_600_000;
const dayMs = 86_400_000;
const maxBatch = 1_000;
/** Between two batches, so that other statements get their turn. */
const pauseMs = 50;
/** Rows of a database in memory. */
const defaultMaxVolatile = 10_000;

/** How many days rows are kept; null: until somebody deletes them. */
export type KeptDays = Readonly<Partial<Record<AgedRows, number | null>>>;

/**
 * Not configurable: after a year next to nothing is left of what was learned, and expired links and
 * sign-ins are of no use.
 */
const fixedDays: KeptDays = { learnings: 365, password_resets: 1, sign_ins: 1 };

export interface RetentionOptions {
  /** According to the configuration in force. */
  readonly keptDays: () => KeptDays;
  readonly firstAfterMs?: number;
  readonly everyMs?: number;
  readonly maxVolatile?: number;
}

/**
 * Deletes, once an hour and in small batches, the rows that are older than the configuration keeps
 * them, and merges sums of short periods that are old. Any number of replicas may do it.
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

  /** Must be called after requests or decisions are written: keeps databases in memory small. */
  noteWritten(times: readonly number[]): void {
    if (!this.databases.isVolatile) return;
    for (const time of times) this.times.push(time);
    const maxRows = this.options.maxVolatile ?? defaultMaxVolatile;
    if (this.times.length <= maxRows) return;
    this.times.splice(0, this.times.length - Math.ceil(maxRows * 0.9));
    const oldest = this.times[0] ?? 0;
    void this.removeBefore('requests', oldest).then(() => this.removeBefore('selections', oldest));
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
    const now = Date.now();
    const keptDays = Object.entries({ ...fixedDays, ...this.options.keptDays() });
    for (const [rows, days] of keptDays as [AgedRows, number | null][])
      if (days !== null) await this.removeBefore(rows, now - days * dayMs);
    await this.repeat(({ periods }) => periods.merge(now, maxBatch));
    if (!this.isClosed) this.timer = this.schedule(this.options.everyMs ?? defaultEveryMs);
  }

  private removeBefore(rows: AgedRows, at: number): Promise<void> {
    return this.repeat(({ retention }) => retention.removeBefore(rows, at, maxBatch));
  }

  /** Never rejects: what cannot be done now is done the next time. */
  private async repeat(work: (store: Store) => Promise<number>): Promise<void> {
    // does not open a database just to delete from it
    const store = this.databases.now?.store;
    if (!store) return;
    try {
      while (!this.isClosed && (await work(store)) >= maxBatch)
        await wait(pauseMs, null, { ref: false });
    } catch {
      // the database is away: readiness reports it
    }
  }
}
