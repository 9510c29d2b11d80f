import type { Transaction } from 'kysely';
import type { StoreTables } from '../tables.js';

/** Ends an account's sign-ins except one, and its reset links. */
export async function endAccess(
  transaction: Transaction<StoreTables>,
  accountId: string,
  exceptTokenHash: string | null,
): Promise<void> {
  await transaction
    .deleteFrom('sign_ins')
    .where('account_id', '=', accountId)
    .where('token_hash', '!=', exceptTokenHash ?? '')
    .execute();
  await transaction.deleteFrom('password_resets').where('account_id', '=', accountId).execute();
}
