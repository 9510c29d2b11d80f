import type { Counters, LimitCharge, Measure, ReserveResult } from '../../contracts/counters.js';
import { isBudget, minuteOf, periodOf, wholeAmount } from '../period.js';
import { budgetUnknown, refuse, usedOf, type UsedPair } from '../refuse.js';
import type { RedisLink } from './link.js';
import { reserveScript, setSpentScript } from './scripts.js';

/** The result of a reservation in Redis. `now` is Redis's clock, in epoch ms. */
export type RedisReserveResult =
  | Exclude<ReserveResult, { outcome: 'granted' }>
  | { readonly outcome: 'granted'; readonly now: number; readonly used: readonly number[] };

/** Limits that replicas share. */
export class RedisLimits {
  constructor(
    private readonly link: RedisLink,
    private readonly prefix: string,
    private readonly leaseMs: number,
  ) {}

  /**
   * Reserves all or nothing under an id.
   * @throws RedisAway, RedisRefusal: the amounts may have been reserved, until the lease expires
   */
  async reserve(id: string, charges: readonly LimitCharge[]): Promise<RedisReserveResult> {
    const details = charges.flatMap(({ measure, limit, amount }) => [
      measure,
      String(limit),
      String(wholeAmount(amount)),
    ]);
    const keys = charges.flatMap((charge) => counterKeys(counterKey(this.prefix, charge)));
    const [status = 0, now = 0, ...numbers] = numbersOf(
      await this.link.run(reserveScript, keys, [String(this.leaseMs), id, ...details]),
    );
    const uses = charges.map((_, index): UsedPair => [
      numbers[2 * index] ?? 0,
      numbers[2 * index + 1] ?? 0,
    ]);
    if (status === 1)
      return {
        outcome: 'granted',
        now,
        used: charges.map((charge, index) =>
          Math.ceil(usedOf(charge, uses[index] ?? [0, 0], now) + wholeAmount(charge.amount)),
        ),
      };
    if (status === 0) return refuse(charges, uses, now);
    return budgetUnknown(
      charges.filter((_, index) => (uses[index]?.[0] ?? 0) < 0),
      now,
    );
  }

  /** See `Counters.setSpent`. @throws RedisAway, RedisRefusal */
  async setSpent(charge: Parameters<Counters['setSpent']>[0], used: number): Promise<void> {
    if (!isBudget(charge)) return;
    const period =
      charge.since === undefined ? '' : String(periodOf(charge.measure, charge.since).index);
    await this.link.run(setSpentScript, counterKeys(counterKey(this.prefix, charge)), [
      charge.measure,
      String(wholeAmount(used)),
      period,
    ]);
  }
}

/** The numbers of a script's reply. @throws TypeError for any other reply */
export function numbersOf(reply: unknown): number[] {
  if (!Array.isArray(reply)) throw new TypeError('Redis did not reply with a list');
  return reply.map(Number);
}

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
export const partsOf = (
  prefix: string,
  charges: readonly LimitCharge[],
  now: number,
): ReservationPart[] =>
  charges.map((charge) => ({
    measure: charge.measure,
    key: counterKey(prefix, charge),
    amount: wholeAmount(charge.amount),
    period: isBudget(charge) ? periodOf(charge.measure, now).index : minuteOf(now),
  }));
