import { createAccount, resetLink } from '../accounts/administration.js';
import { resetUrl } from '../accounts/reset-link.js';
import type { Config } from '../config/config.js';
import type { Store } from '../store/contracts/store.js';

type Link = Awaited<ReturnType<typeof resetLink>>['link'];

/**
 * `signalbox accounts create <mail address>`: creates an account and prints a link that sets its
 * password.
 */
export async function createAccountCommand(
  store: Store,
  email: string | undefined,
  config: Config,
): Promise<string> {
  if (!email) throw new Error('accounts create: the mail address is missing');
  const { account, link } = await createAccount(store, email, { resetMs: config.auth.resetMs });
  return `${account.role === 'admin' ? 'administrator' : 'account'} ${account.email ?? ''}\n${linkLines(link, config)}`;
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
