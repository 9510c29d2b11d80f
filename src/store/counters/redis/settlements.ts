import { withTimeout } from '../../../async/with-timeout.js';
import { isBudget } from '../period.js';
import { RedisRefusal } from './redis-error.js';
import type { RedisLink } from './link.js';
import { keysOf, type Part } from './part.js';
import { settleScript } from './scripts.js';

/** One claim of a hold and what was used of it. */
export interface SettledPart extends Part {
  readonly used: number;
}

interface Settlement {
  readonly number: number;
  /** '' where Redis holds nothing of it. */
  readonly hold: string;
  readonly parts: readonly SettledPart[];
  isAnswered: boolean;
}

const mostUnderWay = 500;
const mostDebts = 100_000;

/**
 * What has been used and Redis has still to hear of. Settlements are numbered and sent in order, again from the first that was not answered
 * when a connection is lost; a script passes over numbers that it has had. How many wait is bounded by the holds of the time when
 * Redis went, and by the number of budgets.
 */
export class Settlements {
  private readonly queue: Settlement[] = [];
  /** Of the queue's first so many the answer is still to come. */
  private underWay = 0;
  private readonly debts = new Map<string, SettledPart>();
  private lastNumber = 0;
  private emptied: (() => void) | null = null;

  /** @param time the scripts' first argument */
  constructor(
    private readonly link: Pick<RedisLink, 'isUp' | 'runInOrder'>,
    private readonly processId: string,
    private readonly time: () => string,
    private readonly onWarning: (warning: string) => void,
  ) {}

  /** Settles a hold that Redis knows. */
  settle(hold: string, parts: readonly SettledPart[]): void {
    this.push(
      hold,
      parts.filter((part) => isBudget(part) || part.used !== part.amount),
    );
    this.send();
  }

  /** Counts what was used of budgets under a hold that Redis does not know, as soon as it is there. */
  owe(parts: readonly SettledPart[]): void {
    for (const part of parts.filter(isBudget)) {
      const name = `${part.key} ${part.period}`;
      const owed = this.debts.get(name);
      if (owed === undefined && this.debts.size >= mostDebts)
        this.onWarning(`Redis was away for too long: what ${part.key} has used is not counted`);
      else if (part.used > 0)
        this.debts.set(name, { ...part, used: part.used + (owed?.used ?? 0) });
    }
    if (this.link.isUp) this.pay();
  }

  /** There is a new connection: sends all that the old one did not answer, and what is owed. */
  resume(): void {
    this.underWay = 0;
    this.pay();
  }

  /** Resolves when Redis has heard of everything, or after the limit. */
  async drained(limitMs: number): Promise<void> {
    if (this.queue.length === 0 || !this.link.isUp) return;
    const emptied = new Promise<void>((resolve) => (this.emptied = resolve));
    await withTimeout(emptied, limitMs, () => undefined);
  }

  private pay(): void {
    for (const part of this.debts.values()) this.push('', [part]);
    this.debts.clear();
    this.send();
  }

  private push(hold: string, parts: readonly SettledPart[]): void {
    if (parts.length > 0)
      this.queue.push({ number: ++this.lastNumber, hold, parts, isAnswered: false });
  }

  private send(): void {
    while (this.link.isUp && this.underWay < Math.min(mostUnderWay, this.queue.length)) {
      const settlement = this.queue[this.underWay++];
      if (settlement) void this.sendOne(settlement);
    }
  }

  private async sendOne(settlement: Settlement): Promise<void> {
    const { number, hold, parts } = settlement;
    const details = parts.flatMap(({ measure, period, amount, used }) => [
      measure,
      String(period),
      String(amount),
      String(used),
    ]);
    try {
      await this.link.runInOrder(
        settleScript,
        parts.flatMap(({ key }) => keysOf(key)),
        [this.time(), this.processId, String(number), hold, ...details],
      );
    } catch (error) {
      if (!(error instanceof RedisRefusal)) return;
      this.onWarning(`Redis refused to count what was used: ${error.message}`);
    }
    settlement.isAnswered = true;
    this.takeOff();
  }

  private takeOff(): void {
    while (this.queue[0]?.isAnswered) {
      this.queue.shift();
      this.underWay--;
    }
    this.send();
    if (this.queue.length === 0) this.emptied?.();
  }
}
