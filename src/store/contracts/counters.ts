/** What a limit counts. Money is counted in whole nanodollars (`usdToNano`), so that sums stay exact. */
export type Measure = 'requests' | 'tokens' | 'usd_day' | 'usd_month';

/**
 * One use of one limit. Requests and tokens are counted over any 60 s (the last minute's count fades out evenly); money by the UTC day and
 * month. Of the claims of one `take` no two have the same subject and measure.
 */
export interface Claim {
  /** Whose limit it is: `key:<id>`. */
  readonly subject: string;
  readonly measure: Measure;
  /** The most that may be used in the period; a whole number. */
  readonly limit: number;
  /** What is wanted of it now; a whole number. */
  readonly amount: number;
}

/** A claim on a budget of which nobody has said what was used of it since its present period began. */
export interface UnseededClaim extends Claim {
  /** When that was, in epoch ms by the clock of the counters, which need not be this process's. */
  readonly since: number;
}

/**
 * What is held until it is settled. Requests and tokens count from when they were taken and fade with their minute, however long the request
 * takes. Money is held: the process that took it keeps it held until `settle`; where it cannot (it crashed), half a minute later it is free.
 */
export interface Hold {
  /**
   * What was really used, in the order of the claims, whole numbers; what was held beyond it is free again, and more than was held is counted
   * in full. Money counts for the period in which it was taken. An amount that is missing was used as it was held. Never fails; the second
   * call does nothing.
   */
  settle(used: readonly number[]): void;
}

/** What became of a request for several limits at once. */
export type Verdict =
  /** `used` is what of each limit is used and held now, this request's amount included, in the order of the claims; rounded up. */
  | { readonly outcome: 'granted'; readonly hold: Hold; readonly used: readonly number[] }
  /**
   * Nothing was taken. Of the claims that did not fit, `claim` is the one that has to wait longest; `used` includes what others hold.
   * `retryAfterMs` is when it may fit: at the latest when its period ends, soon where others only hold what it wants.
   */
  | {
      readonly outcome: 'refused';
      readonly claim: Claim;
      readonly used: number;
      readonly retryAfterMs: number;
    }
  /** Nothing was taken. What these budgets have used so far is not known here yet: `seed` them, then ask again. */
  | { readonly outcome: 'unseeded'; readonly claims: readonly UnseededClaim[] };

/** How long the next attempt has to wait after `failures` in a row. */
export interface LoginBackoff {
  readonly failures: number;
  readonly waitMs: number;
}

/** Where the numbers are kept. `fallback`: replicas should share them and cannot for now; each counts for itself. */
export type CountersState = 'memory' | 'redis' | 'fallback';

/** What replicas tell each other. Lost while they cannot reach each other: whoever listens must also find out by other means. */
export interface PubSub {
  /** Reaches the other replicas' listeners within a second, not the teller's own. Never fails. */
  tell(topic: string, text: string): void;
  hear(topic: string, listener: (text: string) => void): void;
}

/** Numbers that live for minutes or a month and that replicas share. One contract for memory and Redis. */
export interface Counters {
  readonly state: CountersState;
  readonly bulletin: PubSub;
  /** Takes from all the limits or from none, whoever else asks at the same time. Synchronous in memory. */
  take(claims: readonly Claim[]): Verdict | Promise<Verdict>;
  /**
   * Sets what a budget has used in its present period, where nobody has set it yet. With `since`, only if that period is the present one
   * still: what was summed before midnight does not count after it. Never fails.
   */
  seed(
    claim: Pick<UnseededClaim, 'subject' | 'measure'> & Partial<Pick<UnseededClaim, 'since'>>,
    used: number,
  ): void | Promise<void>;
  /** Counts a failed attempt (sign-in) and says how long the next one has to wait: none after the first four, then doubling up to 15 min. */
  fail(subject: string): Promise<LoginBackoff>;
  /** How long an attempt has to wait now; `{failures: 0, waitMs: 0}` where there were no failures in the last day. */
  patience(subject: string): Promise<LoginBackoff>;
  /** Forgets the failures. */
  forgive(subject: string): Promise<void>;
  /** A note that expires, for what a replica that starts has to learn (keys set aside, latencies). */
  readonly notes: RecentLists;
  close(): Promise<void>;
}

/** Short texts under names, for a time. Never fails: what cannot be reached reads as empty. */
export interface RecentLists {
  /** Adds a text to a list of at most `most`, newest first; the list is forgotten `keepMs` after its last text. */
  add(
    list: string,
    text: string,
    options: { readonly most: number; readonly keepMs: number },
  ): void;
  read(list: string): Promise<string[]>;
}

const nano = 1e9;

/** USD as whole nanodollars, rounded up: what is counted is never less than what was spent. */
export const usdToNano = (usd: number): number => Math.ceil(usd * nano - 1e-6);

/** Whole nanodollars as USD. */
export const nanoToUsd = (amount: number): number => amount / nano;
