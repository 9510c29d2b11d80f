import type { Claim, Measure } from '../../contracts/counters.js';
import { isBudget, minuteOf, periodOf, whole } from '../period.js';

/** One claim of a hold, as the scripts know it. */
export interface Part {
  readonly measure: Measure;
  /** The hash; that of its holds has `:holds` behind it. */
  readonly key: string;
  readonly amount: number;
  /** The minute, day or month in which it was taken. */
  readonly period: number;
}

/** The two keys of a claim, in the same slot for all claims of one subject. */
export const keysOf = (key: string): [string, string] => [key, `${key}:holds`];

/** The key of what a subject uses of a measure. */
export const keyOf = (
  prefix: string,
  { subject, measure }: Pick<Claim, 'subject' | 'measure'>,
): string => `${prefix}{${subject}}:${measure}`;

/** @param now epoch ms by the clock of whoever has granted them */
export function partsOf(prefix: string, claims: readonly Claim[], now: number): Part[] {
  return claims.map((claim) => ({
    measure: claim.measure,
    key: keyOf(prefix, claim),
    amount: whole(claim.amount),
    period: isBudget(claim) ? periodOf(claim.measure, now).index : minuteOf(now),
  }));
}
