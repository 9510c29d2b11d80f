import { isRowless } from '../accounts/caller.js';
import { deleteAccount } from '../accounts/delete-account.js';
import { exportAccount, type ExportOptions } from '../accounts/export-account.js';
import { settledStore } from '../pipeline/engine/settled-store.js';
import type { ApiContext } from './api-context.js';
import { actOnAccount } from '../accounts/write-act.js';
import { accountNotFound } from '../accounts/administration.js';

/**
 * Deletes an account with all its data. Its keys and sign-ins end at once.
 * @throws GatewayError `not_found`, `conflict` for the last administrator
 */
export async function dropAccount({ parts, record }: ApiContext, id: string): Promise<void> {
  const { store } = await parts.state.opened();
  await deleteAccount(store, id, async () => {
    await parts.state.keys.accountChanged();
    await settledStore(parts);
  });
  await record(actOnAccount('account.delete', id));
}

/**
 * All data of an account as lines of JSON.
 * @throws GatewayError `not_found`
 */
export async function accountLines(
  { parts, record }: ApiContext,
  id: string,
  options: ExportOptions,
): Promise<AsyncIterable<string>> {
  const store = await settledStore(parts);
  if (!isRowless(id) && (await store.accounts.find(id)) === null) throw accountNotFound();
  await record(actOnAccount('account.export', id));
  return exportAccount(store, id, options);
}
