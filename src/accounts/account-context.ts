import type { Counters } from '../store/contracts/counters.js';
import type { Store } from '../store/contracts/store.js';
import type { BackgroundTasks } from './background-tasks.js';
import type { Mail, Mailer } from './mailer.js';
import type { Passwords } from './passwords.js';

/** What the configuration says of accounts; durations in ms. */
export interface AccountRules {
  readonly signUp: 'open' | 'closed';
  /** Mail domains that may sign up; empty: all. */
  readonly signUpDomains: readonly string[];
  readonly signInMs: number;
  readonly resetMs: number;
  /** Where people reach the gateway, without a slash at the end; null where that is not known. */
  readonly publicUrl: string | null;
  /** Null: no mail is sent. */
  readonly mailer: Mailer | null;
  /** Takes what went wrong after an answer; without addresses, passwords and tokens. */
  readonly warn: (warning: string) => void;
}

/** What becomes of accounts at the gateway is done with these. */
export interface AccountContext {
  readonly store: Pick<Store, 'accounts' | 'signIns'>;
  readonly counters: Pick<Counters, 'take' | 'fail' | 'patience' | 'forgive'>;
  readonly passwords: Passwords;
  readonly errands: BackgroundTasks;
  readonly rules: AccountRules;
  /** Ms since 1970. */
  now(): number;
}

/** Does what an answer does not wait for; a failure is told as a warning. */
export function later(
  { errands, rules }: Pick<AccountContext, 'errands' | 'rules'>,
  what: string,
  work: () => Promise<void>,
): void {
  errands.run(work, (error) =>
    rules.warn(`${what} failed: ${error instanceof Error ? error.message : 'unknown'}`),
  );
}

/** Sends a mail, where the gateway sends any. */
export async function sendMail(
  { rules }: Pick<AccountContext, 'rules'>,
  mail: Mail,
): Promise<void> {
  await rules.mailer?.send(mail);
}
