import type { AccountChanges } from '../../accounts/administration.js';
import { compileSchema } from '../../config/schema/compile-schema.js';
import { type Account, modifyAccount, oneAccount, pageOfAccounts } from '../accounts.js';
import { accountLines, dropAccount } from '../whole-account.js';
import type { ApiContext } from '../api-context.js';
import type { List } from '../page-request.js';
import {
  askedPage,
  checkFields,
  type PageOptions,
  refuseOthers,
  requiredText,
} from './host-fields.js';

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
export function accountMethods(acting: ApiContext): AccountMethods {
  const { parts } = acting;
  const changes = compileSchema<AccountChanges>('account-change.request');
  return {
    async list(options = {}) {
      return pageOfAccounts(parts, askedPage(options));
    },
    async get(account) {
      refuseOthers(account, ['id']);
      return oneAccount(parts, requiredText(account, 'id'));
    },
    async update({ id, ...given }) {
      checkFields(changes, given);
      return modifyAccount(acting, requiredText({ id }, 'id'), given);
    },
    async delete(account) {
      refuseOthers(account, ['id']);
      await dropAccount(acting, requiredText(account, 'id'));
    },
    async *export(account) {
      refuseOthers(account, ['id']);
      yield* await accountLines(acting, requiredText(account, 'id'), { isComplete: true });
    },
  };
}
