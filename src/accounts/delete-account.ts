import { GatewayError } from '../errors.js';
import { deletedAccountId } from '../store/contracts/removal.js';
import type { Store } from '../store/contracts/store.js';
import { changeAccount, accountNotFound } from './administration.js';
import type { AccountContext } from './account-context.js';
import { checkCredentials } from './sign-in-failures.js';

/** Rows per step, few enough that no other statement waits long. */
const maxRowsPerStep = 500;

/**
 * Deletes an account with all that belongs to it. Its usage is added to that of deleted accounts.
 * The account of a fixed key or of a host's user, which has no row, loses its data. May be repeated
 * after a failure.
 * @param afterClose called when the account's keys and sign-ins have ended, before its data is
 *   deleted: should resolve when what was still to be written is stored
 * @throws GatewayError `not_found` if there is neither an account nor data, `conflict` for the last
 *   administrator
 */
export async function deleteAccount(
  store: Pick<Store, 'accounts' | 'signIns' | 'removal'>,
  id: string,
  afterClose: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  if (id === deletedAccountId) throw accountNotFound();
  const account = await store.accounts.find(id);
  if (account) await changeAccount(store, id, { disabled: true });
  let hadData = await store.removal.close(id, Date.now());
  await afterClose();
  while ((await store.removal.removeRows(id, maxRowsPerStep)) > 0) hadData = true;
  hadData = (await store.removal.finish(id, Date.now())) || hadData;
  if (!account && !hadData) throw accountNotFound();
}

/** Who confirms a deletion, and how. */
export interface Confirmation {
  readonly accountId: string;
  readonly password: string | null;
  /** The remote address. */
  readonly from: string;
}

/**
 * Checks that the owner of an account asks for its deletion: a key alone must not be able to do
 * that.
 * @throws GatewayError `forbidden` without the account's password, `too_many_requests`
 */
export async function confirmDeletion(
  context: Pick<AccountContext, 'store' | 'counters' | 'passwords' | 'now'>,
  { accountId, password, from }: Confirmation,
): Promise<void> {
  const account = await context.store.accounts.find(accountId);
  const { email = null, passwordHash = null } = account ?? {};
  if (email === null || passwordHash === null)
    throw new GatewayError(
      'forbidden',
      'this account has no password; only an administrator can delete it',
    );
  if (password === null)
    throw new GatewayError('forbidden', "password: the account's password is required", {
      field: 'password',
    });
  const isOwner = await checkCredentials(
    context,
    { from, email },
    async (sender) =>
      (await context.passwords.check(password, passwordHash, sender)).matches || null,
  );
  if (isOwner === null)
    throw new GatewayError('forbidden', 'password: is wrong', { field: 'password' });
}
