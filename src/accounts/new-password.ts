import { GatewayError, invalidField } from '../errors.js';
import { attempt, countRequest, forgive, mayWriteTo } from './sign-in-failures.js';
import { type AccountContext, later, sendMail } from './account-context.js';
import { mailAddressOf } from './mail-address.js';
import { resetMail } from './mails.js';
import { checkNewPassword } from './passwords.js';
import { issueResetLink } from './reset-link.js';
import { hashToken } from './tokens.js';

/** Sends a link to an address that has an account, and says nothing of whether it has. @throws GatewayError `validation_failed`, `too_many_requests` */
export async function requestReset(
  desk: AccountContext,
  { email, from }: { email: string; from: string },
): Promise<void> {
  const address = mailAddressOf(email);
  await countRequest(desk, 'reset', from);
  if (desk.rules.mailer) later(desk, 'a reset by mail', () => sendReset(desk, address));
}

async function sendReset(desk: AccountContext, address: string): Promise<void> {
  const { store, rules } = desk;
  const account = await store.accounts.findByEmail(address);
  // the account's own address, not the asker's spelling of it
  if (!account?.email || account.disabledAt !== null || !(await mayWriteTo(desk, account.email)))
    return;
  await sendMail(
    desk,
    resetMail(
      account.email,
      rules.publicUrl,
      await issueResetLink(store, account.id, desk.now() + rules.resetMs),
    ),
  );
}

/**
 * Sets a new password with a link's token, once, and ends every sign-in and link of the account.
 * @throws GatewayError `validation_failed` for a token that is used, expired or unknown, `too_many_requests`
 */
export async function completeReset(
  desk: AccountContext,
  { token, password, from }: { token: string; password: string; from: string },
): Promise<void> {
  const { store, passwords } = desk;
  checkNewPassword(password);
  await countRequest(desk, 'reset', from);
  // before the token is spent: this may be refused for the moment
  const passwordHash = await passwords.hash(password);
  const accountId = await store.signIns.takeReset(hashToken(token), desk.now());
  const account = accountId === null ? null : await store.accounts.find(accountId);
  if (!account || account.disabledAt !== null)
    throw invalidField('token', 'has been used, has expired or was never issued');
  await store.accounts.setPassword(account.id, passwordHash);
  if (account.email !== null) await forgive(desk, account.email);
}

/** Who changes a password, and from where. */
export interface PasswordChange {
  readonly accountId: string;
  readonly currentPassword: string;
  readonly newPassword: string;
  /** The sign-in that goes on; null: none does. */
  readonly keepTokenHash: string | null;
  readonly from: string;
}

/**
 * Changes a password that is known, and ends the account's other sign-ins and its reset links.
 * @throws GatewayError `forbidden` where the current one is wrong or there is none, `validation_failed`, `too_many_requests`
 */
export async function changePassword(
  desk: AccountContext,
  { accountId, currentPassword, newPassword, keepTokenHash, from }: PasswordChange,
): Promise<void> {
  const { store, passwords } = desk;
  const account = await store.accounts.find(accountId);
  if (!account?.email) throw new GatewayError('forbidden', 'this account has no password');
  checkNewPassword(newPassword, 'newPassword');
  const { email, passwordHash } = account;
  const checked = await attempt(desk, { from, email }, async () =>
    (await passwords.check(currentPassword, passwordHash)).matches ? passwordHash : null,
  );
  // meanwhile a link may have set another one: then what was checked is not the current one any more
  if (
    checked === null ||
    !(await store.accounts.setPassword(
      accountId,
      await passwords.hash(newPassword, 'newPassword'),
      { from: checked, keepTokenHash },
    ))
  ) {
    throw new GatewayError('forbidden', 'currentPassword: is wrong', { field: 'currentPassword' });
  }
}
