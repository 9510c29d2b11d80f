import { withTimeout } from '../../../async/with-timeout.js';
import { isBudget } from '../period.js';
import { type RedisLink, RedisRefusal } from './link.js';
import { counterKeys, type ReservationPart } from './limits.js';
import { settleScript } from './scripts.js';

/** One charge of a reservation, and what was used of it. */
export interface SettledPart extends ReservationPart {
  readonly used: number;
}

interface Settlement {
  readonly number: number;
  /** '' if Redis does not know the reservation. */
  readonly reservationId: string;
  readonly parts: readonly SettledPart[];
  isAnswered: boolean;
}

const maxUnderWay = 500;
const maxUnreserved = 100_000;

/**
 * Usage that Redis has to count. Settlements are numbered, pipelined in order, and after a lost
 * connection sent again from the first that was not answered; the script skips numbers that it has
 * seen. (A batch queue does not fit: Redis counts each settlement once only because they arrive in
 * order.) The number of waiting settlements is bounded by the reservations at the time of the
 * outage, and by the number of budgets.
 */
export class Settlements {
  private readonly queue: Settlement[] = [];
  /** How many of the queue's first settlements have been sent and not answered. */
  private underWay = 0;
  /** Spending on budgets under reservations that Redis does not know, by budget. */
  private readonly unreserved = new Map<string, SettledPart>();
  private lastNumber = 0;
  private emptied: (() => void) | null = null;

  constructor(
    private readonly link: Pick<RedisLink, 'isUp' | 'runInOrder'>,
    private readonly processId: string,
    private readonly onWarning: (warning: string) => void,
  ) {}

  /** Settles a reservation that Redis knows. */
  settle(reservationId: string, parts: readonly SettledPart[]): void {
    this.push(
      reservationId,
      parts.filter((part) => isBudget(part) || part.used !== part.amount),
    );
    this.send();
  }

  /** Counts what a reservation used that Redis does not know, as soon as Redis is available. */
  settleUnreserved(parts: readonly SettledPart[]): void {
    for (const part of parts.filter(isBudget)) {
      const name = `${part.key} ${part.period}`;
      const earlier = this.unreserved.get(name);
      if (earlier === undefined && this.unreserved.size >= maxUnreserved)
        this.onWarning(`Redis was away for too long: usage of ${part.key} is not counted`);
      else if (part.used > 0)
        this.unreserved.set(name, { ...part, used: part.used + (earlier?.used ?? 0) });
    }
    if (this.link.isUp) this.sendUnreserved();
  }

  /** For a new connection: sends all that the old one did not answer, and unreserved spending. */
  resume(): void {
    this.underWay = 0;
    this.sendUnreserved();
  }

  /** Resolves when Redis has confirmed everything, or after the limit. */
  async drain(limitMs: number): Promise<void> {
    if (this.queue.length === 0 || !this.link.isUp) return;
    const emptied = new Promise<void>((resolve) => (this.emptied = resolve));
    await withTimeout(emptied, limitMs, () => undefined);
  }

  private sendUnreserved(): void {
    for (const part of this.unreserved.values()) this.push('', [part]);
    this.unreserved.clear();
    this.send();
  }

  private push(reservationId: string, parts: readonly SettledPart[]): void {
    if (parts.length > 0)
      this.queue.push({ number: ++this.lastNumber, reservationId, parts, isAnswered: false });
  }

  private send(): void {
    while (this.link.isUp && this.underWay < Math.min(maxUnderWay, this.queue.length)) {
      const settlement = this.queue[this.underWay++];
      if (settlement) void this.sendOne(settlement);
    }
  }

  private async sendOne(settlement: Settlement): Promise<void> {
    const { number, reservationId, parts } = settlement;
    const details = parts.flatMap(({ measure, period, amount, used }) => [
      measure,
      String(period),
      String(amount),
      String(used),
    ]);
    try {
      await this.link.runInOrder(
        settleScript,
        parts.flatMap(({ key }) => counterKeys(key)),
        [this.processId, String(number), reservationId, ...details],
      );
    } catch (error) {
      if (!(error instanceof RedisRefusal)) return;
      this.onWarning(`Redis refused to count usage: ${error.message}`);
    }
    settlement.isAnswered = true;
    this.removeAnswered();
  }

  private removeAnswered(): void {
    while (this.queue[0]?.isAnswered) {
      this.queue.shift();
      this.underWay--;
    }
    this.send();
    if (this.queue.length === 0) this.emptied?.();
  }
}
