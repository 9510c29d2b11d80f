import { type LimitCharge, type Reservation, usdToNano } from '../../store/contracts/counters.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import { GatewayError } from '../../errors.js';

/** How often the spending may be read and set for one reservation. */
const maxReads = 3;
/** Belongs to no key and no account. */
const subject = 'gateway:shadow';

/** What is reserved of the day's budget. */
export interface ReservedBudget {
  /** Replaces the reserved amount by what was spent, in USD. Never fails. */
  settle(costUsd: number): void;
}

/**
 * What second answers may cost in a UTC day, of all accounts and replicas together. What was spent
 * before this process or Redis started to count is read from the store.
 */
export class ShadowBudget {
  /** @param flushRequestLog resolves when finished requests are in the request log */
  constructor(
    private readonly databases: LazyDatabases,
    private readonly flushRequestLog: () => Promise<void>,
  ) {}

  /**
   * Reserves what an answer may cost at most; null: the day's budget has no room for it.
   * @throws GatewayError `unavailable` if the store cannot be reached
   */
  async reserve(maxUsdPerDay: number, costUsd: number): Promise<ReservedBudget | null> {
    const { counters, store } = await this.databases.get();
    const charge: LimitCharge = {
      subject,
      measure: 'usd_day',
      limit: usdToNano(maxUsdPerDay),
      amount: Math.max(1, usdToNano(costUsd)),
    };
    for (let reads = 0; reads <= maxReads; reads++) {
      const result = await counters.reserve([charge]);
      if (result.outcome === 'refused') return null;
      if (result.outcome === 'granted') return reserved(result.reservation);
      await this.flushRequestLog();
      for (const unknown of result.charges) {
        const day = new Date(unknown.since).toISOString().slice(0, 10);
        await counters.setSpent(unknown, usdToNano(await store.shadows.spentUsd(day)));
      }
    }
    return null;
  }
}

const reserved = (reservation: Reservation): ReservedBudget => ({
  settle: (costUsd) => reservation.settle([usdToNano(costUsd)]),
});

/** Few, because they compete with clients for connections and for the rate limits of providers. */
const maxRunning = 2;

type Cancel = (reason: GatewayError) => void;

/** The second answers that are being asked for. What finds no place is dropped. */
export class RunningShadows {
  private readonly running = new Set<{ cancel: Cancel | null }>();
  private isClosed = false;

  /**
   * Begins the work in a later turn of the event loop; false if there is no place. The work says how
   * it is cancelled once it can be, and never rejects.
   */
  run(work: (whenCancelled: (cancel: Cancel) => void) => Promise<void>): boolean {
    if (this.isClosed || this.running.size >= maxRunning) return false;
    const one: { cancel: Cancel | null } = { cancel: null };
    this.running.add(one);
    setImmediate(() => {
      void work((cancel) => {
        one.cancel = cancel;
        if (this.isClosed) cancel(stopping());
      }).finally(() => this.running.delete(one));
    });
    return true;
  }

  /** Cancels all, and lets none begin. */
  close(): void {
    this.isClosed = true;
    for (const { cancel } of this.running) cancel?.(stopping());
  }
}

const stopping = (): GatewayError => new GatewayError('unavailable', 'the gateway is stopping');
