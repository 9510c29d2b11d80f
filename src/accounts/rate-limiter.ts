import { GatewayError } from '../errors.js';
import type { LazyDatabases, Databases } from '../store/lazy-databases.js';
import {
  type Claim,
  type CountersState,
  type Measure,
  nanoToUsd,
  usdToNano,
  type UnknownBudgetClaim,
  type ReserveResult,
} from '../store/contracts/counters.js';
import type { KeyLimits } from '../store/contracts/keys.js';
import type { Caller } from './caller.js';

/**
 * What a request uses, or may use at most, of its key's limits. Null: it does not count towards
 * that limit.
 */
export interface Use {
  readonly requests: number | null;
  readonly tokens: number | null;
  /** Counts towards the day's and the month's budget. */
  readonly costUsd: number | null;
}

/** How much of one limit is used. Money in USD. */
export interface LimitStatus {
  readonly measure: Measure;
  readonly limit: number;
  /** What is used and reserved now. */
  readonly used: number;
}

/** The request may proceed. */
export interface Granted {
  readonly outcome: 'granted';
  readonly statuses: readonly LimitStatus[];
  /**
   * Replaces the reserved amounts by what was really used. Never fails; further calls do nothing.
   */
  settle(used: Use): void;
}

/** The request may not proceed: it needs `wanted` of the limit `status`. */
export interface Refused {
  readonly outcome: 'refused';
  readonly status: LimitStatus;
  readonly wanted: number;
  /** When it may fit, in ms: at the latest when the limit's period ends. */
  readonly retryAfterMs: number;
}

const usd = (amount: number | null): number | null => (amount === null ? null : usdToNano(amount));

/** The limits that a key can have. */
const limits: readonly {
  measure: Measure;
  limitOf: (limits: KeyLimits) => number | null;
  amountOf: (use: Use) => number | null;
}[] = [
  {
    measure: 'requests',
    limitOf: (of) => of.requestsPerMinute,
    amountOf: (use) => use.requests,
  },
  { measure: 'tokens', limitOf: (of) => of.tokensPerMinute, amountOf: (use) => use.tokens },
  {
    measure: 'usd_day',
    limitOf: (of) => usd(of.dayBudgetUsd),
    amountOf: (use) => usd(use.costUsd),
  },
  {
    measure: 'usd_month',
    limitOf: (of) => usd(of.monthBudgetUsd),
    amountOf: (use) => usd(use.costUsd),
  },
];
const amountsOf = new Map(limits.map(({ measure, amountOf }) => [measure, amountOf]));

/** Whether a measure is money. */
export const isMoney = (measure: Measure): boolean =>
  measure === 'usd_day' || measure === 'usd_month';

/** Whether a key has a limit of any kind. */
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

/** Whether a key has a budget. */
export const hasBudget = ({ dayBudgetUsd, monthBudgetUsd }: KeyLimits): boolean =>
  dayBudgetUsd !== null || monthBudgetUsd !== null;

type Outcome = Granted | Refused;

const unlimited: Granted = { outcome: 'granted', statuses: [], settle: () => undefined };

/**
 * How often a budget's spending may be read and set for one request before that counts as a
 * failure.
 */
const maxReads = 3;

/**
 * What keys use of their limits. What was spent of a budget before this process or Redis started to
 * count is read from the request log.
 */
export class RateLimiter {
  /** Reads of the request log under way, by budget. */
  private readonly reading = new Map<string, Promise<void>>();

  /**
   * @param flushRequestLog resolves when finished requests are in the request log, or after a short
   * while
   */
  constructor(
    private readonly databases: LazyDatabases,
    private readonly flushRequestLog: () => Promise<void>,
  ) {}

  /** Where the numbers are kept. */
  get state(): CountersState {
    return this.databases.now?.counters.state ?? 'memory';
  }

  /**
   * Reserves from all of a key's limits, or from none.
   * @param atMost what the request may use at most
   * @throws GatewayError `unavailable` if a budget's spending cannot be read
   */
  async reserve(caller: Caller, atMost: Use): Promise<Outcome> {
    const claims = claimsOf(caller, atMost);
    if (claims.length === 0) return unlimited;
    const databases = this.databases.now ?? (await this.databases.get());
    for (let reads = 0; ; reads++) {
      const result = await databases.counters.reserve(claims);
      if (result.outcome === 'granted') return granted(claims, result);
      if (result.outcome === 'refused') return refused(result);
      if (reads === maxReads) throw spendingUnknown();
      await Promise.all(result.claims.map((claim) => this.readOnce(databases, caller, claim)));
    }
  }

  /** Concurrent requests for the same budget share one read. */
  private readOnce(databases: Databases, caller: Caller, claim: UnknownBudgetClaim): Promise<void> {
    const name = `${claim.measure} ${claim.subject}`;
    let reading = this.reading.get(name);
    if (!reading) {
      reading = this.readSpent(databases, caller, claim).finally(() => this.reading.delete(name));
      this.reading.set(name, reading);
    }
    return reading;
  }

  private async readSpent(
    { store, counters }: Databases,
    caller: Caller,
    claim: UnknownBudgetClaim,
  ): Promise<void> {
    await this.flushRequestLog();
    const spent = await store.requests
      .spentUsd(idOf(caller), ...daysOf(claim))
      .catch((error: unknown) => {
        throw spendingUnknown(error);
      });
    await counters.setSpent(claim, usdToNano(spent));
  }
}

const idOf = ({ keyId, accountId }: Caller): string => keyId ?? accountId;

/** Each claim needs at least 1, so that no request passes a limit that is used up. */
function claimsOf(caller: Caller, atMost: Use): Claim[] {
  const claims: Claim[] = [];
  for (const { measure, limitOf, amountOf } of limits) {
    const limit = limitOf(caller.limits);
    const amount = amountOf(atMost);
    if (limit !== null && amount !== null)
      claims.push({ subject: `key:${idOf(caller)}`, measure, limit, amount: Math.max(1, amount) });
  }
  return claims;
}

function granted(
  claims: readonly Claim[],
  { reservation, used }: ReserveResult & { outcome: 'granted' },
): Granted {
  return {
    outcome: 'granted',
    statuses: claims.map((claim, index) => statusOf(claim, used[index] ?? 0)),
    settle: (use) =>
      reservation.settle(claims.map(({ measure }) => amountsOf.get(measure)?.(use) ?? 0)),
  };
}

function refused({ claim, used, retryAfterMs }: ReserveResult & { outcome: 'refused' }): Refused {
  return {
    outcome: 'refused',
    status: statusOf(claim, used),
    wanted: inUnits(claim.measure, claim.amount),
    retryAfterMs,
  };
}

const inUnits = (measure: Measure, amount: number): number =>
  isMoney(measure) ? nanoToUsd(amount) : amount;
const statusOf = ({ measure, limit }: Claim, used: number): LimitStatus => ({
  measure,
  limit: inUnits(measure, limit),
  used: inUnits(measure, used),
});

/** The first and the last UTC day, `YYYY-MM-DD`, of a budget's period. */
function daysOf({ measure, since }: UnknownBudgetClaim): [first: string, last: string] {
  const first = new Date(since);
  const last =
    measure === 'usd_month'
      ? new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0))
      : first;
  return [first.toISOString().slice(0, 10), last.toISOString().slice(0, 10)];
}

/** While a budget's spending is unknown, no request may use it. */
const spendingUnknown = (cause?: unknown): GatewayError =>
  new GatewayError('unavailable', 'limits: the spending of this key cannot be read at the moment', {
    cause,
    retryAfterMs: 1_000,
  });
