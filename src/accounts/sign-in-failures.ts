import { GatewayError } from '../errors.js';
import type { AccountContext } from './account-context.js';
import { hashToken } from './tokens.js';

/** Who tries: a remote address, and the account by its mail address, whether there is one or not. */
export interface Tried {
  readonly from: string;
  readonly email: string;
}

const hourMs = 3_600_000;
/** Requests a minute of one remote address that cost us a hash, a record or a mail. */
const mostAMinute = 10;
/** Passwords a minute that one remote address has checked for one account, right ones too: each takes a hash, and each that is right a record. */
const mostChecksAMinute = 30;

const accountSubject = (email: string): string => `sign-in:account:${hashToken(email)}`;

/** A success does not forgive an address: whoever has an account could guess at others for ever. So each hour begins anew, for houses with one address. */
const subjectsOf = ({ from, email }: Tried, now: number): string[] => [
  `sign-in:from:${from}:${Math.floor(now / hourMs)}`,
  accountSubject(email),
];

/**
 * Checks a password, counts the failures of the address and of the account, and lets them wait longer and longer.
 * @param check null: it was wrong
 * @throws GatewayError `too_many_requests` while one of them has to wait
 */
export async function attempt<T>(
  desk: Pick<AccountContext, 'counters' | 'now'>,
  tried: Tried,
  check: () => Promise<T | null>,
): Promise<T | null> {
  const subjects = subjectsOf(tried, desk.now());
  await countRequest(desk, accountSubject(tried.email), tried.from, mostChecksAMinute);
  await refuseWhileWaiting(desk, subjects);
  const result = await check();
  // guesses that were made at the same time have failed meanwhile: then nobody learns what came of this one
  await refuseWhileWaiting(desk, subjects);
  if (result === null) await Promise.all(subjects.map((subject) => desk.counters.fail(subject)));
  else await forgive(desk, tried.email);
  return result;
}

/** Forgets the account's failures. */
export async function forgive(
  { counters }: Pick<AccountContext, 'counters'>,
  email: string,
): Promise<void> {
  await counters.forgive(accountSubject(email));
}

/** Bounds how often an address may have something done without having signed in. @throws GatewayError `too_many_requests` */
export async function countRequest(
  { counters }: Pick<AccountContext, 'counters'>,
  what: string,
  from: string,
  most = mostAMinute,
): Promise<void> {
  const verdict = await counters.take([
    { subject: `${what}:from:${from}`, measure: 'requests', limit: most, amount: 1 },
  ]);
  if (verdict.outcome === 'refused') throw tooMany(verdict.retryAfterMs);
  if (verdict.outcome === 'granted') verdict.hold.settle([1]);
}

/** Whether another mail may go to that address now: whoever asks for them does not have to be who gets them. */
export async function mayWriteTo(
  { counters }: Pick<AccountContext, 'counters'>,
  email: string,
): Promise<boolean> {
  const subject = `mail:to:${hashToken(email)}`;
  if ((await counters.patience(subject)).waitMs > 0) return false;
  await counters.fail(subject);
  return true;
}

async function refuseWhileWaiting(
  { counters }: Pick<AccountContext, 'counters'>,
  subjects: readonly string[],
): Promise<void> {
  const waits = await Promise.all(
    subjects.map(async (subject) => (await counters.patience(subject)).waitMs),
  );
  const waitMs = Math.max(...waits);
  if (waitMs > 0) throw tooMany(waitMs);
}

const tooMany = (retryAfterMs: number): GatewayError =>
  new GatewayError('too_many_requests', 'too many attempts; Retry-After says when to try again', {
    retryAfterMs,
  });
