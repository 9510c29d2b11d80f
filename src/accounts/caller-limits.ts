import {
  type LimitCharge,
  type Measure,
  nanoToUsd,
  type UnknownBudget,
  usdToNano,
} from '../store/contracts/counters.js';
import type { KeyLimits } from '../store/contracts/accounts.js';
import type { Spender } from '../store/contracts/requests.js';
import type { Caller } from './caller.js';

/** What a request uses, or may use at most, of its caller's limits. Null: it does not count. */
export interface Use {
  readonly requests: number | null;
  readonly tokens: number | null;
  /** Counts towards the day's and the month's budget. */
  readonly costUsd: number | null;
}

/** Whose limit it is. An account's limits bound all its keys and browsers together. */
export type LimitOwner = 'key' | 'account';

/** How much of one limit is used. Money in USD. */
export interface LimitStatus {
  readonly owner: LimitOwner;
  readonly measure: Measure;
  readonly limit: number;
  /** What is used and reserved now. */
  readonly used: number;
}

type BothLimits = Pick<Caller, 'limits' | 'accountLimits'>;

const usd = (amount: number | null): number | null => (amount === null ? null : usdToNano(amount));

const measures: readonly {
  measure: Measure;
  limitOf: (limits: KeyLimits) => number | null;
  amountOf: (use: Use) => number | null;
}[] = [
  { measure: 'requests', limitOf: (of) => of.requestsPerMinute, amountOf: (use) => use.requests },
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
const amountsOf = new Map(measures.map(({ measure, amountOf }) => [measure, amountOf]));

/** How much a use counts towards a measure, in the counters' units. */
export const amountOf = (use: Use, measure: Measure): number => amountsOf.get(measure)?.(use) ?? 0;

/** Whether a measure is money. */
export const isMoney = (measure: Measure): boolean =>
  measure === 'usd_day' || measure === 'usd_month';

/** Whether a caller's key or account has a limit of any kind. */
export const isLimited = (caller: BothLimits): boolean =>
  hasBudget(caller) || hasTokenLimit(caller) || hasRequestLimit(caller);

/** Whether a caller's key or account has a budget. */
export const hasBudget = (caller: BothLimits): boolean => budgetOwner(caller) !== null;

/** Whose budget bounds a caller, the key's first; null: none does. */
export function budgetOwner({ limits, accountLimits }: BothLimits): LimitOwner | null {
  if (limits.dayBudgetUsd !== null || limits.monthBudgetUsd !== null) return 'key';
  return accountLimits.dayBudgetUsd !== null || accountLimits.monthBudgetUsd !== null
    ? 'account'
    : null;
}

/** Whether a caller's key or account has a limit of tokens a minute. */
export const hasTokenLimit = ({ limits, accountLimits }: BothLimits): boolean =>
  limits.tokensPerMinute !== null || accountLimits.tokensPerMinute !== null;

/** Whether a caller's key or account has a limit of requests a minute. */
export const hasRequestLimit = ({ limits, accountLimits }: BothLimits): boolean =>
  limits.requestsPerMinute !== null || accountLimits.requestsPerMinute !== null;

/**
 * The charges of a use on the limits of its caller's key and account. Each needs at least 1, so that
 * no request passes a limit that is used up.
 */
export function chargesOf(caller: Caller, atMost: Use): LimitCharge[] {
  const charges: LimitCharge[] = [];
  addCharges(charges, `key:${caller.keyId ?? caller.accountId}`, caller.limits, atMost);
  addCharges(charges, `${accountPrefix}${caller.accountId}`, caller.accountLimits, atMost);
  return charges;
}

function addCharges(charges: LimitCharge[], subject: string, limits: KeyLimits, atMost: Use): void {
  for (const { measure, limitOf, amountOf: amountFor } of measures) {
    const limit = limitOf(limits);
    const amount = amountFor(atMost);
    if (limit !== null && amount !== null)
      charges.push({ subject, measure, limit, amount: Math.max(1, amount) });
  }
}

const accountPrefix = 'account:';

/** Whose limit a charge counts towards. */
export const ownerOf = ({ subject }: Pick<LimitCharge, 'subject'>): LimitOwner =>
  subject.startsWith(accountPrefix) ? 'account' : 'key';

/** Whose spending counts towards a budget. */
export const spenderOf = ({ keyId, accountId }: Caller, owner: LimitOwner): Spender =>
  owner === 'account' || keyId === null ? { accountId } : { keyId };

/** An amount of the counters in the units of the limits. */
export const inUnits = (measure: Measure, amount: number): number =>
  isMoney(measure) ? nanoToUsd(amount) : amount;

/** How much of a charge's limit is used. @param used in the counters' units */
export const statusOf = (charge: LimitCharge, used: number): LimitStatus => ({
  owner: ownerOf(charge),
  measure: charge.measure,
  limit: inUnits(charge.measure, charge.limit),
  used: inUnits(charge.measure, used),
});

/**
 * The first and the last UTC day, `YYYY-MM-DD`, of a budget's period.
 * @param since any time in the period, ms since 1970
 */
export function daysOf({
  measure,
  since,
}: Pick<UnknownBudget, 'measure' | 'since'>): [first: string, last: string] {
  const day = new Date(since).toISOString().slice(0, 10);
  if (measure !== 'usd_month') return [day, day];
  const [year, month] = [day.slice(0, 4), day.slice(5, 7)].map(Number) as [number, number];
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return [`${day.slice(0, 8)}01`, last];
}
