import type { Claim } from '../../contracts/counters.js';
import {
  type BudgetMeasure,
  minuteMs,
  minuteOf,
  type Period,
  periodOf,
  usedInMinute,
} from '../period.js';
import type { Use } from '../refuse.js';

/** What one subject uses of one measure. Times are epoch ms. */
export interface Tally {
  /** Null: what was used in the present period is not known yet. */
  fits(claim: Claim, now: number): boolean | null;
  /** Counts an amount; returns the period that `settle` has to be told. */
  take(amount: number, now: number): number;
  settle(period: number, held: number, used: number, now: number): void;
  /** As of the last `fits` or `take`. */
  use(): Use;
  /** What counts as used then, in all. */
  used(now: number): number;
  /** Whether forgetting it changes nothing. */
  isOver(now: number): boolean;
}

/** Requests or tokens over any 60 s. */
export class MinuteTally implements Tally {
  private minute = 0;
  private current = 0;
  private previous = 0;

  fits({ limit, amount }: Claim, now: number): boolean {
    this.roll(now);
    return this.used(now) + amount <= limit;
  }

  take(amount: number, now: number): number {
    this.roll(now);
    this.current += amount;
    return this.minute;
  }

  /** What is given back goes to its minute, if that counts still; what was used beyond the hold counts from now. */
  settle(minute: number, held: number, used: number, now: number): void {
    const more = used - held;
    if (more === 0) return;
    this.roll(now);
    if (more > 0 || minute === this.minute) this.current = Math.max(0, this.current + more);
    else if (minute === this.minute - 1) this.previous = Math.max(0, this.previous + more);
  }

  use(): Use {
    return [this.current, this.previous];
  }

  used(now: number): number {
    return usedInMinute(this.current, this.previous, now);
  }

  isOver(now: number): boolean {
    return now - this.minute * minuteMs >= 2 * minuteMs;
  }

  private roll(now: number): void {
    const minute = minuteOf(now);
    // a clock that was set back a little is no new minute
    if (minute === this.minute || minute === this.minute - 1) return;
    this.previous = minute === this.minute + 1 ? this.current : 0;
    this.current = 0;
    this.minute = minute;
  }
}

/** Money in a UTC day or month. */
export class BudgetTally implements Tally {
  private period: Period;
  private settled: number | null = null;
  private held = 0;

  constructor(
    private readonly measure: BudgetMeasure,
    now: number,
  ) {
    this.period = periodOf(measure, now);
  }

  /** When the present period began. */
  since(now: number): number {
    this.roll(now);
    return this.period.startsAt;
  }

  seed(used: number, since: number | undefined, now: number): void {
    const isPresent = this.since(now) === (since ?? this.period.startsAt);
    if (isPresent) this.settled ??= used;
  }

  fits({ limit, amount }: Claim, now: number): boolean | null {
    this.roll(now);
    return this.settled === null ? null : this.settled + this.held + amount <= limit;
  }

  take(amount: number, now: number): number {
    this.roll(now);
    this.held += amount;
    return this.period.index;
  }

  settle(index: number, held: number, used: number): void {
    if (index !== this.period.index) return;
    this.held -= held;
    // where it is not seeded yet, the seed will include it
    if (this.settled !== null) this.settled += used;
  }

  use(): Use {
    return [this.settled ?? 0, this.held];
  }

  used(): number {
    return (this.settled ?? 0) + this.held;
  }

  isOver(now: number): boolean {
    return now >= this.period.endsAt;
  }

  private roll(now: number): void {
    if (now >= this.period.startsAt && now < this.period.endsAt) return;
    this.period = periodOf(this.measure, now);
    this.settled = null;
    this.held = 0;
  }
}
