import { GatewayError } from '../errors.js';
import type { AccountRecord, SignInRecord } from '../store/contracts/accounts.js';
import { checkCredentials, mayRecordFailure, type SignInAttempt } from './sign-in-failures.js';
import { type AccountContext, runLater } from './account-context.js';
import { knownBrowserToken } from './known-browser.js';
import { hashToken, newToken } from './tokens.js';
import { actOnAccount } from './write-act.js';

/** What a user signs in with. */
export interface Credentials extends SignInAttempt {
  readonly password: string;
}

/** A new sign-in of a browser. */
export interface SignedIn {
  readonly account: AccountRecord;
  readonly signIn: SignInRecord;
  /** For the browser's cookie; only its hash is stored. */
  readonly token: string;
  /** Shows at later sign-ins that the browser has signed in to this account before. */
  readonly browserToken: string;
}

const refused = (): GatewayError =>
  new GatewayError('unauthorized', 'the mail address or the password is wrong');

/**
 * Signs a browser in with a new token.
 * @param email as `mailAddressOf` returns it
 * @throws GatewayError `unauthorized` for a wrong password, an unknown address and a disabled
 * account alike, `too_many_requests`
 */
export async function signIn(
  context: AccountContext,
  { email, password, from, browser = null }: Credentials,
): Promise<SignedIn> {
  const { store, passwords } = context;
  const found = await checkCredentials(context, { email, from, browser }, async (sender) => {
    const account = await store.accounts.findByEmail(email);
    const stored = account?.passwordHash ?? null;
    const { matches, isOutdated } = await passwords.check(password, stored, sender);
    return account && account.disabledAt === null && matches ? { account, isOutdated } : null;
  });
  if (!found) {
    // later: the time of the answer reveals nothing
    runLater(context, 'the record of a failed sign-in', async () => {
      const account = await context.store.accounts.findByEmail(email);
      if (account?.role !== 'admin' || !(await mayRecordFailure(context, account.id, from))) return;
      await context.record(actOnAccount('account.sign-in-failed', account.id));
    });
    throw refused();
  }
  const signedIn = await begin(context, found.account);
  if (found.isOutdated)
    await store.accounts.update(
      found.account.id,
      { passwordHash: await passwords.hash(password, { from, isTrusted: true }) },
      found.account.passwordHash ?? '',
    );
  const { id, role } = found.account;
  if (role === 'admin') await context.record(actOnAccount('account.sign-in', id), found.account);
  return { ...signedIn, browserToken: await knownBrowserToken(context, { email, browser }) };
}

/** Ends a browser's sign-in, if it has not ended already. */
export async function signOut(
  { store }: Pick<AccountContext, 'store'>,
  token: string,
): Promise<void> {
  await store.signIns.remove(hashToken(token));
}

/** Ends all sign-ins of an account, and its links to set a password. */
export async function signOutEverywhere(
  { store, record }: AccountContext,
  accountId: string,
): Promise<void> {
  await store.signIns.removeAll(accountId, null);
  await record(actOnAccount('account.sign-out', accountId, { everywhere: true }));
}

async function begin(
  { store, rules, now }: AccountContext,
  account: AccountRecord,
): Promise<Omit<SignedIn, 'browserToken'>> {
  const token = newToken();
  const signIn = {
    tokenHash: hashToken(token),
    accountId: account.id,
    csrfToken: newToken(),
    createdAt: now(),
    expiresAt: now() + rules.signInMs,
  };
  // false if the password was changed or the account disabled meanwhile, which ended all sign-ins
  // before this one
  if (await store.signIns.add(signIn, account.passwordHash ?? ''))
    return { account, signIn, token };
  throw refused();
}
