import { messageOf } from '../errors.js';
import type { AccountRecord, KeyLimits } from '../store/contracts/accounts.js';
import type { Counters } from '../store/contracts/counters.js';
import type { Store } from '../store/contracts/store.js';
import type { Mailer } from './mailer.js';
import type { Passwords } from './passwords.js';
import type { DoneAct } from './write-act.js';
import { withTimeout } from '../async/with-timeout.js';

/** The configuration of accounts; durations in ms. */
export interface AccountRules {
  /** Whether people sign up, claim and sign in with browsers. */
  readonly web: boolean;
  readonly signUp: 'open' | 'closed';
  /** The limits of accounts that sign up by themselves. */
  readonly signUpLimits: KeyLimits;
  /** Mail domains that may sign up; empty: all. */
  readonly signUpDomains: readonly string[];
  readonly signInMs: number;
  readonly resetMs: number;
  /** The gateway's public address, without a slash at the end; null if unknown. */
  readonly publicUrl: string | null;
  /** Null: no mail is sent. */
  readonly mailer: Mailer | null;
  /** Gets failures after an answer, without addresses, passwords and tokens. */
  readonly warn: (warning: string) => void;
}

/** What the functions on accounts work with. */
export interface AccountContext {
  readonly store: Pick<Store, 'accounts' | 'signIns' | 'secret'>;
  readonly counters: Pick<Counters, 'reserve' | 'countFailure' | 'loginBackoff' | 'clearFailures'>;
  readonly passwords: Passwords;
  readonly backgroundTasks: BackgroundTasks;
  readonly rules: AccountRules;
  /** Ms since 1970. */
  now(): number;
  /**
   * Records an act in the audit log. Never rejects.
   * @param owner who does it, where the request has neither a key nor a sign-in; absent: `anonymous`
   */
  record(done: DoneAct, owner?: Pick<AccountRecord, 'id' | 'email'>): Promise<void>;
}

/** Runs a task in the background; a failure becomes a warning. */
export function runLater(
  { backgroundTasks, rules }: Pick<AccountContext, 'backgroundTasks' | 'rules'>,
  what: string,
  work: () => Promise<void>,
): void {
  backgroundTasks.run(work, (error) => rules.warn(`${what} failed: ${messageOf(error)}`));
}

/** More tasks than these are refused: mails that no server takes must not fill the memory. */
const maxUnderWay = 100;
/** How long a process that stops waits for a mail server that does not answer. */
const maxWaitMs = 5_000;

/** Work that an answer does not wait for, so that its time reveals nothing about the work. */
export class BackgroundTasks {
  private readonly underWay = new Set<Promise<void>>();

  /** Begins the work after the answer is written. Never throws: `onFailure` gets every failure. */
  run(work: () => Promise<void>, onFailure: (error: unknown) => void): void {
    if (this.underWay.size >= maxUnderWay) {
      onFailure(new Error(`${maxUnderWay} tasks are under way already`));
      return;
    }
    const begun = new Promise<void>((resolve) => setImmediate(resolve))
      .then(work)
      .catch(onFailure)
      .finally(() => this.underWay.delete(begun));
    this.underWay.add(begun);
  }

  /** Resolves when all tasks are done, those that they begin included, or after some seconds. */
  async done(): Promise<void> {
    await withTimeout(this.allDone(), maxWaitMs, () => undefined);
  }

  private async allDone(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }
}
