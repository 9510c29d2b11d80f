import { GatewayError } from '../errors.js';
import type { LazyDatabases, Databases } from '../store/lazy-databases.js';
import {
  type Claim,
  type CountersState,
  type Hold,
  type Measure,
  nanoToUsd,
  usdToNano,
  type UnseededClaim,
  type Verdict,
} from '../store/contracts/counters.js';
import type { KeyLimits } from '../store/contracts/keys.js';
import type { Caller } from './caller.js';

/** What a request uses of its key's limits, or may use at most. Null: it does not touch that limit. */
export interface Use {
  readonly requests: number | null;
  readonly tokens: number | null;
  /** Of the day's budget and of the month's. */
  readonly costUsd: number | null;
}

/** How one limit stands. Money in USD. */
export interface Standing {
  readonly measure: Measure;
  readonly limit: number;
  /** What is used and held by now. */
  readonly used: number;
}

/** A request may go on; what it holds of the limits is settled when it is over. */
export interface Granted {
  readonly outcome: 'granted';
  readonly standings: readonly Standing[];
  /** What it really used. Never fails; the second call does nothing. */
  settle(used: Use): void;
}

/** A request may not go on: of `standing` it would have needed `wanted`. */
export interface Refused {
  readonly outcome: 'refused';
  readonly standing: Standing;
  readonly wanted: number;
  /** When it may fit, in ms: at the latest when the limit's period ends. */
  readonly retryAfterMs: number;
}

const usd = (amount: number | null): number | null => (amount === null ? null : usdToNano(amount));

const bounds: readonly {
  measure: Measure;
  limitOf: (limits: KeyLimits) => number | null;
  amountOf: (use: Use) => number | null;
}[] = [
  {
    measure: 'requests',
    limitOf: (limits) => limits.requestsPerMinute,
    amountOf: (use) => use.requests,
  },
  { measure: 'tokens', limitOf: (limits) => limits.tokensPerMinute, amountOf: (use) => use.tokens },
  {
    measure: 'usd_day',
    limitOf: (limits) => usd(limits.dayBudgetUsd),
    amountOf: (use) => usd(use.costUsd),
  },
  {
    measure: 'usd_month',
    limitOf: (limits) => usd(limits.monthBudgetUsd),
    amountOf: (use) => usd(use.costUsd),
  },
];
const boundOf = new Map(bounds.map((bound) => [bound.measure, bound]));

/** Whether a limit is money. */
export const isMoney = (measure: Measure): boolean =>
  measure === 'usd_day' || measure === 'usd_month';

/** Whether a key has a bound of any kind. */
export function isLimited({
  requestsPerMinute,
  tokensPerMinute,
  dayBudgetUsd,
  monthBudgetUsd,
}: KeyLimits): boolean {
  return (
    requestsPerMinute !== null ||
    tokensPerMinute !== null ||
    dayBudgetUsd !== null ||
    monthBudgetUsd !== null
  );
}

/** Whether a key may spend so much and no more. */
export const hasBudget = ({ dayBudgetUsd, monthBudgetUsd }: KeyLimits): boolean =>
  dayBudgetUsd !== null || monthBudgetUsd !== null;

const nothingTaken: Granted = { outcome: 'granted', standings: [], settle: () => undefined };

type Outcome = Granted | Refused;

interface Asking {
  readonly caller: Caller;
  readonly claims: readonly Claim[];
  /** How often more what a budget has spent may be read. */
  readonly seedings: number;
}

/** How often a budget is read from the database before it must be known. */
const mostSeedings = 3;

/** What keys have used of their limits, and the only place where it is taken. What budgets have spent before is read from the request log. */
export class RateLimiter {
  private readonly seeding = new Map<string, Promise<void>>();

  /** @param settleRecords resolves when requests that are over stand in the request log, or after a short while */
  constructor(
    private readonly backing: LazyDatabases,
    private readonly settleRecords: () => Promise<void>,
  ) {}

  /** Where the numbers are kept. */
  get state(): CountersState {
    return this.backing.now?.counters.state ?? 'memory';
  }

