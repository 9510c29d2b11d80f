import { GatewayError } from '../errors.js';
import type { LazyDatabases, Databases } from '../store/lazy-databases.js';
import {
  type LimitCharge,
  type CountersState,
  usdToNano,
  type UnknownBudget,
  type ReserveResult,
} from '../store/contracts/counters.js';
import type { Caller } from './caller.js';
import {
  amountOf,
  chargesOf,
  daysOf,
  inUnits,
  type LimitStatus,
  ownerOf,
  spenderOf,
  statusOf,
  type Use,
} from './caller-limits.js';

/** The request may proceed. */
export interface Granted {
  readonly outcome: 'granted';
  readonly statuses: readonly LimitStatus[];
  /** Replaces the reserved amounts by the used ones. Never fails; further calls do nothing. */
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

type Outcome = Granted | Refused;

const unlimited: Granted = { outcome: 'granted', statuses: [], settle: () => undefined };

/** How often a budget's spending may be read for one request before that is a failure. */
const maxReads = 3;

/**
 * Enforces the limits of keys and accounts. What was spent of a budget before this process or Redis
 * began to count is read from the request log.
 */
export class RateLimiter {
  /** Reads of the request log under way, by budget. */
  private readonly reading = new Map<string, Promise<void>>();

  /**
   * @param flushRequestLog resolves when finished requests are in the request log, or after a short
   * while
   * @param noteUse receives what of each limit is used and reserved, request by request
   */
  constructor(
    private readonly databases: LazyDatabases,
    private readonly flushRequestLog: () => Promise<void>,
    private readonly noteUse: (caller: Caller, statuses: readonly LimitStatus[]) => void = () =>
      undefined,
  ) {}

  /** Where the numbers are kept. */
  get state(): CountersState {
    return this.databases.now?.counters.state ?? 'memory';
  }

  /**
   * Reserves from all limits of a caller's key and account, or from none.
   * @param atMost what the request may use at most
   * @throws GatewayError `unavailable` if a budget's spending cannot be read
   */
  async reserve(caller: Caller, atMost: Use): Promise<Outcome> {
    const charges = chargesOf(caller, atMost);
    if (charges.length === 0) return unlimited;
    const databases = this.databases.now ?? (await this.databases.get());
    for (let reads = 0; ; reads++) {
      const result = await databases.counters.reserve(charges);
      if (result.outcome !== 'budget_unknown') return this.noted(caller, charges, result);
      if (reads === maxReads) throw spendingUnknown();
      await Promise.all(result.charges.map((charge) => this.readOnce(databases, caller, charge)));
    }
  }

  private noted(
    caller: Caller,
    charges: readonly LimitCharge[],
    result: Exclude<ReserveResult, { outcome: 'budget_unknown' }>,
  ): Outcome {
    const outcome = result.outcome === 'granted' ? granted(charges, result) : refused(result);
    this.noteUse(caller, outcome.outcome === 'granted' ? outcome.statuses : [outcome.status]);
    return outcome;
  }

  /** Concurrent requests for the same budget share one read. */
  private readOnce(databases: Databases, caller: Caller, charge: UnknownBudget): Promise<void> {
    const name = `${charge.measure} ${charge.subject}`;
    let reading = this.reading.get(name);
    if (!reading) {
      reading = this.readSpent(databases, caller, charge).finally(() => this.reading.delete(name));
      this.reading.set(name, reading);
    }
    return reading;
  }

  private async readSpent(
    { store, counters }: Databases,
    caller: Caller,
    charge: UnknownBudget,
  ): Promise<void> {
    await this.flushRequestLog();
    const spent = await store.requests
      .spentUsd(spenderOf(caller, ownerOf(charge)), ...daysOf(charge))
      .catch((error: unknown) => {
        throw spendingUnknown(error);
      });
    await counters.setSpent(charge, usdToNano(spent));
  }
}

const granted = (
  charges: readonly LimitCharge[],
  { reservation, used }: ReserveResult & { outcome: 'granted' },
): Granted => ({
  outcome: 'granted',
  statuses: charges.map((charge, index) => statusOf(charge, used[index] ?? 0)),
  settle: (use) => reservation.settle(charges.map(({ measure }) => amountOf(use, measure))),
});

function refused({ charge, used, retryAfterMs }: ReserveResult & { outcome: 'refused' }): Refused {
  return {
    outcome: 'refused',
    status: statusOf(charge, used),
    wanted: inUnits(charge.measure, charge.amount),
    retryAfterMs,
  };
}

/** While a budget's spending is unknown, no request may use it. */
const spendingUnknown = (cause?: unknown): GatewayError =>
  new GatewayError(
    'unavailable',
    'limits: what has been spent of this budget cannot be read at the moment',
    { cause, retryAfterMs: 1_000 },
  );
