import { setTimeout as pause } from 'node:timers/promises';
import type { LazyDatabases } from '../../store/lazy-databases.js';

const firstAfterMs = 60_000;
const everyMs = 3_600_000;
const dayMs = 86_400_000;
const removedAtOnce = 1_000;
/** After a year next to nothing is left of what was learned. */
const fadedDays = 365;
/** Between two removals, so that what is asked of the database meanwhile is answered. */
const breathMs = 50;
/** The most rows of a database in memory. */
const mostVolatile = 10_000;

export interface RetentionOptions {
  /** How many days requests and decisions are kept, as the configuration says now. */
  readonly keepDays: () => number;
  readonly firstAfterMs?: number;
  readonly everyMs?: number;
  readonly mostVolatile?: number;
}

/** Removes requests and decisions that are older than they are to be kept, and what has faded of what was learned, hourly, a few at a time. Any number of replicas may do it. */
export class Retention {
  private timer: NodeJS.Timeout | null;
  private isClosed = false;
  /** Of the rows of a database in memory, oldest first. */
  private readonly times: number[] = [];

  constructor(
    private readonly backing: LazyDatabases,
    private readonly options: RetentionOptions,
  ) {
    this.timer = this.later(options.firstAfterMs ?? firstAfterMs);
  }

  /** Hears when rows have been written, and sees to it that a database in memory stays small however busy it is. */
  wrote(times: readonly number[]): void {
    if (!this.backing.isVolatile) return;
    for (const time of times) this.times.push(time);
    const most = this.options.mostVolatile ?? mostVolatile;
    if (this.times.length <= most) return;
    this.times.splice(0, this.times.length - Math.ceil(most * 0.9));
    void this.removeBefore(this.times[0] ?? 0);
  }

  close(): void {
    this.isClosed = true;
    if (this.timer) clearTimeout(this.timer);
  }

  /** A little earlier or later in every process. */
  private later(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.run(), ms * (0.9 + Math.random() / 5)).unref();
  }

  private async run(): Promise<void> {
    await this.removeBefore(Date.now() - this.options.keepDays() * dayMs);
    await this.removeFaded(Date.now() - fadedDays * dayMs);
    if (!this.isClosed) this.timer = this.later(this.options.everyMs ?? everyMs);
  }

  /** Never rejects either. */
  private async removeFaded(at: number): Promise<void> {
    await this.backing.now?.store.learnings.removeBefore(at, removedAtOnce).catch(() => undefined);
  }

  /** Never rejects: what cannot be removed now is removed the next time. */
  private async removeBefore(at: number): Promise<void> {
    // nothing is opened for the sake of removing from it
    const opened = this.backing.now;
    if (opened === null) return;
    try {
      while (
        !this.isClosed &&
        (await opened.store.requests.removeBefore(at, removedAtOnce)) >= removedAtOnce
      )
        await pause(breathMs, null, { ref: false });
    } catch {
      // the database is away: readiness tells of it
    }
  }
}
