import type { LimitCharge, Measure } from '../contracts/counters.js';

/** Requests and tokens are counted by the minute. */
export const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Measures of money, which is counted by calendar period. */
export type BudgetMeasure = Extract<Measure, `usd_${string}`>;

/** A UTC day or month. Epoch ms; `endsAt` is the next one's start. */
export interface Period {
  /** Days or months since 1970; the scripts in Redis use the same numbers. */
  readonly index: number;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** Whether a charge is on money. */
export const isBudget = <T extends Pick<LimitCharge, 'measure'>>(
  charge: T,
): charge is T & { measure: BudgetMeasure } =>
  charge.measure === 'usd_day' || charge.measure === 'usd_month';

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

/** The minute of a time in epoch ms, counted since 1970. */
export const minuteOf = (now: number): number => Math.floor(now / minuteMs);

/** What counts as used at `now`: this minute, and the previous one's share of the last 60 s. */
export const usedInMinute = (current: number, previous: number, now: number): number =>
  current + (previous * (minuteMs - (now % minuteMs))) / minuteMs;

/** An amount as the counters take it: whole, at least 0. NaN becomes more than any limit. */
export const wholeAmount = (amount: number): number =>
  Number.isNaN(amount)
    ? Number.MAX_SAFE_INTEGER
    : Math.min(Math.max(0, Math.ceil(amount)), Number.MAX_SAFE_INTEGER);

/** What a settled charge counts: what was used, or what was reserved if that is unknown. */
export const settledAmount = (used: number | undefined, reserved: number): number =>
  used === undefined || Number.isNaN(used) ? reserved : wholeAmount(used);
