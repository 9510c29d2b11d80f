import type { LimitCharge, Measure } from '../../contracts/counters.js';
import { isBudget, minuteOf, periodOf, wholeAmount } from '../period.js';

/** One charge of a reservation, as the scripts know it. */
export interface ReservationPart {
  readonly measure: Measure;
  /** The key of the hash; its sorted set of reservations has the suffix `:holds`. */
  readonly key: string;
  readonly amount: number;
  /** The minute, day or month of the reservation, counted since 1970. */
  readonly period: number;
}

/** The two keys of a charge. */
export const counterKeys = (key: string): [string, string] => [key, `${key}:holds`];

/** The key of a subject's usage of a measure. */
export const counterKey = (
  prefix: string,
  { subject, measure }: Pick<LimitCharge, 'subject' | 'measure'>,
): string => `${prefix}{${subject}}:${measure}`;

/** The parts of a reservation. @param now epoch ms by the clock that granted it */
export function partsOf(
  prefix: string,
  charges: readonly LimitCharge[],
  now: number,
): ReservationPart[] {
  return charges.map((charge) => ({
    measure: charge.measure,
    key: counterKey(prefix, charge),
    amount: wholeAmount(charge.amount),
    period: isBudget(charge) ? periodOf(charge.measure, now).index : minuteOf(now),
  }));
}
