import type {
  Claim,
  Counters,
  Reservation,
  UnknownBudgetClaim,
  ReserveResult,
} from '../../contracts/counters.js';
import { type BudgetMeasure, isBudget, settledAmount, wholeAmount } from '../period.js';
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

  /** @param now epoch ms */
  constructor(private readonly now: () => number) {
    this.subjects = new SweptMap((counters) => isExpired(counters, now()));
  }

  /** How many subjects have counters. */
  get size(): number {
    return this.subjects.size;
  }

  /** See `Counters.reserve`. */
  reserve(claims: readonly Claim[]): ReserveResult {
    const now = this.now();
    const counters: UsageCounter[] = [];
    let isUnknown = false;
    let allFit = true;
    for (const claim of claims) {
      const counter = this.counterOf(claim, now);
      const fits = counter.fits(claim, now);
      if (fits === null) isUnknown = true;
      else if (!fits) allFit = false;
      counters.push(counter);
    }
    if (isUnknown) return { outcome: 'budget_unknown', claims: this.unknownBudgets(claims, now) };
    if (!allFit)
      return refuse(
        claims,
        counters.map((counter) => counter.use()),
        now,
      );
    const reservation = new MemoryReservation(claims, counters, this.now, this.counterAt);
    return {
      outcome: 'granted',
      reservation,
      used: counters.map((counter) => Math.ceil(counter.used(now))),
    };
  }

  /** Reserves what was granted elsewhere, whether it fits here or not. */
  reserveUnchecked(claims: readonly Claim[]): Reservation {
    const now = this.now();
    return new MemoryReservation(
      claims,
      claims.map((claim) => this.counterOf(claim, now)),
      this.now,
      this.counterAt,
    );
  }

  /** See `Counters.setSpent`. */
  setSpent({ subject, measure, since }: Parameters<Counters['setSpent']>[0], used: number): void {
    if (measure === 'requests' || measure === 'tokens') return;
    const now = this.now();
    this.budgetOf(subject, measure, now).setSpent(wholeAmount(used), since, now);
  }

  private unknownBudgets(claims: readonly Claim[], now: number): UnknownBudgetClaim[] {
    return claims.filter(isBudget).flatMap((claim) => {
      const counter = this.budgetOf(claim.subject, claim.measure, now);
      return counter.fits(claim, now) === null ? [{ ...claim, since: counter.since(now) }] : [];
    });
  }

  private readonly counterAt = (claim: Claim, now: number): UsageCounter =>
    this.counterOf(claim, now);

  private counterOf({ subject, measure }: Claim, now: number): UsageCounter {
    if (measure === 'usd_day' || measure === 'usd_month')
      return this.budgetOf(subject, measure, now);
    return (this.countersOf(subject)[measure] ??= new MinuteCounter());
  }

  private budgetOf(subject: string, measure: BudgetMeasure, now: number): BudgetCounter {
    return (this.countersOf(subject)[measure] ??= new BudgetCounter(measure, now));
  }

  private countersOf(subject: string): SubjectCounters {
    const known = this.subjects.get(subject);
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

function isExpired(
  { requests, tokens, usd_day: day, usd_month: month }: SubjectCounters,
  now: number,
): boolean {
  return (
    (requests?.isExpired(now) ?? true) &&
    (tokens?.isExpired(now) ?? true) &&
    (day?.isExpired(now) ?? true) &&
    (month?.isExpired(now) ?? true)
  );
}

class MemoryReservation implements Reservation {
  private readonly periods: number[] = [];
  private isSettled = false;

  /**
   * @param counterOf finds the counter when the reservation is settled: the one that it was made on
   * may have expired by then
   */
  constructor(
    private readonly claims: readonly Claim[],
    counters: readonly UsageCounter[],
    private readonly now: () => number,
    private readonly counterOf: (claim: Claim, now: number) => UsageCounter,
  ) {
    const at = now();
    for (const [index, counter] of counters.entries())
      this.periods.push(counter.reserve(claims[index]?.amount ?? 0, at));
  }

  settle(used: readonly number[]): void {
    if (this.isSettled) return;
    this.isSettled = true;
    const now = this.now();
    for (const [index, claim] of this.claims.entries()) {
      this.counterOf(claim, now).settle(
        this.periods[index] ?? 0,
        claim.amount,
        settledAmount(used[index], claim.amount),
        now,
      );
    }
  }
}
