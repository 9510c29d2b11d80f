import { type AccountChanges, changeAccount, accountNotFound } from '../accounts/administration.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { AccountRecord, AccountRole } from '../store/contracts/accounts.js';
import type { KeyLimits } from '../store/contracts/key-limits.js';
import type { PageRequest } from '../store/contracts/page.js';
import type { ApiContext } from './api-context.js';
import { isoOrNull, type List, listOf } from './page-request.js';
import { actOnAccount } from '../accounts/write-act.js';

/** An account as the API returns it, without its password hash. */
export interface Account {
  readonly id: string;
  /** Null for the first account until a person has claimed it. */
  readonly email: string | null;
  readonly role: AccountRole;
  /** ISO 8601; null for the account of a key in the configuration. */
  readonly createdAt: string | null;
  /** Since when it may neither sign in nor use its keys; null: it may. */
  readonly disabledAt: string | null;
  /** Bound all keys of the account together. */
  readonly limits: KeyLimits;
}

/**
 * An account as the API returns it, without its password hash. The account of a key in the
 * configuration has no creation date.
 */
export function shownAccount({
  id,
  email,
  role,
  createdAt,
  disabledAt,
  limits,
}: Omit<AccountRecord, 'passwordHash' | 'createdAt'> & { createdAt: number | null }): Account {
  return {
    id,
    email,
    role,
    createdAt: isoOrNull(createdAt),
    disabledAt: isoOrNull(disabledAt),
    limits,
  };
}

/** A page of the accounts, newest first. */
export async function pageOfAccounts(
  { state }: GatewayParts,
  page: PageRequest,
): Promise<List<Account>> {
  const { store } = await state.opened();
  return listOf(await store.accounts.list(page), shownAccount);
}

/**
 * Changes an account's rights and limits, with effect on its keys and browsers within a second.
 * @throws GatewayError `not_found`, `conflict` if no administrator would be left
 */
export async function modifyAccount(
  { parts, record }: ApiContext,
  id: string,
  changes: AccountChanges,
): Promise<Account> {
  const { store } = await parts.state.opened();
  const account = await changeAccount(store, id, changes);
  await parts.state.keys.accountChanged();
  await record(actOnAccount('account.change', id, changes));
  return shownAccount(account);
}

/** One account. @throws GatewayError `not_found` */
export async function oneAccount({ state }: GatewayParts, id: string): Promise<Account> {
  const { store } = await state.opened();
  const account = await store.accounts.find(id);
  if (!account) throw accountNotFound();
  return shownAccount(account);
}