  /**
   * Takes from all of a key's limits or from none. Immediate where the numbers are in memory.
   * @throws GatewayError `unavailable` where nobody can tell what a budget has spent
   */
  take(caller: Caller, most: Use): Outcome | Promise<Outcome> {
    const claims = claimsOf(caller, most);
    if (claims.length === 0) return nothingTaken;
    const asking = { caller, claims, seedings: mostSeedings };
    const { now: opened } = this.backing;
    return opened
      ? this.takeFrom(opened, asking)
      : this.backing.get().then((late) => this.takeFrom(late, asking));
  }

  private takeFrom(opened: Databases, asking: Asking): Outcome | Promise<Outcome> {
    const verdict = opened.counters.take(asking.claims);
    return verdict instanceof Promise
      ? verdict.then((late) => this.judge(opened, asking, late))
      : this.judge(opened, asking, verdict);
  }

  private judge(opened: Databases, asking: Asking, verdict: Verdict): Outcome | Promise<Outcome> {
    const { caller, claims, seedings } = asking;
    if (verdict.outcome === 'granted') return granted(claims, verdict.hold, verdict.used);
    if (verdict.outcome === 'refused') return refused(verdict);
    if (seedings === 0) throw unknown();
    return Promise.all(verdict.claims.map((claim) => this.seed(opened, caller, claim))).then(() =>
      this.takeFrom(opened, { ...asking, seedings: seedings - 1 }),
    );
  }

  /** Reads once what a budget has spent, whoever else asks meanwhile. */
  private seed(opened: Databases, caller: Caller, claim: UnseededClaim): Promise<void> {
    const name = `${claim.measure} ${claim.subject}`;
    let seeding = this.seeding.get(name);
    if (!seeding)
      this.seeding.set(
        name,
        (seeding = this.readSpent(opened, caller, claim).finally(() => this.seeding.delete(name))),
      );
    return seeding;
  }

  private async readSpent(
    { store, counters }: Databases,
    caller: Caller,
    claim: UnseededClaim,
  ): Promise<void> {
    await this.settleRecords();
    const spent = await store.requests
      .spentUsd(idOf(caller), ...daysOf(claim))
      .catch((error: unknown) => {
        throw unknown(error);
      });
    await counters.seed(claim, usdToNano(spent));
  }
}

const idOf = ({ keyId, accountId }: Caller): string => keyId ?? accountId;

/** At least one of everything is wanted, so that nothing passes where a limit is used up. */
function claimsOf(caller: Caller, most: Use): Claim[] {
  const claims: Claim[] = [];
  for (const { measure, limitOf, amountOf } of bounds) {
    const limit = limitOf(caller.limits);
    const amount = amountOf(most);
    if (limit !== null && amount !== null)
      claims.push({ subject: `key:${idOf(caller)}`, measure, limit, amount: Math.max(1, amount) });
  }
  return claims;
}

function granted(claims: readonly Claim[], hold: Hold, used: readonly number[]): Granted {
  return {
    outcome: 'granted',
    standings: claims.map((claim, index) => standingOf(claim, used[index] ?? 0)),
    settle: (use) =>
      hold.settle(claims.map(({ measure }) => boundOf.get(measure)?.amountOf(use) ?? 0)),
  };
}

function refused({ claim, used, retryAfterMs }: Verdict & { outcome: 'refused' }): Refused {
  return {
    outcome: 'refused',
    standing: standingOf(claim, used),
    wanted: inUnits(claim.measure, claim.amount),
    retryAfterMs,
  };
}

const inUnits = (measure: Measure, amount: number): number =>
  isMoney(measure) ? nanoToUsd(amount) : amount;
const standingOf = ({ measure, limit }: Claim, used: number): Standing => ({
  measure,
  limit: inUnits(measure, limit),
  used: inUnits(measure, used),
});

/** The first and the last UTC day, `YYYY-MM-DD`, of the period that a budget is for. */
function daysOf({ measure, since }: UnseededClaim): [first: string, last: string] {
  const first = new Date(since);
  const last =
    measure === 'usd_month'
      ? new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0))
      : first;
  return [first.toISOString().slice(0, 10), last.toISOString().slice(0, 10)];
}

/** A budget of which nobody knows what is left lets nothing pass. */
const unknown = (cause?: unknown): GatewayError =>
  new GatewayError(
    'unavailable',
    'limits: what this key has spent of its budget cannot be read now',
    { cause, retryAfterMs: 1_000 },
  );
