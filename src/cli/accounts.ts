import {
  changeAccount,
  createAccount,
  findAccount,
  resetLink,
} from '../accounts/administration.js';
import { issueClaimCode } from '../accounts/claim.js';
import { resetUrl } from '../accounts/reset-link.js';
import type { Config } from '../config/config.js';
import type { Store } from '../store/contracts/store.js';

type Link = Awaited<ReturnType<typeof resetLink>>['link'];

/** What `signalbox accounts create` is given. */
export interface AccountOptions {
  readonly email: string | undefined;
  /** `admin` or `member`, which is the default. */
  readonly role: string | undefined;
}

/**
 * `signalbox accounts create <mail address>`: creates an account and prints a link that sets its
 * password.
 */
export async function createAccountCommand(
  store: Store,
  { email, role = 'member' }: AccountOptions,
  config: Config,
): Promise<string> {
  if (!email) throw new Error('accounts create: the mail address is missing');
  if (role !== 'admin' && role !== 'member') throw new Error('--role: must be admin or member');
  const { resetMs } = config.auth;
  const { account, link } = await createAccount(store, { email, role }, { resetMs });
  return `${account.role === 'admin' ? 'administrator' : 'account'} ${account.email ?? ''}\n${linkLines(link, config)}`;
}

/**
 * `signalbox accounts promote <mail address or id>`: makes an account an administrator that is not
 * disabled; running gateways notice it within a second.
 */
export async function promoteAccountCommand(
  store: Store,
  named: string | undefined,
): Promise<string> {
  if (!named) throw new Error('accounts promote: the mail address is missing');
  const { id } = await findAccount(store, named);
  const { email } = await changeAccount(store, id, { role: 'admin', disabled: false });
  return `administrator ${email ?? id}\n`;
}

/** `signalbox accounts claim-code`: prints a new code that claims the gateway, once. */
export async function claimCodeCommand(store: Store): Promise<string> {
  const code = await issueClaimCode(store);
  return `${code}\nPOST /api/v1/auth/claim with {"code", "email", "password"} makes its sender the administrator, once\n`;
}

/** `signalbox accounts reset <mail address or id>`: prints a link that sets a new password. */
export async function resetAccountCommand(
  store: Store,
  named: string | undefined,
  config: Config,
): Promise<string> {
  if (!named) throw new Error('accounts reset: the mail address is missing');
  const { account, link } = await resetLink(store, named, { resetMs: config.auth.resetMs });
  return `account ${account.email ?? account.id}\n${linkLines(link, config)}`;
}

function linkLines({ token, expiresAt }: Link, { publicUrl, listen }: Config): string {
  const localUrl = `http://${listen.host}:${listen.port}`;
  return `${resetUrl(publicUrl ?? localUrl, token)}\nvalid once, until ${new Date(expiresAt).toISOString()}\n`;
}
