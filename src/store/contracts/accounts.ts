import type { Page, PageRequest } from './page.js';

/** The limits of one key, or of an account: of all its keys together. Null: none. */
export interface KeyLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** USD per UTC day and per UTC month. */
  readonly dayBudgetUsd: number | null;
  readonly monthBudgetUsd: number | null;
}

/** No limits. */
export const noLimits: KeyLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  dayBudgetUsd: null,
  monthBudgetUsd: null,
};

/** The rights of an account: an administrator may see and change other accounts. */
export type AccountRole = 'admin' | 'member';

/**
 * The account that exists from the start, an administrator. It owns the first key, and has no owner
 * until a person claims it.
 */
export const firstAccountId = '00000000-0000-4000-8000-000000000001';

/** An owner of keys, conversations and preferences. */
export interface AccountRecord {
  readonly id: string;
  /** Lower case; null for the first account until a person has claimed it. */
  readonly email: string | null;
  /** In argon2's format; null: no sign-in is possible. */
  readonly passwordHash: string | null;
  readonly role: AccountRole;
  readonly createdAt: number;
  /** Since when it may neither sign in nor use its keys; null: it may. */
  readonly disabledAt: number | null;
  /** Bound the sum of its keys. */
  readonly limits: KeyLimits;
}

/** The changes of an account; of its limits too, only what is given changes. */
export type AccountUpdate = Partial<
  Pick<AccountRecord, 'email' | 'passwordHash' | 'role' | 'disabledAt'> & {
    readonly limits: Partial<KeyLimits>;
  }
>;

export interface NewAccount {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly at: number;
  /** Default: `member`. */
  readonly role?: AccountRole;
  /** Default: none. */
  readonly limits?: KeyLimits;
}

export interface AccountStore {
  /** Null if the address is taken. */
  create(account: NewAccount): Promise<AccountRecord | null>;
  find(id: string): Promise<AccountRecord | null>;
  findByEmail(email: string): Promise<AccountRecord | null>;
  list(page: PageRequest): Promise<Page<AccountRecord>>;
  /**
   * Null if there is no such account. A change of `role`, `disabledAt` or `limits` also updates
   * cached keys.
   * @param from if given: changes nothing and returns null unless this is still the password's hash
   */
  update(id: string, changes: AccountUpdate, from?: string): Promise<AccountRecord | null>;
  /**
   * Sets a password, and atomically ends the account's sign-ins except one, and its reset links.
   * @returns false if nothing was changed: there is no such account, or `from` is no longer its
   * password's hash
   */
  setPassword(id: string, passwordHash: string, options?: PasswordOptions): Promise<boolean>;
}

/** Options of a password change. */
export interface PasswordOptions {
  /** The hash that the password must still have; absent: any. */
  readonly from?: string;
  /** The sign-in that stays valid; absent or null: none. */
  readonly keepTokenHash?: string | null;
}

/** A signed-in browser. */
export interface SignInRecord {
  /** sha256 of the cookie's token, hex. */
  readonly tokenHash: string;
  readonly accountId: string;
  /** The browser's scripts send it with every change. */
  readonly csrfToken: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A link that sets a new password once. */
export interface ResetRecord {
  /** sha256 of the link's token, hex. */
  readonly tokenHash: string;
  readonly accountId: string;
  readonly expiresAt: number;
}

/** Sign-ins and reset links. Expired ones are not found. */
export interface SignInStore {
  /**
   * False, and adds nothing, if the account is disabled or its password has changed.
   * @param passwordHash the hash that was checked
   */
  add(signIn: SignInRecord, passwordHash: string): Promise<boolean>;
  find(
    tokenHash: string,
    now: number,
  ): Promise<{ signIn: SignInRecord; account: AccountRecord } | null>;
  remove(tokenHash: string): Promise<void>;
  /** Ends an account's sign-ins except one, and its reset links. */
  removeAll(accountId: string, exceptTokenHash: string | null): Promise<void>;
  addReset(reset: ResetRecord): Promise<void>;
  /** Uses up an account's links. Its id; null if this one was used, has expired or is unknown. */
  takeReset(tokenHash: string, now: number): Promise<string | null>;
}

/** The person to whom the first account is given. */
export interface NewOwner {
  readonly email: string;
  readonly passwordHash: string;
  readonly at: number;
}

/** Who may claim the first account, which has no owner at first, and whether it has one. */
export interface ClaimStore {
  /** Whether the first account has an owner. */
  hasOwner(): Promise<boolean>;
  /** The hash of the code with which it can be claimed; null: there is no code. */
  codeHash(): Promise<string | null>;
  /** Stores the hash of a code in place of any other. */
  setCode(hash: string): Promise<void>;
  /** Stores the hash of a code, atomically, unless there is one or the account has an owner. */
  addCode(hash: string): Promise<boolean>;
  /**
   * Gives the account its owner, makes it an administrator and forgets the code, atomically. Null
   * if it has an owner.
   * @throws GatewayError `conflict` if another account has the mail address
   */
  claim(owner: NewOwner): Promise<AccountRecord | null>;
}
