import type {
  LimitCharge,
  Counters,
  Reservation,
  ReserveResult,
} from '../../contracts/counters.js';
import { type BudgetMeasure, isBudget, periodOf, settledAmount, wholeAmount } from '../period.js';
import { refuse } from '../refuse.js';
import { SweptMap } from './swept-map.js';
import { BudgetCounter, MinuteCounter, type UsageCounter } from './usage-counters.js';

/** One subject's usage of each measure. */
interface SubjectCounters {
  requests: MinuteCounter | null;
  tokens: MinuteCounter | null;
  usd_day: BudgetCounter | null;
  usd_month: BudgetCounter | null;
}

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
    this.subjects = new SweptMap((counters) => isExpired(counters, now()));
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
    const unknown = charges.filter((_, index) => fits[index] === null).filter(isBudget);
    if (unknown.length > 0)
      return {
        outcome: 'budget_unknown',
        charges: unknown.map((charge) => ({
          ...charge,
          since: periodOf(charge.measure, now).startsAt,
        })),
      };
    if (fits.includes(false))
      return refuse(
        charges,
        counters.map((counter) => counter.use()),
        now,
      );
    const reservation = new MemoryReservation(charges, counters, this.now, this.counterOf);
    return {
      outcome: 'granted',
      reservation,
      used: counters.map((counter) => Math.ceil(counter.used(now))),
    };
  }

  /** Reserves what was granted elsewhere, whether it fits here or not. */
  reserveUnchecked(charges: readonly LimitCharge[]): Reservation {
    const now = this.now();
    return new MemoryReservation(
      charges,
      charges.map((charge) => this.counterOf(charge, now)),
      this.now,
      this.counterOf,
    );
  }

  /** See `Counters.setSpent`. */
  setSpent({ subject, measure, since }: Parameters<Counters['setSpent']>[0], used: number): void {
    if (measure === 'requests' || measure === 'tokens') return;
    const now = this.now();
    this.budgetOf(subject, measure, now).setSpent(wholeAmount(used), since, now);
  }

  private readonly counterOf = ({ subject, measure }: LimitCharge, now: number): UsageCounter =>
    measure === 'usd_day' || measure === 'usd_month'
      ? this.budgetOf(subject, measure, now)
      : (this.countersOf(subject)[measure] ??= new MinuteCounter(now));

  private budgetOf(subject: string, measure: BudgetMeasure, now: number): BudgetCounter {
    return (this.countersOf(subject)[measure] ??= new BudgetCounter(measure, now, this.knownMs));
  }

  private countersOf(subject: string): SubjectCounters {
    const known = this.subjects.peek(subject);
    if (known) return known;
    const counters: SubjectCounters = {
      requests: null,
      tokens: null,
      usd_day: null,
      usd_month: null,
    };
    this.subjects.set(subject, counters);
    return counters;
  }
}

const isExpired = (
  { requests, tokens, usd_day: day, usd_month: month }: SubjectCounters,
  now: number,
): boolean =>
  (requests?.isExpired(now) ?? true) &&
  (tokens?.isExpired(now) ?? true) &&
  (day?.isExpired(now) ?? true) &&
  (month?.isExpired(now) ?? true);

class MemoryReservation implements Reservation {
  private readonly periods: readonly number[];
  private isSettled = false;

  /**
   * @param counterOf finds the counter when the reservation is settled: the one that it was made on
   * may have expired by then
   */
  constructor(
    private readonly charges: readonly LimitCharge[],
    counters: readonly UsageCounter[],
    private readonly now: () => number,
    private readonly counterOf: (charge: LimitCharge, now: number) => UsageCounter,
  ) {
    const at = now();
    this.periods = counters.map((counter, index) =>
      counter.reserve(charges[index]?.amount ?? 0, at),
    );
  }

  settle(used: readonly number[]): void {
    if (this.isSettled) return;
    this.isSettled = true;
    const now = this.now();
    for (const [index, charge] of this.charges.entries()) {
      this.counterOf(charge, now).settle(
        this.periods[index] ?? 0,
        charge.amount,
        settledAmount(used[index], charge.amount),
        now,
      );
    }
  }
}
