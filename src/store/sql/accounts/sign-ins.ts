import type { SignInRecord, SignInStore } from '../../contracts/accounts.js';
import { columnsOf } from '../columns.js';
import { accountFromRow, endAccess } from './accounts.js';
import type { Database } from '../tables.js';
import { transact } from '../transact.js';

/** Sign-ins and reset links in SQL. */
export const createSignInStore = (database: Database): SignInStore => ({
  add: (signIn, passwordHash) => add(database, signIn, passwordHash),
  async find(tokenHash, now) {
    const row = await database
      .selectFrom('sign_ins')
      .innerJoin('accounts', 'accounts.id', 'sign_ins.account_id')
      .where('sign_ins.token_hash', '=', tokenHash)
      .where('sign_ins.expires_at', '>', now)
      .selectAll('accounts')
      .select([
        'sign_ins.token_hash',
        'sign_ins.csrf_token',
        'sign_ins.created_at as signed_in_at',
        'sign_ins.expires_at',
      ])
      .executeTakeFirst();
    if (row === undefined) return null;
    const signIn = {
      tokenHash: row.token_hash,
      accountId: row.id,
      csrfToken: row.csrf_token,
      createdAt: row.signed_in_at,
      expiresAt: row.expires_at,
    };
    return { signIn, account: accountFromRow(row) };
  },
  async remove(tokenHash) {
    await database.deleteFrom('sign_ins').where('token_hash', '=', tokenHash).execute();
  },
  removeAll: (accountId, exceptTokenHash) =>
    transact(database, (transaction) => endAccess(transaction, accountId, exceptTokenHash)),
  async addReset(reset) {
    await database.insertInto('password_resets').values(columnsOf(reset)).execute();
  },
  takeReset: (tokenHash, now) =>
    transact(database, async (transaction) => {
      const resets = transaction.deleteFrom('password_resets');
      const taken = await resets
        .where('token_hash', '=', tokenHash)
        .returning(['account_id', 'expires_at'])
        .executeTakeFirst();
      if (taken === undefined || taken.expires_at <= now) return null;
      await resets.where('account_id', '=', taken.account_id).execute();
      return taken.account_id;
    }),
});

/** Sign-ins of one account. */
const maxSignIns = 100;

/** Also deletes the account's expired sign-ins, and the oldest of too many. */
function add(database: Database, signIn: SignInRecord, passwordHash: string): Promise<boolean> {
  const { accountId, createdAt } = signIn;
  return transact(database, async (transaction) => {
    // an update, because it locks the row: a concurrent password change waits for this transaction,
    // and then ends the new sign-in too
    const locked = await transaction
      .updateTable('accounts')
      .where('id', '=', accountId)
      .where('password_hash', '=', passwordHash)
      .where('disabled_at', 'is', null)
      .set({ id: accountId })
      .returning('id')
      .executeTakeFirst();
    if (locked === undefined) return false;
    await transaction
      .deleteFrom('sign_ins')
      .where('account_id', '=', accountId)
      .where('expires_at', '<=', createdAt)
      .execute();
    const own = transaction.selectFrom('sign_ins').where('account_id', '=', accountId);
    const newest = own.select('created_at').orderBy('created_at', 'desc');
    await transaction
      .deleteFrom('sign_ins')
      .where('account_id', '=', accountId)
      // null, and so nothing, where there are fewer
      .where('created_at', '<=', newest.offset(maxSignIns - 1).limit(1))
      .execute();
    await transaction.insertInto('sign_ins').values(columnsOf(signIn)).execute();
    return true;
  });
}
