import { isBudget } from '../period.js';
import type { RedisLink } from './link.js';
import { counterKeys, type ReservationPart } from './limits.js';
import { renewScript } from './scripts.js';

/** A reservation that is not settled. */
export interface LiveReservation {
  readonly id: string;
  readonly parts: readonly ReservationPart[];
}

const maxBatch = 500;

/** The reservations of this process, whose leases in Redis it renews. */
export class LiveReservations<T extends LiveReservation> {
  private readonly reservations = new Map<string, T>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly link: Pick<RedisLink, 'isUp' | 'run'>,
    private readonly leaseMs: number,
  ) {
    this.timer = setInterval(() => this.renew(), leaseMs / 3).unref();
  }

  /** Only reservations of money have a lease. */
  add(reservation: T): void {
    if (reservation.parts.some(isBudget)) this.reservations.set(reservation.id, reservation);
  }

  delete(reservation: T): void {
    this.reservations.delete(reservation.id);
  }

  values(): IterableIterator<T> {
    return this.reservations.values();
  }

  /** Renews the leases, and adds what Redis has lost. @param key only those of this budget */
  renew(key?: string): void {
    if (!this.link.isUp) return;
    const budgets = new Map<string, { part: ReservationPart; reserved: string[] }>();
    for (const { id, parts } of this.reservations.values()) {
      for (const part of parts.filter(
        (each) => isBudget(each) && (key === undefined || each.key === key),
      )) {
        const name = `${part.key} ${part.period}`;
        const budget = budgets.get(name) ?? { part, reserved: [] };
        budgets.set(name, budget);
        budget.reserved.push(id, String(part.amount));
      }
    }
    for (const { part, reserved } of budgets.values()) this.renewOn(part, reserved);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private renewOn({ key, measure, period }: ReservationPart, reserved: readonly string[]): void {
    for (let from = 0; from < reserved.length; from += 2 * maxBatch) {
      const some = reserved.slice(from, from + 2 * maxBatch);
      // a failure is made up for by the next renewal or connection
      this.link
        .run(renewScript, counterKeys(key), [
          String(this.leaseMs),
          measure,
          String(period),
          ...some,
        ])
        .catch(() => undefined);
    }
  }
}
