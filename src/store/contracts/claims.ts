import type { AccountRecord } from './accounts.js';

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
