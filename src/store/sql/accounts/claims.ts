import { GatewayError } from '../../../errors.js';
import { type AccountRole, type ClaimStore, firstAccountId } from '../../contracts/accounts.js';
import { isDuplicate } from '../../failure.js';
import { accountFromRow, storedEmail } from './accounts.js';
import { raiseRevision } from '../revisions.js';
import type { Database } from '../tables.js';
import { transact } from '../transact.js';

/** The name of the code's hash among the secrets. */
const name = 'claim-code';

/** The claim of the first account in SQL. */
export const createClaimStore = (database: Database): ClaimStore => ({
  hasOwner: () => hasOwner(database),
  codeHash: () => findSecret(database, name),
  async setCode(hash) {
    await database
      .insertInto('secrets')
      .values({ name, value: hash })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: hash }))
      .execute();
  },
  addCode: async (hash) => !(await hasOwner(database)) && addSecret(database, name, hash),
  async claim(owner) {
    try {
      return await transact(database, async (transaction) => {
        const { email, passwordHash, at } = owner;
        // cached keys contain their account's role
        const revision = await raiseRevision(transaction, 'keys');
        const row = await transaction
          .updateTable('accounts')
          .where('id', '=', firstAccountId)
          .where('email', 'is', null)
          .set({
            email: storedEmail(email),
            password_hash: passwordHash,
            created_at: at,
            role: 'admin' satisfies AccountRole,
          })
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return null;
        await transaction
          .updateTable('api_keys')
          .where('account_id', '=', firstAccountId)
          .set({ revision })
          .execute();
        await transaction.deleteFrom('secrets').where('name', '=', name).execute();
        return accountFromRow(row);
      });
    } catch (error) {
      if (isDuplicate(error))
        throw new GatewayError('conflict', 'email: already has an account', { field: 'email' });
      throw error;
    }
  },
});

/** Stores a secret unless there is one of this name. @returns whether it was stored */
export async function addSecret(database: Database, name: string, value: string): Promise<boolean> {
  const added = await database
    .insertInto('secrets')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst();
  return added !== undefined;
}

/** A secret as it is stored; null: there is none of this name. */
export async function findSecret(database: Database, name: string): Promise<string | null> {
  const row = await database
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value ?? null;
}

async function hasOwner(database: Database): Promise<boolean> {
  const owned = await database
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', firstAccountId)
    .where('email', 'is not', null)
    .executeTakeFirst();
  return owned !== undefined;
}
