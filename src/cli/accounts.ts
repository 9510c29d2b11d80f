import {
  changeAccount,
  createAccount,
  findAccount,
  isMailAddress,
  resetLink,
} from '../accounts/administration.js';
import { issueClaimCode } from '../accounts/claim.js';
import { resetUrl } from '../accounts/reset-link.js';
import type { Config } from '../config/config.js';
import {
  type AccountRecord,
  type AccountRole,
  firstAccountId,
} from '../store/contracts/accounts.js';
import type { Store } from '../store/contracts/store.js';
import { everyPage } from '../store/every-page.js';
import { recordAct } from './record-act.js';
import { tableOf } from './table.js';
import { actOnAccount } from '../accounts/write-act.js';

type Link = Awaited<ReturnType<typeof resetLink>>['link'];

/** What `signalbox accounts create` is given. */
export interface AccountOptions {
  readonly email: string;
  readonly role: AccountRole;
}

/** `signalbox accounts list`: one line for each account, newest first. */
export async function listAccountsCommand(store: Store): Promise<string> {
  const rows: string[][] = [];
  for await (const { id, email, role, createdAt, disabledAt } of everyPage((page) =>
    store.accounts.list(page),
  ))
    rows.push([
      id,
      email ?? (id === firstAccountId ? '(first account)' : ''),
      role,
      disabledAt === null ? 'active' : 'disabled',
      new Date(createdAt).toISOString().slice(0, 10),
    ]);
  return tableOf(['id', 'mail', 'role', 'state', 'created'], rows);
}

/**
 * `signalbox accounts create <mail address>`: creates an account and prints a link that sets its
 * password.
 */
export async function createAccountCommand(
  store: Store,
  { email, role }: AccountOptions,
  config: Config,
): Promise<string> {
  const { resetMs } = config.auth;
  const { account, link } = await createAccount(store, { email, role }, { resetMs });
  const details = { email: account.email, role: account.role };
  await recordAct(store, actOnAccount('account.create', account.id, details));
  return `${account.role === 'admin' ? 'administrator' : 'account'} ${account.email ?? ''}\n${linkLines(link, config)}`;
}

/** `signalbox accounts claim-code`: prints a new code that claims the gateway, once. */
export async function claimCodeCommand(store: Store): Promise<string> {
  const code = await issueClaimCode(store);
  await recordAct(store, actOnAccount('account.claim-code', firstAccountId));
  return `${code}\nwhoever enters it on the dashboard's page /claim becomes the administrator, once; or POST /api/v1/auth/claim with {"code", "email", "password"}\n`;
}

/** `signalbox accounts reset <mail address or id>`: prints a link that sets a new password. */
export async function resetAccountCommand(
  store: Store,
  named: string,
  config: Config,
): Promise<string> {
  const { id } = await accountNamed(store, named);
  const { account, link } = await resetLink(store, id, { resetMs: config.auth.resetMs });
  await recordAct(store, actOnAccount('account.reset-link', id));
  return `account ${account.email ?? account.id}\n${linkLines(link, config)}`;
}

/** What `signalbox accounts disable`, `enable`, `promote` and `demote` change. */
export const accountChanges = {
  disable: { disabled: true },
  enable: { disabled: false },
  // lets an administrator in who locked themselves out
  promote: { role: 'admin', disabled: false },
  demote: { role: 'member' },
} as const;

/** Changes an account's rights, with effect on running gateways within a second. */
export async function changeAccountCommand(
  store: Store,
  named: string,
  change: keyof typeof accountChanges,
): Promise<string> {
  const { id } = await accountNamed(store, named);
  const { email, role, disabledAt } = await changeAccount(store, id, accountChanges[change]);
  await recordAct(store, actOnAccount('account.change', id, accountChanges[change]));
  return `${email ?? id}: ${role === 'admin' ? 'administrator' : 'member'}, ${disabledAt === null ? 'active' : 'disabled'}\n`;
}

/** @throws Error if there is no account with this mail address or id */
export async function accountNamed(store: Store, named: string): Promise<AccountRecord> {
  const account = await findAccount(store, named, 'the account');
  if (!account)
    throw new Error(
      `no account has the ${isMailAddress(named) ? 'mail address' : 'id'} ${named}; "signalbox accounts list" shows all`,
    );
  return account;
}

function linkLines({ token, expiresAt }: Link, { publicUrl, listen }: Config): string {
  const localUrl = `http://${listen.host}:${listen.port}`;
  return `${resetUrl(publicUrl ?? localUrl, token)}\nvalid once, until ${new Date(expiresAt).toISOString()}\n`;
}
