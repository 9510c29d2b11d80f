import { GatewayError } from '../errors.js';
import type { LimitCharge } from '../store/contracts/counters.js';
import type { AccountContext } from './account-context.js';
import { type BrowserProof, knownBrowser } from './known-browser.js';
import type { PasswordSender } from './passwords.js';
import { remoteAddress } from '../async/fair-queue.js';
import { hashToken } from './tokens.js';

/** A sign-in attempt: the remote address, and the account's mail address, real or not. */
export interface SignInAttempt extends Omit<BrowserProof, 'browser'> {
  readonly from: string;
  /** The token of a browser that signed in before. Default: null. */
  readonly browser?: string | null;
}

const hourMs = 3_600_000;
/** Requests per minute of one remote address that cost a hash, a row or a mail. */
const maxPerMinute = 10;
/** Password checks a minute of an address for an account, right or wrong: each costs a hash. */
const maxChecksPerMinute = 30;
/** Of all accounts together, for one remote address without a known browser. */
const maxAddressChecksPerMinute = 60;
/** How many times as much the larger network of an IPv6 address may do. */
const networkShare = 4;

/** Failures of a browser that signed in before: strangers cannot add to them. */
const browserSubject = (id: string): string => `sign-in:browser:${id}`;
const accountSubject = (email: string): string => `sign-in:account:${hashToken(email)}`;

/**
 * A success does not clear the failures of the remote address: the owner of one account could guess
 * passwords of others for ever. They start anew each hour instead, because many users may share an
 * address.
 */
const addressSubject = (from: string, now: number): string =>
  `sign-in:from:${from}:${Math.floor(now / hourMs)}`;

/**
 * Runs a password check, counts failures for the remote address and the account, and enforces the
 * growing wait after them. The failures of a browser that signed in to the account before are
 * counted by themselves, so that strangers cannot make its owner wait.
 * @param check returns null for a wrong password
 * @throws GatewayError `too_many_requests` while the browser, the address or the account has to
 * wait
 */
export async function checkCredentials<T>(
  context: Pick<AccountContext, 'counters' | 'now' | 'store'>,
  { from, email, browser = null }: SignInAttempt,
  check: (sender: PasswordSender) => Promise<T | null>,
): Promise<T | null> {
  const known = await knownBrowser(context, { email, browser });
  const own = known === null ? accountSubject(email) : browserSubject(known);
  if (known === null) await limitRequests(context, 'sign-in', from, maxAddressChecksPerMinute);
  await limitRequests(context, own, from, maxChecksPerMinute);
  const subjects = known === null ? [addressSubject(from, context.now()), own] : [own];
  const result = await checkAfterWait(context, subjects, () =>
    check({ from, isTrusted: known !== null }),
  );
  if (result !== null) await context.counters.clearFailures(own);
  return result;
}

/**
 * Runs the check of a secret that belongs to no account, counts failures for the remote address,
 * and enforces the growing wait after them.
 * @param check returns false for a wrong secret
 * @throws GatewayError `too_many_requests` while the address has to wait
 */
export async function checkSecret(
  context: Pick<AccountContext, 'counters' | 'now'>,
  { what, from }: { readonly what: string; readonly from: string },
  check: () => Promise<boolean>,
): Promise<boolean> {
  await limitRequests(context, what, from);
  const checked = await checkAfterWait(
    context,
    [addressSubject(from, context.now())],
    async () => (await check()) || null,
  );
  return checked !== null;
}

async function checkAfterWait<T>(
  context: Pick<AccountContext, 'counters'>,
  subjects: readonly string[],
  check: () => Promise<T | null>,
): Promise<T | null> {
  await refuseWhileWaiting(context, subjects);
  const result = await check();
  // concurrent guesses may have failed meanwhile: then the result of this one is not revealed
  await refuseWhileWaiting(context, subjects);
  if (result === null)
    await Promise.all(subjects.map((subject) => context.counters.countFailure(subject)));
  return result;
}

/** Clears the failures of an account. */
export async function clearSignInFailures(
  { counters }: Pick<AccountContext, 'counters'>,
  email: string,
): Promise<void> {
  await counters.clearFailures(accountSubject(email));
}

/**
 * Limits the requests of a remote address without a sign-in, and those of its larger network.
 * @param what the kind of request
 * @throws GatewayError `too_many_requests`
 */
export async function limitRequests(
  { counters }: Pick<AccountContext, 'counters'>,
  what: string,
  from: string,
  maxRequests = maxPerMinute,
): Promise<void> {
  const { address, network } = remoteAddress(from);
  const limits: Record<string, number> = { [`${what}:from:${address}`]: maxRequests };
  if (network !== address) limits[`${what}:from:${network}`] = maxRequests * networkShare;
  const waitMs = await countOne(counters, limits);
  if (waitMs !== null) throw tooMany(waitMs);
}

/**
 * Counts one request for each subject, or for none.
 * @param limits requests a minute, by subject
 * @returns for how many ms the request has to wait; null: it was counted
 */
async function countOne(
  counters: Pick<AccountContext['counters'], 'reserve'>,
  limits: Readonly<Record<string, number>>,
): Promise<number | null> {
  const charges = Object.entries(limits).map(([subject, limit]): LimitCharge => ({
    subject,
    measure: 'requests',
    limit,
    amount: 1,
  }));
  const result = await counters.reserve(charges);
  if (result.outcome === 'refused') return result.retryAfterMs;
  if (result.outcome === 'granted') result.reservation.settle(charges.map(() => 1));
  return null;
}

/** Counts a mail to an address. False: the address has got too many, and this one must wait. */
export async function mayMail(
  { counters }: Pick<AccountContext, 'counters'>,
  email: string,
): Promise<boolean> {
  const subject = `mail:to:${hashToken(email)}`;
  if ((await counters.loginBackoff(subject)).waitMs > 0) return false;
  await counters.countFailure(subject);
  return true;
}

/** Failed sign-ins of one account that are recorded in a minute, from all addresses together. */
const maxRecordedPerMinute = 10;

/**
 * Whether a failed sign-in may be recorded now, and counts it: one a minute for each account and
 * address, because strangers cause them.
 */
export async function mayRecordFailure(
  { counters }: Pick<AccountContext, 'counters'>,
  accountId: string,
  from: string,
): Promise<boolean> {
  const subject = `recorded:${accountId}`;
  const waitMs = await countOne(counters, {
    [`${subject}:${remoteAddress(from).network}`]: 1,
    [subject]: maxRecordedPerMinute,
  });
  return waitMs === null;
}

async function refuseWhileWaiting(
  { counters }: Pick<AccountContext, 'counters'>,
  subjects: readonly string[],
): Promise<void> {
  const waits = await Promise.all(
    subjects.map(async (subject) => (await counters.loginBackoff(subject)).waitMs),
  );
  const waitMs = Math.max(...waits);
  if (waitMs > 0) throw tooMany(waitMs);
}

const tooMany = (retryAfterMs: number): GatewayError =>
  new GatewayError('too_many_requests', 'too many attempts; Retry-After says when to try again', {
    retryAfterMs,
  });
