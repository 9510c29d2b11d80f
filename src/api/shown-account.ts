import type { AccountRecord, AccountRole } from '../store/contracts/accounts.js';
import type { KeyLimits } from '../store/contracts/key-limits.js';
import { isoOrNull } from './page-request.js';

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
