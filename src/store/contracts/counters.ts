import type { AnswerLogs } from './answer-logs.js';

/** What a limit counts; money in whole nanodollars (`usdToNano`), so that sums are exact. */
export type Measure = 'requests' | 'tokens' | 'usd_day' | 'usd_month';

/**
 * An amount of one limit that a request needs. Requests and tokens are counted over a sliding
 * window of 60 s (the count of the previous minute fades out linearly); money by UTC day and month.
 * The charges of one `reserve` call differ in subject or measure.
 */
export interface LimitCharge {
  /** Whose limit it is: `key:<id>` or `account:<id>`. */
  readonly subject: string;
  readonly measure: Measure;
  /** How much may be used in the period; a whole number. */
  readonly limit: number;
  /** How much is needed now; a whole number. */
  readonly amount: number;
}

/** A charge on a budget whose spending in the current period has not been set. */
export interface UnknownBudget extends LimitCharge {
  /** When the period began, epoch ms by the counters' own clock. */
  readonly since: number;
}

/**
 * Reserved amounts. Requests and tokens count from the moment of the reservation and fade out with
 * their minute, however long the request takes. Money stays reserved until `settle`; if the process
 * crashes, the reservation expires after half a minute.
 */
export interface Reservation {
  /**
   * Replaces the reserved amounts by what was really used, in the order of the charges, whole
   * numbers; more than the reserved amount is counted in full. Money counts for the period of the
   * reservation. A missing amount counts as reserved. Never fails; further calls do nothing.
   */
  settle(used: readonly number[]): void;
}

/** The result of a reservation on several limits. */
export type ReserveResult =
  /**
   * `used` is what is used and reserved of each limit now, with this request, in the order of the
   * charges; rounded up.
   */
  | {
      readonly outcome: 'granted';
      readonly reservation: Reservation;
      readonly used: readonly number[];
    }
  /**
   * Nothing was reserved. `charge` is the one with the longest wait among those that exceed their
   * limit; `used` includes reservations of others. `retryAfterMs` is when the request may fit: at
   * the latest when the period ends, soon if reservations of others are in the way.
   */
  | {
      readonly outcome: 'refused';
      readonly charge: LimitCharge;
      readonly used: number;
      readonly retryAfterMs: number;
    }
  /** Nothing was reserved: call `setSpent` for these budgets, then `reserve` again. */
  | { readonly outcome: 'budget_unknown'; readonly charges: readonly UnknownBudget[] };

/** How long the next attempt has to wait after `failures` in a row. */
export interface LoginBackoff {
  readonly failures: number;
  readonly waitMs: number;
}

/**
 * Where the numbers are kept. `workers`: in the memory of the process that all workers share;
 * `fallback`: Redis cannot be reached, and each replica counts for itself.
 */
export type CountersState = 'memory' | 'workers' | 'redis' | 'fallback';

/** Messages between replicas, which may be lost in an outage: subscribers must also poll. */
export interface PubSub {
  /** Reaches other replicas' subscribers within a second, not this process's. Never fails. */
  publish(topic: string, text: string): void;
  subscribe(topic: string, listener: (text: string) => void): void;
}

/** Short-lived numbers that replicas share. One contract for memory and Redis. */
export interface Counters {
  readonly state: CountersState;
  readonly pubSub: PubSub;
  /** Reserves from all limits or from none, atomically. */
  reserve(charges: readonly LimitCharge[]): Promise<ReserveResult>;
  /**
   * Sets what has been spent of a budget in its current period, unless it is set already. With
   * `since`, only if the period that began then is still the current one: a sum from before
   * midnight must not count after it. Never fails.
   */
  setSpent(
    charge: Pick<UnknownBudget, 'subject' | 'measure'> & Partial<Pick<UnknownBudget, 'since'>>,
    used: number,
  ): Promise<void>;
  /** Counts a failed sign-in. The first four cost no wait; then the wait doubles, up to 15 min. */
  countFailure(subject: string): Promise<LoginBackoff>;
  /** How long an attempt has to wait; `{failures: 0, waitMs: 0}` without failures in a day. */
  loginBackoff(subject: string): Promise<LoginBackoff>;
  clearFailures(subject: string): Promise<void>;
  /** What a replica that starts has to learn (cooldowns of keys, latencies). */
  readonly recentLists: RecentLists;
  /** Answers that clients can read again. */
  readonly answerLogs: AnswerLogs;
  close(): Promise<void>;
}

/** Lists of short texts that expire. Never fails: a list that cannot be reached reads as empty. */
export interface RecentLists {
  /** Adds a text to the front of a list of `maxTexts` at most; expires `keepMs` after the last. */
  add(
    list: string,
    text: string,
    options: { readonly maxTexts: number; readonly keepMs: number },
  ): void;
  /** The texts, newest first. */
  read(list: string): Promise<string[]>;
}

const nano = 1e9;

/** USD as whole nanodollars, rounded up: what is counted is never less than what was spent. */
export const usdToNano = (usd: number): number => Math.ceil(usd * nano - 1e-6);

/** Whole nanodollars as USD. */
export const nanoToUsd = (amount: number): number => amount / nano;
