import { GatewayError } from '../errors.js';
import type { AccountRecord, SignInRecord } from '../store/contracts/accounts.js';
import { attempt, type Tried } from './sign-in-failures.js';
import type { AccountContext } from './account-context.js';
import { hashToken, newToken } from './tokens.js';

/** What somebody signs in with. */
export interface Credentials extends Tried {
  readonly password: string;
}

/** A browser that has signed in just now. */
export interface SignedIn {
  readonly account: AccountRecord;
  readonly signIn: SignInRecord;
  /** For the browser's cookie; kept nowhere but by its hash. */
  readonly token: string;
}

const refused = (): GatewayError =>
  new GatewayError('unauthorized', 'the mail address or the password is wrong');

/**
 * Signs a browser in, with a token that nobody had before.
 * @param email as `mailAddressOf` gives it
 * @throws GatewayError `unauthorized` for a wrong password, an unknown address and a disabled account alike, `too_many_requests`
 */
export async function signIn(
  desk: AccountContext,
  { email, password, from }: Credentials,
): Promise<SignedIn> {
  const found = await attempt(desk, { email, from }, () => checkPassword(desk, email, password));
  if (!found) throw refused();
  const signedIn = await begin(desk, found.account);
  if (found.isOutdated)
    await desk.store.accounts.update(
      found.account.id,
      { passwordHash: await desk.passwords.hash(password) },
      found.account.passwordHash ?? '',
    );
  return signedIn;
}

/** Ends a browser's sign-in; one that has ended already is no matter. */
export async function signOut(
  { store }: Pick<AccountContext, 'store'>,
  token: string,
): Promise<void> {
  await store.signIns.remove(hashToken(token));
}

async function checkPassword(
  { store, passwords }: AccountContext,
  email: string,
  password: string,
): Promise<{ account: AccountRecord; isOutdated: boolean } | null> {
  const account = await store.accounts.findByEmail(email);
  const { matches, isOutdated } = await passwords.check(password, account?.passwordHash ?? null);
  return account && account.disabledAt === null && matches ? { account, isOutdated } : null;
}

async function begin(
  { store, rules, now }: AccountContext,
  account: AccountRecord,
): Promise<SignedIn> {
  const token = newToken();
  const signIn = {
    tokenHash: hashToken(token),
    accountId: account.id,
    csrfToken: newToken(),
    createdAt: now(),
    expiresAt: now() + rules.signInMs,
  };
  // whoever changed the password or disabled the account while it was checked has ended all sign-ins but this one
  if (await store.signIns.add(signIn, account.passwordHash ?? ''))
    return { account, signIn, token };
  throw refused();
}
