import type { StoreTables } from '../sql/tables.js';

/**
 * The tables with rows of accounts: those with a column `account_id`. What deletion removes, an
 * export contains and retention bounds is written for each of them, so that none is forgotten.
 */
export type TablesOfAccounts = {
  [Table in keyof StoreTables]: 'account_id' extends keyof StoreTables[Table] ? Table : never;
}[keyof StoreTables];

/** The account that holds the sums of deleted accounts. */
export const deletedAccountId = 'deleted';

/** What an account is called whose row has to stay because it was the first one. */
export const deletedEmail = 'deleted@account.invalid';

/** Deletes what belongs to one account, in steps that can be repeated after a failure. */
export interface RemovalStore {
  /**
   * Revokes the account's keys, ends its sign-ins and links, deletes its preferences with their
   * trainings, and forgets what was learned. Of keys and preferences only the ids stay, so that caches and
   * fixed keys see that they are gone. False if there was nothing.
   */
  close(accountId: string, at: number): Promise<boolean>;
  /**
   * Deletes conversations, notes of research, request log, decisions, shadows, feedback,
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
