import type { AccountChanges } from '../../accounts/administration.js';
import { accountLines, dropAccount, listAccounts, oneAccount, updateAccount } from '../accounts.js';
import type { ApiContext } from '../api-context.js';
import type { List } from '../page-request.js';
import type { Account } from '../shown-account.js';
import { hostMethod } from './host-call.js';
import { type PageOptions, refuseOthers, requiredText } from './host-fields.js';

/**
 * The accounts that the gateway stores: those of people who sign in to it. Your own users and the
 * keys of the configuration are not among them, but have data that can be exported and deleted.
 */
export interface AccountMethods {
  /** The accounts, newest first. */
  list(options?: PageOptions): Promise<List<Account>>;
  /** One account. @throws GatewayError `not_found` */
  get(account: { readonly id: string }): Promise<Account>;
  /**
   * Changes an account's role, its limits, or whether it is disabled, with effect on its keys and
   * browsers within a second.
   * @throws GatewayError `not_found`, `validation_failed`, `conflict` if no administrator would be
   * left
   */
  update(changes: AccountChanges & { readonly id: string }): Promise<Account>;
  /**
   * Deletes an account with all its data; `host:<your id>` deletes that of one of your users.
   * @throws GatewayError `not_found`, `conflict` for the last administrator
   */
  delete(account: { readonly id: string }): Promise<void>;
  /**
   * All data of an account, with its conversations, as lines of JSON; `host:<your id>` for one of
   * your users. The last line is `{"object":"end"}`.
   * @throws GatewayError `not_found`, as the lines are read
   */
  export(account: { readonly id: string }): AsyncIterable<string>;
}

/** The accounts, for the code of a host app. */
export const accountMethods = (host: ApiContext): AccountMethods => ({
  list: hostMethod(host, listAccounts, 'none'),
  update: hostMethod(host, updateAccount, 'none'),
  async get(account) {
    refuseOthers(account, ['id']);
    return oneAccount(host.parts, requiredText(account, 'id'));
  },
  async delete(account) {
    refuseOthers(account, ['id']);
    await dropAccount(host, requiredText(account, 'id'));
  },
  async *export(account) {
    refuseOthers(account, ['id']);
    yield* await accountLines(host, requiredText(account, 'id'), { isComplete: true });
  },
});
