import type { Claim, Measure } from '../../contracts/counters.js';
import { isBudget, minuteOf, periodOf, wholeAmount } from '../period.js';

/** One claim of a reservation, as the scripts know it. */
export interface ReservationPart {
  readonly measure: Measure;
  /** The key of the hash; its sorted set of reservations has the suffix `:holds`. */
  readonly key: string;
  readonly amount: number;
  /** The minute, day or month of the reservation, counted since 1970. */
  readonly period: number;
}

/** The two keys of a claim. */
export const counterKeys = (key: string): [string, string] => [key, `${key}:holds`];

/** The key of a subject's usage of a measure. */
export const counterKey = (
  prefix: string,
  { subject, measure }: Pick<Claim, 'subject' | 'measure'>,
): string => `${prefix}{${subject}}:${measure}`;

/** The parts of a reservation. @param now epoch ms by the clock that granted it */
export function partsOf(prefix: string, claims: readonly Claim[], now: number): ReservationPart[] {
  return claims.map((claim) => ({
    measure: claim.measure,
    key: counterKey(prefix, claim),
    amount: wholeAmount(claim.amount),
    period: isBudget(claim) ? periodOf(claim.measure, now).index : minuteOf(now),
  }));
}
