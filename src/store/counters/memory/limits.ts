import type {
  LimitCharge,
  Counters,
  Reservation,
  ReserveResult,
} from '../../contracts/counters.js';
import { type BudgetMeasure, settledAmount, wholeAmount } from '../period.js';
import { budgetUnknown, refuse } from '../refuse.js';
import { SweptMap } from './swept-map.js';
import { BudgetCounter, MinuteCounter, type UsageCounter } from './usage-counters.js';

/** One subject's usage of each measure. */
type SubjectCounters = { requests?: MinuteCounter; tokens?: MinuteCounter } & {
  [Money in BudgetMeasure]?: BudgetCounter;
};

/** The limits of one process, in its memory. */
export class MemoryLimits {
  private readonly subjects: SweptMap<SubjectCounters>;

  /**
   * @param now epoch ms
   * @param knownMs after which time the spending on a budget has to be set again
   */
  constructor(
    private readonly now: () => number,
    private readonly knownMs = Infinity,
  ) {
    this.subjects = new SweptMap((counters) =>
      Object.values(counters).every((counter) => counter.isExpired(now())),
    );
  }

  /** How many subjects have counters. */
  get size(): number {
    return this.subjects.size;
  }

  /** See `Counters.reserve`. */
  reserve(charges: readonly LimitCharge[]): ReserveResult {
    const now = this.now();
    const counters = charges.map((charge) => this.counterOf(charge, now));
    const fits = charges.map((charge, index) => counters[index]?.fits(charge, now));
    if (fits.includes(null))
      return budgetUnknown(
        charges.filter((_, index) => fits[index] === null),
        now,
      );
    if (fits.includes(false))
      return refuse(
        charges,
        counters.map((counter) => counter.use()),
        now,
      );
    const reservation = this.reserveUnchecked(charges, now, counters);
    return {
      outcome: 'granted',
      reservation,
      used: counters.map((counter) => Math.ceil(counter.used(now))),
    };
  }

  /** Reserves what was granted elsewhere, whether it fits here or not. */
  reserveUnchecked(
    charges: readonly LimitCharge[],
    now = this.now(),
    counters = charges.map((charge) => this.counterOf(charge, now)),
  ): Reservation {
    const periods = counters.map((counter, index) => counter.reserve(charges[index]!.amount, now));
    let isSettled = false;
    return {
      settle: (used) => {
        if (isSettled) return;
        isSettled = true;
        const now = this.now();
        for (const [index, charge] of charges.entries()) {
          const { amount } = charge;
          // the counter of the reservation may have expired by now
          const counter = this.counterOf(charge, now);
          counter.settle(periods[index]!, amount, settledAmount(used[index], amount), now);
        }
      },
    };
  }

  /** See `Counters.setSpent`. */
  setSpent({ subject, measure, since }: Parameters<Counters['setSpent']>[0], used: number): void {
    if (measure === 'requests' || measure === 'tokens') return;
    const now = this.now();
    this.budgetOf(subject, measure, now).setSpent(wholeAmount(used), since, now);
  }

  private counterOf({ subject, measure }: LimitCharge, now: number): UsageCounter {
    return measure === 'usd_day' || measure === 'usd_month'
      ? this.budgetOf(subject, measure, now)
      : (this.countersOf(subject)[measure] ??= new MinuteCounter(now));
  }

  private budgetOf(subject: string, measure: BudgetMeasure, now: number): BudgetCounter {
    return (this.countersOf(subject)[measure] ??= new BudgetCounter(measure, now, this.knownMs));
  }

  private countersOf(subject: string): SubjectCounters {
    const known = this.subjects.peek(subject);
    if (known) return known;
    const counters: SubjectCounters = {};
    this.subjects.set(subject, counters);
    return counters;
  }
}
