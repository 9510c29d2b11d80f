import type { Claim, Measure } from '../contracts/counters.js';

/** Requests and tokens are counted by it. */
export const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Measures of money, which is held and counted by calendar periods. */
export type BudgetMeasure = Extract<Measure, `usd_${string}`>;

/** A UTC day or month. Epoch ms; `endsAt` is the next one's start. */
export interface Period {
  /** Days or months since 1970: what both the scripts in Redis and this process name it by. */
  readonly index: number;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** Whether a claim is on money. */
export const isBudget = <T extends Pick<Claim, 'measure'>>(
  claim: T,
): claim is T & { measure: BudgetMeasure } =>
  claim.measure === 'usd_day' || claim.measure === 'usd_month';

/** The UTC day or month of a time in epoch ms. */
export function periodOf(measure: BudgetMeasure, now: number): Period {
  if (measure === 'usd_day') {
    const index = Math.floor(now / dayMs);
    return { index, startsAt: index * dayMs, endsAt: (index + 1) * dayMs };
  }
  const date = new Date(now);
  const index = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  return { index, startsAt: Date.UTC(1970, index), endsAt: Date.UTC(1970, index + 1) };
}

/** Which minute a time in epoch ms is in, counted since 1970. */
export const minuteOf = (now: number): number => Math.floor(now / minuteMs);

/** What counts as used at a time: the minute so far, and of the one before it what lies within the last 60 s. */
export const usedInMinute = (current: number, previous: number, now: number): number =>
  current + (previous * (minuteMs - (now % minuteMs))) / minuteMs;

/** An amount as the counters take it: whole, at least 0. What is no number is more than any limit. */
export const whole = (amount: number): number =>
  Number.isNaN(amount)
    ? Number.MAX_SAFE_INTEGER
    : Math.min(Math.max(0, Math.ceil(amount)), Number.MAX_SAFE_INTEGER);

/** What became of one claim when its hold is settled: what was used, or what was held where nobody says. */
export const settledAmount = (used: number | undefined, held: number): number =>
  used === undefined || Number.isNaN(used) ? held : whole(used);
