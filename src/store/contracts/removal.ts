import type { accountTables } from '../sql/account-tables.js';

type AccountTables = typeof accountTables;

/**
 * The tables with rows of accounts: those with a column `account_id`. What deletion removes, an
 * export contains and retention bounds is written for each of them, so that none is forgotten.
 */
export type TablesOfAccounts = keyof AccountTables;

/** The tables whose old rows are deleted; a conversation is as old as its last turn. */
export type AgedRows = {
  [Table in TablesOfAccounts]: AccountTables[Table] extends { date: string } ? Table : never;
}[TablesOfAccounts];

/** Deletes old rows. */
export interface RetentionStore {
  /** Deletes rows from before `at`, at most `maxRows`; returns how many. */
  removeBefore(rows: AgedRows, at: number, maxRows: number): Promise<number>;
}

/** The account that holds the sums of deleted accounts. */
export const deletedAccountId = 'deleted';

/** What an account is called whose row has to stay because it was the first one. */
export const deletedEmail = 'deleted@account.invalid';

/** Deletes what belongs to one account, in steps that can be repeated after a failure. */
export interface RemovalStore {
  /**
   * Revokes the account's keys, ends its sign-ins and links, deletes its preferences with their
   * trainings, and forgets what was learned. The ids of keys and preferences stay, so that caches and
   * fixed keys see that they are gone. False if there was nothing.
   */
  close(accountId: string, at: number): Promise<boolean>;
  /**
   * Deletes conversations, notes of research, responses, request log, decisions, shadows, feedback,
   * evaluations and sums of choices, and adds sums of short periods to those of `deletedAccountId`,
   * at most `maxRows` rows; returns how many. 0: nothing is left.
   */
  removeRows(accountId: string, maxRows: number): Promise<number>;
  /**
   * Adds the account's usage to that of `deletedAccountId`, and deletes the account. The first
   * account's row stays, disabled and without its owner, so that it cannot be claimed again. False if
   * there was nothing.
   */
  finish(accountId: string, at: number): Promise<boolean>;
}
