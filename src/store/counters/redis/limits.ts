import type { Claim, Counters, ReserveResult } from '../../contracts/counters.js';
import { isBudget, periodOf, wholeAmount } from '../period.js';
import { refuse, type UsedPair, usedOf } from '../refuse.js';
import type { RedisLink } from './link.js';
import { counterKey, counterKeys } from './reservation-part.js';
import { setSpentScript, reserveScript } from './scripts.js';

/** The result of a reservation in Redis. `now` is Redis's clock, in epoch ms. */
export type RedisReserveResult =
  | Exclude<ReserveResult, { outcome: 'granted' }>
  | { readonly outcome: 'granted'; readonly now: number; readonly used: readonly number[] };

/** Limits that replicas share. */
export class RedisLimits {
  /** @param time makes the scripts' first argument */
  constructor(
    private readonly link: RedisLink,
    private readonly prefix: string,
    private readonly leaseMs: number,
    private readonly time: () => string,
  ) {}

  /**
   * Reserves all or nothing under an id.
   * @throws RedisAway, RedisRefusal: the amounts may have been reserved, until the lease expires
   */
  async reserve(id: string, claims: readonly Claim[]): Promise<RedisReserveResult> {
    const details = claims.flatMap(({ measure, limit, amount }) => [
      measure,
      String(limit),
      String(wholeAmount(amount)),
    ]);
    const keys = claims.flatMap((claim) => counterKeys(counterKey(this.prefix, claim)));
    const [status = 0, now = 0, ...numbers] = numbersOf(
      await this.link.run(reserveScript, keys, [this.time(), String(this.leaseMs), id, ...details]),
    );
    const uses = claims.map((_, index): UsedPair => [
      numbers[2 * index] ?? 0,
      numbers[2 * index + 1] ?? 0,
    ]);
    if (status === 1)
      return {
        outcome: 'granted',
        now,
        used: claims.map((claim, index) =>
          Math.ceil(usedOf(claim, uses[index] ?? [0, 0], now) + wholeAmount(claim.amount)),
        ),
      };
    if (status === 0) return refuse(claims, uses, now);
    const unknown = claims.filter((_, index) => (uses[index]?.[0] ?? 0) < 0).filter(isBudget);
    return {
      outcome: 'budget_unknown',
      claims: unknown.map((claim) => ({ ...claim, since: periodOf(claim.measure, now).startsAt })),
    };
  }

  /** See `Counters.setSpent`. @throws RedisAway, RedisRefusal */
  async setSpent(claim: Parameters<Counters['setSpent']>[0], used: number): Promise<void> {
    if (!isBudget(claim)) return;
    const period =
      claim.since === undefined ? '' : String(periodOf(claim.measure, claim.since).index);
    await this.link.run(setSpentScript, counterKeys(counterKey(this.prefix, claim)), [
      this.time(),
      claim.measure,
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
