import type { Page, PageRequest } from './store.js';

/** Rights of an account: an administrator may see and change other accounts. */
export type Role = 'admin' | 'member';

/** The account that is there from the start. It owns the first key; the first person who signs up becomes it, and so the administrator. */
export const firstAccountId = '00000000-0000-4000-8000-000000000001';

/** Somebody who owns keys, conversations and preferences. */
export interface AccountRecord {
  readonly id: string;
  /** Lower case; null for the first account until somebody has signed up. */
  readonly email: string | null;
  /** As argon2 writes it; null: nobody can sign in. */
  readonly passwordHash: string | null;
  readonly role: Role;
  readonly createdAt: number;
  /** Since when it may neither sign in nor use its keys. */
  readonly disabledAt: number | null;
}

export interface NewAccount {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly at: number;
}

/** Accounts. */
export interface AccountStore {
  /** Null where the address is taken. The first one to come takes over the first account, whatever `id` says, and is its administrator. */
  create(account: NewAccount): Promise<AccountRecord | null>;
  find(id: string): Promise<AccountRecord | null>;
  findByEmail(email: string): Promise<AccountRecord | null>;
  list(page: PageRequest): Promise<Page<AccountRecord>>;
  /**
   * Null where there is no such account. Disabling one also tells the caches of its keys.
   * @param from nothing is changed, and null is the answer, unless this is still the password's hash
   */
  update(
    id: string,
    changes: Partial<Pick<AccountRecord, 'email' | 'passwordHash' | 'role' | 'disabledAt'>>,
    from?: string,
  ): Promise<AccountRecord | null>;
  /**
   * Sets a password and ends, in the same step, all that was opened with the one before: sign-ins but one, and reset links.
   * @returns false where nothing was changed: there is no such account, or `from` is not its password's hash any more
   */
  setPassword(id: string, passwordHash: string, options?: PasswordOptions): Promise<boolean>;
}

/** What a password is set for. */
export interface PasswordOptions {
  /** Absent: whatever the password was. */
  readonly from?: string;
  /** The sign-in that goes on; absent or null: none does. */
  readonly keepTokenHash?: string | null;
}

/** A browser that has signed in. */
export interface SignInRecord {
  /** sha256 of the cookie's token, hex. */
  readonly tokenHash: string;
  readonly accountId: string;
  /** What the browser's scripts send back with every change. */
  readonly csrfToken: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A link that sets a new password, once. */
export interface ResetRecord {
  /** sha256 of the link's token, hex. */
  readonly tokenHash: string;
  readonly accountId: string;
  readonly expiresAt: number;
}

/** Browsers that have signed in, and reset links. Expired ones are not found. */
export interface SignInStore {
  /** False, and nothing is added, where the account is disabled or its password is another by now. @param passwordHash what was checked */
  add(signIn: SignInRecord, passwordHash: string): Promise<boolean>;
  find(
    tokenHash: string,
    now: number,
  ): Promise<{ signIn: SignInRecord; account: AccountRecord } | null>;
  remove(tokenHash: string): Promise<void>;
  /** Ends all of an account's but one, and its reset links. */
  removeAll(accountId: string, exceptTokenHash: string | null): Promise<void>;
  addReset(reset: ResetRecord): Promise<void>;
  /** Whose link it is, null for one that is used, expired or unknown; it cannot be used again. Other links of that account end too. */
  takeReset(tokenHash: string, now: number): Promise<string | null>;
}
