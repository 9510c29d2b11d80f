import { randomUUID } from 'node:crypto';
import { GatewayError, invalidField } from '../errors.js';
import {
  type AccountRecord,
  type AccountRole,
  type AccountUpdate,
  type KeyLimits,
  noLimits,
} from '../store/contracts/accounts.js';
import { everyPage } from '../store/contracts/page.js';
import type { Store } from '../store/contracts/store.js';
import { mailAddressOf } from './mail-address.js';
import { issueResetLink, type ResetLink } from './reset-link.js';

export type AccountTables = Pick<Store, 'accounts' | 'signIns'>;

/** Whom an administrator invites. */
export interface Invitation {
  readonly email: string;
  /** Default: `member`. */
  readonly role?: AccountRole | null;
}

/** For accounts that do not exist, or that the caller may not know of. */
export const accountNotFound = (): GatewayError => invalidField('id', 'not found', 'not_found');

/**
 * Creates an account without a password and without limits, and a link to set the password, even if
 * sign-up is closed.
 * @param resetMs how long the link is valid
 * @throws GatewayError `validation_failed` for an invalid mail address, `conflict` if the address
 * has an account
 */
export async function createAccount(
  store: AccountTables,
  { email, role }: Invitation,
  resetMs: number,
): Promise<{ account: AccountRecord; link: ResetLink }> {
  const account = await store.accounts.create({
    id: randomUUID(),
    email: mailAddressOf(email),
    passwordHash: null,
    at: Date.now(),
    role: role ?? 'member',
  });
  if (!account)
    throw new GatewayError('conflict', 'email: already has an account', { field: 'email' });
  return { account, link: await issueResetLink(store, account.id, Date.now() + resetMs) };
}

/** Whether an account is named by its mail address: ids have no `@`. */
export const isMailAddress = (emailOrId: string): boolean => emailOrId.includes('@');

/**
 * An account by its mail address or id; null if there is none.
 * @param field what an error calls the mail address
 * @throws GatewayError `validation_failed` for an invalid mail address
 */
export const findAccount = async (
  { accounts }: Pick<AccountTables, 'accounts'>,
  emailOrId: string,
  field = 'email',
): Promise<AccountRecord | null> =>
  isMailAddress(emailOrId)
    ? accounts.findByEmail(mailAddressOf(emailOrId, field))
    : accounts.find(emailOrId);

/**
 * Issues a link with which the owner of an account sets a new password.
 * @throws GatewayError `not_found` for an unknown account, `conflict` if it is disabled or has no
 * owner
 */
export async function resetLink(
  store: AccountTables,
  emailOrId: string,
  resetMs: number,
): Promise<{ account: AccountRecord; link: ResetLink }> {
  const account = await findAccount(store, emailOrId);
  if (!account) throw accountNotFound();
  if (account.disabledAt !== null) throw new GatewayError('conflict', 'this account is disabled');
  if (account.email === null)
    throw new GatewayError(
      'conflict',
      'this account has no owner: the gateway has not been claimed',
    );
  return { account, link: await issueResetLink(store, account.id, Date.now() + resetMs) };
}

/** The changes that an administrator may make to an account. Null leaves a role or state. */
export interface AccountChanges {
  readonly role?: AccountRole | null;
  readonly disabled?: boolean | null;
  /** Only the given limits change. Null: none of the account's limits stays. */
  readonly limits?: Partial<KeyLimits> | null;
}

/**
 * Changes an account's rights and limits, with effect on its keys and browsers within a second.
 * @throws GatewayError `not_found`, `conflict` if no administrator would be left
 */
export async function changeAccount(
  store: AccountTables,
  id: string,
  { role, disabled, limits }: AccountChanges,
): Promise<AccountRecord> {
  const before = await store.accounts.find(id);
  if (!before) throw accountNotFound();
  const changes = {
    ...(role ? { role } : {}),
    ...(limits === undefined ? {} : { limits: limits ?? noLimits }),
    ...(typeof disabled === 'boolean'
      ? { disabledAt: disabled ? (before.disabledAt ?? Date.now()) : null }
      : {}),
  };
  if (isAdministrator(before) && !isAdministrator({ ...before, ...changes }))
    await removeAdministrator(store, before, changes);
  else await store.accounts.update(id, changes);
  if (disabled) await store.signIns.removeAll(id, null);
  return (await store.accounts.find(id)) ?? before;
}

async function removeAdministrator(
  store: AccountTables,
  before: AccountRecord,
  changes: AccountUpdate,
): Promise<void> {
  const { id, role, disabledAt } = before;
  if (!(await hasAdministrator(store, id))) throw lastAdministrator();
  await store.accounts.update(id, changes);
  // checked again, because two administrators may remove each other's rights at the same time
  if (await hasAdministrator(store, null)) return;
  await store.accounts.update(id, { role, disabledAt });
  throw lastAdministrator();
}

const lastAdministrator = (): GatewayError =>
  new GatewayError('conflict', 'this is the last administrator');

const isAdministrator = ({
  role,
  disabledAt,
}: Pick<AccountRecord, 'role' | 'disabledAt'>): boolean => role === 'admin' && disabledAt === null;

async function hasAdministrator(
  { accounts }: AccountTables,
  except: string | null,
): Promise<boolean> {
  for await (const account of everyPage((page) => accounts.list(page)))
    if (account.id !== except && isAdministrator(account)) return true;
  return false;
}
