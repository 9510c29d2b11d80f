import { isBudget } from '../period.js';
import type { RedisLink } from './link.js';
import { keysOf, type Part } from './part.js';
import { renewScript } from './scripts.js';

/** A hold that is not settled yet. */
export interface LiveHold {
  readonly id: string;
  readonly parts: readonly Part[];
}

const mostAtOnce = 500;

/** The holds of this process that Redis would let go if nobody renewed them. */
export class LiveHolds<T extends LiveHold> {
  private readonly holds = new Map<string, T>();
  private readonly timer: NodeJS.Timeout;

  /** @param time the scripts' first argument */
  constructor(
    private readonly link: Pick<RedisLink, 'isUp' | 'run'>,
    private readonly leaseMs: number,
    private readonly time: () => string,
  ) {
    this.timer = setInterval(() => this.renew(), leaseMs / 3).unref();
  }

  /** Only money is held. */
  add(hold: T): void {
    if (hold.parts.some(isBudget)) this.holds.set(hold.id, hold);
  }

  delete(hold: T): void {
    this.holds.delete(hold.id);
  }

  values(): IterableIterator<T> {
    return this.holds.values();
  }

  /** Has Redis hold all of them for another lease, those that it does not know too. @param key of one budget alone */
  renew(key?: string): void {
    if (!this.link.isUp) return;
    const budgets = new Map<string, { part: Part; held: string[] }>();
    for (const { id, parts } of this.holds.values()) {
      for (const part of parts.filter(
        (each) => isBudget(each) && (key === undefined || each.key === key),
      )) {
        const name = `${part.key} ${part.period}`;
        const budget = budgets.get(name) ?? { part, held: [] };
        budgets.set(name, budget);
        budget.held.push(id, String(part.amount));
      }
    }
    for (const { part, held } of budgets.values()) this.renewOn(part, held);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private renewOn({ key, measure, period }: Part, held: readonly string[]): void {
    for (let from = 0; from < held.length; from += 2 * mostAtOnce) {
      const some = held.slice(from, from + 2 * mostAtOnce);
      // what fails is tried again at the next turn, or on the next connection
      this.link
        .run(renewScript, keysOf(key), [
          this.time(),
          String(this.leaseMs),
          measure,
          String(period),
          ...some,
        ])
        .catch(() => undefined);
    }
  }
}
