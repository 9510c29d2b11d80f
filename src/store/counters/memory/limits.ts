import type { Claim, Counters, Hold, UnseededClaim, Verdict } from '../../contracts/counters.js';
import { type BudgetMeasure, isBudget, settledAmount, whole } from '../period.js';
import { refuse } from '../refuse.js';
import { SweptMap } from './swept-map.js';
import { BudgetTally, MinuteTally, type Tally } from './tallies.js';

/** What one subject uses of everything. */
interface Tallies {
  requests: MinuteTally | null;
  tokens: MinuteTally | null;
  usd_day: BudgetTally | null;
  usd_month: BudgetTally | null;
}

/** The limits of one process, in its memory. Everything is synchronous. */
export class MemoryLimits {
  private readonly subjects: SweptMap<Tallies>;

  /** @param now epoch ms */
  constructor(private readonly now: () => number) {
    this.subjects = new SweptMap((tallies) => isOver(tallies, now()));
  }

  /** How many subjects are kept. */
  get size(): number {
    return this.subjects.size;
  }

  /** See `Counters.take`. */
  take(claims: readonly Claim[]): Verdict {
    const now = this.now();
    const tallies: Tally[] = [];
    let isUnseeded = false;
    let allFit = true;
    for (const claim of claims) {
      const tally = this.tallyOf(claim, now);
      const fits = tally.fits(claim, now);
      if (fits === null) isUnseeded = true;
      else if (!fits) allFit = false;
      tallies.push(tally);
    }
    if (isUnseeded) return { outcome: 'unseeded', claims: this.unseeded(claims, now) };
    if (!allFit)
      return refuse(
        claims,
        tallies.map((tally) => tally.use()),
        now,
      );
    const hold = new MemoryHold(claims, tallies, this.now, this.tallyAt);
    return { outcome: 'granted', hold, used: tallies.map((tally) => Math.ceil(tally.used(now))) };
  }

  /** Holds what was granted elsewhere, whether it fits here or not. */
  adopt(claims: readonly Claim[]): Hold {
    const now = this.now();
    return new MemoryHold(
      claims,
      claims.map((claim) => this.tallyOf(claim, now)),
      this.now,
      this.tallyAt,
    );
  }

  /** See `Counters.seed`. */
  seed({ subject, measure, since }: Parameters<Counters['seed']>[0], used: number): void {
    if (measure === 'requests' || measure === 'tokens') return;
    const now = this.now();
    this.budgetOf(subject, measure, now).seed(whole(used), since, now);
  }

  private unseeded(claims: readonly Claim[], now: number): UnseededClaim[] {
    return claims.filter(isBudget).flatMap((claim) => {
      const tally = this.budgetOf(claim.subject, claim.measure, now);
      return tally.fits(claim, now) === null ? [{ ...claim, since: tally.since(now) }] : [];
    });
  }

  private readonly tallyAt = (claim: Claim, now: number): Tally => this.tallyOf(claim, now);

  private tallyOf({ subject, measure }: Claim, now: number): Tally {
    if (measure === 'usd_day' || measure === 'usd_month')
      return this.budgetOf(subject, measure, now);
    return (this.talliesOf(subject)[measure] ??= new MinuteTally());
  }

  private budgetOf(subject: string, measure: BudgetMeasure, now: number): BudgetTally {
    return (this.talliesOf(subject)[measure] ??= new BudgetTally(measure, now));
  }

  private talliesOf(subject: string): Tallies {
    const known = this.subjects.get(subject);
    if (known) return known;
    const tallies: Tallies = { requests: null, tokens: null, usd_day: null, usd_month: null };
    this.subjects.set(subject, tallies);
    return tallies;
  }
}

function isOver(
  { requests, tokens, usd_day: day, usd_month: month }: Tallies,
  now: number,
): boolean {
  return (
    (requests?.isOver(now) ?? true) &&
    (tokens?.isOver(now) ?? true) &&
    (day?.isOver(now) ?? true) &&
    (month?.isOver(now) ?? true)
  );
}

class MemoryHold implements Hold {
  private readonly periods: number[] = [];
  private isSettled = false;

  /** @param tallyOf the tally that counts when it is settled: the one that it was taken from may have been forgotten by then */
  constructor(
    private readonly claims: readonly Claim[],
    tallies: readonly Tally[],
    private readonly now: () => number,
    private readonly tallyOf: (claim: Claim, now: number) => Tally,
  ) {
    const at = now();
    for (const [index, tally] of tallies.entries())
      this.periods.push(tally.take(claims[index]?.amount ?? 0, at));
  }

  settle(used: readonly number[]): void {
    if (this.isSettled) return;
    this.isSettled = true;
    const now = this.now();
    for (const [index, claim] of this.claims.entries()) {
      this.tallyOf(claim, now).settle(
        this.periods[index] ?? 0,
        claim.amount,
        settledAmount(used[index], claim.amount),
        now,
      );
    }
  }
}
