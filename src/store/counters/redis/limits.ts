import type { Claim, Counters, Verdict } from '../../contracts/counters.js';
import { isBudget, periodOf, whole } from '../period.js';
import { refuse, type Use, usedOf } from '../refuse.js';
import type { RedisLink } from './link.js';
import { keyOf, keysOf } from './part.js';
import { seedScript, takeScript } from './scripts.js';

/** What Redis says to claims. `now` is its own clock, in epoch ms. */
export type Answer =
  | Exclude<Verdict, { outcome: 'granted' }>
  | { readonly outcome: 'granted'; readonly now: number; readonly used: readonly number[] };

/** The limits that replicas share. */
export class RedisLimits {
  /** @param time the scripts' first argument */
  constructor(
    private readonly link: RedisLink,
    private readonly prefix: string,
    private readonly leaseMs: number,
    private readonly time: () => string,
  ) {}

  /** Takes all or nothing, under a hold of that id. @throws RedisAway, RedisRefusal: it may have been taken, then it is free after a lease */
  async take(id: string, claims: readonly Claim[]): Promise<Answer> {
    const details = claims.flatMap(({ measure, limit, amount }) => [
      measure,
      String(limit),
      String(whole(amount)),
    ]);
    const keys = claims.flatMap((claim) => keysOf(keyOf(this.prefix, claim)));
    const [status = 0, now = 0, ...numbers] = numbersOf(
      await this.link.run(takeScript, keys, [this.time(), String(this.leaseMs), id, ...details]),
    );
    const uses = claims.map((_, index): Use => [
      numbers[2 * index] ?? 0,
      numbers[2 * index + 1] ?? 0,
    ]);
    if (status === 1)
      return {
        outcome: 'granted',
        now,
        used: claims.map((claim, index) =>
          Math.ceil(usedOf(claim, uses[index] ?? [0, 0], now) + whole(claim.amount)),
        ),
      };
    if (status === 0) return refuse(claims, uses, now);
    const unseeded = claims.filter((_, index) => (uses[index]?.[0] ?? 0) < 0).filter(isBudget);
    return {
      outcome: 'unseeded',
      claims: unseeded.map((claim) => ({ ...claim, since: periodOf(claim.measure, now).startsAt })),
    };
  }

  /** See `Counters.seed`. @throws RedisAway, RedisRefusal */
  async seed(claim: Parameters<Counters['seed']>[0], used: number): Promise<void> {
    if (!isBudget(claim)) return;
    const period =
      claim.since === undefined ? '' : String(periodOf(claim.measure, claim.since).index);
    await this.link.run(seedScript, keysOf(keyOf(this.prefix, claim)), [
      this.time(),
      claim.measure,
      String(whole(used)),
      period,
    ]);
  }
}

/** A script's reply. */
export function numbersOf(reply: unknown): number[] {
  if (!Array.isArray(reply)) throw new TypeError('Redis replied with something else than a list');
  return reply.map(Number);
}
