import { NameCache } from '../../models/name-cache.js';
import { agreedOn } from '../learning/evidence.js';

/** The lengths of one account's answers by one model, as shares of the expected lengths. */
interface Seen {
  /** The sum of the shares and their number, both faded. */
  shares: number;
  count: number;
  /** How many answers came since `log` was computed. */
  fresh: number;
  /** The logarithm of the mean share, and how many answers it is computed from. */
  log: number;
  weight: number;
}

interface Known {
  /** By account, those heard of last at the end. */
  readonly accounts: Map<string, Seen>;
  /** The logarithm of what the accounts agree on. */
  agreed: number;
}

const maxModels = 2_000,
  maxAccounts = 32;
/** The factor changes once per this number of answers, so that choices do not change with each. */
const batch = 8;
/** Each answer takes this much from the weight of those before it: the last fifty count most. */
const fading = 0.98;
/** What the accounts agree on counts as much as this number of an account's own answers. */
const priorAnswers = 4;
/** A single answer, and all of them together, change the estimate no further than this. */
const maxShare = 20,
  maxFactor = 8;
const maxLog = Math.log(maxFactor);

const within = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));

/** What accounts agree on. A neutral one is added, so that a single account changes nothing. */
const agreedLog = (accounts: Iterable<Seen>): number =>
  agreedOn([0, ...[...accounts].filter(({ weight }) => weight > 0).map(({ log }) => log)]);

/**
 * How much longer or shorter the models of this process answer than expected: a factor for each,
 * within bounds, learned from given answers. For its requests an account's own answers count most;
 * those of other accounts count as far as most accounts agree. Stores no texts, and starts empty in
 * each process.
 */
export class AnswerCorrections {
  private readonly models = new NameCache<Known>(maxModels);

  /**
   * By how much to multiply what is expected of a model; 1 for a model without answers.
   * @param account whose request it is; null: unknown
   */
  factorOf(model: string, account: string | null): number {
    const known = this.models.get(model);
    if (known === undefined) return 1;
    const own = account === null ? undefined : known.accounts.get(account);
    const log =
      own === undefined
        ? known.agreed
        : (own.log * own.weight + known.agreed * priorAnswers) / (own.weight + priorAnswers);
    return log === 0 ? 1 : Math.exp(log);
  }

  /**
   * Takes in an answer.
   * @param expected its tokens as they were expected, with the factor of that time
   * @param actual its tokens, reasoning included
   */
  add(model: string, account: string, expected: number, actual: number): void {
    if (!(expected > 0) || !(actual > 0)) return;
    let known = this.models.get(model);
    if (!known) this.models.set(model, (known = { accounts: new Map(), agreed: 0 }));
    const factor = this.factorOf(model, account);
    const seen = known.accounts.get(account) ?? newAccount();
    const share = within((actual / expected) * factor, 1 / maxShare, maxShare);
    seen.shares = seen.shares * fading + share;
    seen.count = seen.count * fading + 1;
    // the account heard of last goes to the end
    known.accounts.delete(account);
    known.accounts.set(account, seen);
    if (++seen.fresh < batch) return;
    publish(seen);
    forgetOldest(known.accounts);
    known.agreed = agreedLog(known.accounts.values());
  }
}

const newAccount = (): Seen => ({ shares: 0, count: 0, fresh: 0, log: 0, weight: 0 });

function publish(seen: Seen): void {
  seen.log = within(Math.log(seen.shares / seen.count), -maxLog, maxLog);
  seen.weight = seen.count;
  seen.fresh = 0;
}

function forgetOldest(accounts: Map<string, Seen>): void {
  for (const account of accounts.keys()) {
    if (accounts.size <= maxAccounts) return;
    accounts.delete(account);
  }
}
