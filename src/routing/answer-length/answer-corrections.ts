import { LRUCache } from 'lru-cache';

/** What the answers of one model were, as shares of what was expected of them. */
interface Seen {
  /** The sum of the shares and their number, both faded. */
  shares: number;
  count: number;
  /** Since the factor was computed. */
  fresh: number;
  factor: number;
}

const maxModels = 2_000;
/** The factor changes after so many answers, so that not every answer changes later choices. */
const batch = 8;
/** Each answer takes this much from the weight of those before it: the last fifty count most. */
const fading = 0.98;
/** The first answers count as if so many others had been as expected. */
const priorAnswers = 4;
/** A single answer, and all of them together, change the estimate no further than this. */
const maxShare = 20,
  maxFactor = 8;

const within = (value: number, bound: number): number =>
  Math.min(bound, Math.max(1 / bound, value));

function publish(seen: Seen): void {
  const mean = Math.log(seen.shares / seen.count);
  seen.factor = within(Math.exp((mean * seen.count) / (seen.count + priorAnswers)), maxFactor);
  seen.fresh = 0;
}

/**
 * How much longer or shorter the models of this process answer than expected: a factor for each,
 * within bounds, learned from the answers that were given. It knows no texts and no accounts, and a
 * new process begins without it.
 */
export class AnswerCorrections {
  private readonly models = new LRUCache<string, Seen>({ max: maxModels });

  /** By how much to multiply what is expected of a model; 1 for a model without answers. */
  factorOf(model: string): number {
    return this.models.get(model)?.factor ?? 1;
  }

  /**
   * Takes in an answer.
   * @param expected its tokens as they were expected, with the factor of that time
   * @param actual its tokens, reasoning included
   */
  add(model: string, expected: number, actual: number): void {
    if (!(expected > 0) || !(actual > 0)) return;
    const seen = this.models.get(model) ?? { shares: 0, count: 0, fresh: 0, factor: 1 };
    const share = within((actual / expected) * seen.factor, maxShare);
    seen.shares = seen.shares * fading + share;
    seen.count = seen.count * fading + 1;
    if (++seen.fresh >= batch) publish(seen);
    this.models.set(model, seen);
  }
}
