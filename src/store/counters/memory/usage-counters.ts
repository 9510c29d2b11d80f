import type { LimitCharge } from '../../contracts/counters.js';
import {
  type BudgetMeasure,
  minuteMs,
  minuteOf,
  type Period,
  periodOf,
  usedInMinute,
} from '../period.js';
import type { UsedPair } from '../refuse.js';

/** One subject's usage of one measure. Times are epoch ms. */
export interface UsageCounter {
  /** Null: what was spent in the current period has not been set. */
  fits(charge: LimitCharge, now: number): boolean | null;
  /** Counts an amount; returns the period to pass to `settle`. */
  reserve(amount: number, now: number): number;
  settle(period: number, reserved: number, used: number, now: number): void;
  /** The two numbers as of the last `fits` or `reserve`. */
  use(): UsedPair;
  used(now: number): number;
  /** Whether the counter can be dropped without a difference. */
  isExpired(now: number): boolean;
}

/** Requests or tokens in a sliding window of 60 s. */
export class MinuteCounter implements UsageCounter {
  private minute: number;
  private current = 0;
  private previous = 0;

  constructor(now: number) {
    // one without a minute would have expired before it is used
    this.minute = minuteOf(now);
  }

  fits({ limit, amount }: LimitCharge, now: number): boolean {
    this.roll(now);
    return this.used(now) + amount <= limit;
  }

  reserve(amount: number, now: number): number {
    this.roll(now);
    this.current += amount;
    return this.minute;
  }

  /**
   * What was reserved and not used is subtracted from its minute if that still counts; what was
   * used beyond the reservation counts from now.
   */
  settle(minute: number, reserved: number, used: number, now: number): void {
    const more = used - reserved;
    if (more === 0) return;
    this.roll(now);
    if (more > 0 || minute === this.minute) this.current = Math.max(0, this.current + more);
    else if (minute === this.minute - 1) this.previous = Math.max(0, this.previous + more);
  }

  use(): UsedPair {
    return [this.current, this.previous];
  }

  used(now: number): number {
    return usedInMinute(this.current, this.previous, now);
  }

  isExpired(now: number): boolean {
    return now - this.minute * minuteMs >= 2 * minuteMs;
  }

  private roll(now: number): void {
    const minute = minuteOf(now);
    // a clock that was set back a little begins no new minute
    if (minute === this.minute || minute === this.minute - 1) return;
    this.previous = minute === this.minute + 1 ? this.current : 0;
    this.current = 0;
    this.minute = minute;
  }
}

/** Money in a UTC day or month. */
export class BudgetCounter implements UsageCounter {
  private period: Period;
  private settled = 0;
  private reserved = 0;
  /** When the spending was set; null: not in this period. */
  private setAt: number | null = null;

  /** @param knownMs how long the spending is known that was set */
  constructor(
    private readonly measure: BudgetMeasure,
    now: number,
    private readonly knownMs: number,
  ) {
    this.period = periodOf(measure, now);
  }

  setSpent(used: number, since: number | undefined, now: number): void {
    this.roll(now);
    const isCurrent = (since ?? this.period.startsAt) === this.period.startsAt;
    if (!isCurrent || this.isKnown(now)) return;
    // at first, what has been settled here may not be in it: too much is better than too little
    this.settled = this.setAt === null ? this.settled + used : Math.max(this.settled, used);
    this.setAt = now;
  }

  fits({ limit, amount }: LimitCharge, now: number): boolean | null {
    this.roll(now);
    return this.isKnown(now) ? this.used() + amount <= limit : null;
  }

  reserve(amount: number, now: number): number {
    this.roll(now);
    this.reserved += amount;
    return this.period.index;
  }

  settle(index: number, reserved: number, used: number): void {
    if (index !== this.period.index) return;
    this.reserved -= reserved;
    this.settled += used;
  }

  use(): UsedPair {
    return [this.settled, this.reserved];
  }

  used(): number {
    return this.settled + this.reserved;
  }

  isExpired(now: number): boolean {
    return now >= this.period.endsAt;
  }

  private isKnown(now: number): boolean {
    return this.setAt !== null && now - this.setAt < this.knownMs;
  }

  private roll(now: number): void {
    if (now >= this.period.startsAt && now < this.period.endsAt) return;
    this.period = periodOf(this.measure, now);
    this.setAt = null;
    this.settled = 0;
    this.reserved = 0;
  }
}
