import { GatewayError, invalidField } from '../errors.js';
import type { AccountRecord } from '../store/contracts/accounts.js';
import {
  checkCredentials,
  clearSignInFailures,
  limitRequests,
  mayMail,
} from './sign-in-failures.js';
import { type AccountContext, runLater } from './account-context.js';
import { mailAddressOf } from './mail-address.js';
import { issueResetLink, resetMail } from './reset-link.js';
import { checkNewPassword } from './passwords.js';
import { hashToken } from './tokens.js';
import { actOnAccount } from './write-act.js';

/**
 * Mails a link to the address if it has an account, without revealing whether it has.
 * @throws GatewayError `validation_failed`, `too_many_requests`
 */
export async function requestReset(
  context: AccountContext,
  { email, from }: { email: string; from: string },
): Promise<void> {
  const address = mailAddressOf(email);
  await limitRequests(context, 'reset', from);
  if (context.rules.mailer)
    runLater(context, 'the mail for a new password', () => sendReset(context, address));
}

async function sendReset(context: AccountContext, address: string): Promise<void> {
  const { store, rules } = context;
  const account = await store.accounts.findByEmail(address);
  // the account's address, not the spelling in the request
  if (!account?.email || account.disabledAt !== null || !(await mayMail(context, account.email)))
    return;
  const link = await issueResetLink(store, account.id, context.now() + rules.resetMs);
  await rules.mailer?.send(resetMail(account.email, rules.publicUrl, link));
  await context.record(actOnAccount('account.reset-link', account.id, { sentBy: 'mail' }));
}

/**
 * Sets a new password with a link's token, once, and ends all sign-ins and links of the account.
 * @throws GatewayError `validation_failed` for a token that was used, has expired or is unknown,
 * `too_many_requests`
 */
export async function completeReset(
  context: AccountContext,
  { token, password, from }: { token: string; password: string; from: string },
): Promise<void> {
  const { store, passwords } = context;
  checkNewPassword(password);
  await limitRequests(context, 'reset', from);
  // before the token is used up, because hashing may fail while too many wait
  const passwordHash = await passwords.hash(password, { from });
  const accountId = await store.signIns.takeReset(hashToken(token), context.now());
  const account = accountId === null ? null : await store.accounts.find(accountId);
  if (!account || account.disabledAt !== null)
    throw invalidField('token', 'has been used, has expired or was never issued');
  await store.accounts.setPassword(account.id, passwordHash);
  if (account.email !== null) await clearSignInFailures(context, account.email);
  await recordPassword(context, account, { with: 'link' });
}

const recordPassword = (
  { record }: AccountContext,
  account: AccountRecord,
  details: { readonly with: 'link' | 'password' },
): Promise<void> => record(actOnAccount('account.password', account.id, details), account);

/** A change of password. */
export interface PasswordChange {
  readonly accountId: string;
  readonly currentPassword: string;
  readonly newPassword: string;
  /** The sign-in that stays valid; null: none. */
  readonly keepTokenHash: string | null;
  readonly from: string;
  /** As in a sign-in. */
  readonly browser?: string | null;
}

/**
 * Changes a password, and ends the account's other sign-ins and its reset links.
 * @throws GatewayError `forbidden` if the current password is wrong or there is none,
 * `validation_failed`, `too_many_requests`
 */
export async function changePassword(
  context: AccountContext,
  { accountId, currentPassword, newPassword, keepTokenHash, from, browser = null }: PasswordChange,
): Promise<void> {
  const { store, passwords } = context;
  const account = await store.accounts.find(accountId);
  if (!account?.email) throw new GatewayError('forbidden', 'this account has no password');
  checkNewPassword(newPassword, 'newPassword');
  const { email, passwordHash } = account;
  const checked = await checkCredentials(context, { from, email, browser }, async (sender) =>
    (await passwords.check(currentPassword, passwordHash, sender)).matches ? passwordHash : null,
  );
  const hashed = () => passwords.hash(newPassword, { from, isTrusted: true }, 'newPassword');
  const isChanged =
    checked !== null &&
    // false if a link has set another password meanwhile
    (await store.accounts.setPassword(accountId, await hashed(), { from: checked, keepTokenHash }));
  if (!isChanged)
    throw new GatewayError('forbidden', 'currentPassword: is wrong', { field: 'currentPassword' });
  await recordPassword(context, account, { with: 'password' });
}
