import { randomUUID } from 'node:crypto';
import { GatewayError, invalidField } from '../errors.js';
import type { AccountRecord, Role } from '../store/contracts/accounts.js';
import type { Store } from '../store/contracts/store.js';
import { mailAddressOf } from './mail-address.js';
import { issueResetLink, type ResetLink } from './reset-link.js';

/** Of the store, what administration needs. */
export type AccountTables = Pick<Store, 'accounts' | 'signIns'>;

/** How long a link is good, in ms. */
export interface LinkOptions {
  readonly resetMs: number;
}

const notFound = (): GatewayError => invalidField('id', 'not found', 'not_found');

/**
 * Makes an account without a password and a link to choose one, whether sign-up is open or not. The first account is the administrator's.
 * @throws GatewayError `validation_failed` for what is no mail address, `conflict` for one that has an account
 */
export async function createAccount(
  store: AccountTables,
  email: string,
  { resetMs }: LinkOptions,
): Promise<{ account: AccountRecord; link: ResetLink }> {
  const account = await store.accounts.create({
    id: randomUUID(),
    email: mailAddressOf(email),
    passwordHash: null,
    at: Date.now(),
  });
  if (!account)
    throw new GatewayError('conflict', 'email: has an account already', { field: 'email' });
  return { account, link: await issueResetLink(store, account.id, Date.now() + resetMs) };
}

/**
 * A link with which an account's owner chooses a new password.
 * @param emailOrId a mail address where it holds an `@`
 * @throws GatewayError `not_found` for an unknown account, `conflict` for one that is disabled or that nobody has signed up as
 */
export async function resetLink(
  store: AccountTables,
  emailOrId: string,
  { resetMs }: LinkOptions,
): Promise<{ account: AccountRecord; link: ResetLink }> {
  const account = emailOrId.includes('@')
    ? await store.accounts.findByEmail(mailAddressOf(emailOrId))
    : await store.accounts.find(emailOrId);
  if (!account) throw notFound();
  if (account.disabledAt !== null) throw new GatewayError('conflict', 'this account is disabled');
  if (account.email === null)
    throw new GatewayError('conflict', 'nobody has signed up as this account yet');
  return { account, link: await issueResetLink(store, account.id, Date.now() + resetMs) };
}

/** What an administrator may change of an account. */
export interface AccountChanges {
  readonly role?: Role | null;
  readonly disabled?: boolean | null;
}

/**
 * Changes an account's rights, at once for its keys and browsers.
 * @throws GatewayError `not_found`, `conflict` where no administrator would be left
 */
export async function changeAccount(
  store: AccountTables,
  id: string,
  { role, disabled }: AccountChanges,
): Promise<AccountRecord> {
  const before = await store.accounts.find(id);
  if (!before) throw notFound();
  const changes = {
    ...(role ? { role } : {}),
    ...(typeof disabled === 'boolean'
      ? { disabledAt: disabled ? (before.disabledAt ?? Date.now()) : null }
      : {}),
  };
  if (isAdministrator(before) && !isAdministrator({ ...before, ...changes }))
    await giveUpAdministrator(store, before, changes);
  else await store.accounts.update(id, changes);
  if (disabled) await store.signIns.removeAll(id, null);
  return (await store.accounts.find(id)) ?? before;
}

async function giveUpAdministrator(
  store: AccountTables,
  before: AccountRecord,
  changes: Partial<Pick<AccountRecord, 'role' | 'disabledAt'>>,
): Promise<void> {
  const { id, role, disabledAt } = before;
  if (!(await hasAdministrator(store, id))) throw noneLeft();
  await store.accounts.update(id, changes);
  // looked at again: two administrators may take each other's rights at the same time
  if (await hasAdministrator(store, null)) return;
  await store.accounts.update(id, { role, disabledAt });
  throw noneLeft();
}

const noneLeft = (): GatewayError => new GatewayError('conflict', 'this is the last administrator');

const isAdministrator = ({
  role,
  disabledAt,
}: Pick<AccountRecord, 'role' | 'disabledAt'>): boolean => role === 'admin' && disabledAt === null;

async function hasAdministrator(
  { accounts }: AccountTables,
  except: string | null,
): Promise<boolean> {
  let cursor: string | null = null;
  do {
    const page = await accounts.list({ limit: 100, cursor });
    if (page.items.some((account) => account.id !== except && isAdministrator(account)))
      return true;
    cursor = page.next;
  } while (cursor !== null);
  return false;
}
