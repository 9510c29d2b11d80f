import type { Selectable, Updateable } from 'kysely';
import { GatewayError } from '../../../errors.js';
import {
  type AccountRecord,
  type AccountStore,
  type AccountUpdate,
  type KeyLimits,
  noLimits,
} from '../../contracts/accounts.js';
import { isDuplicate } from '../../failure.js';
import { clean, columnsOf } from '../columns.js';
import { readPage } from '../pages.js';
import { raiseRevision } from '../revisions.js';
import type { AccountTable, Database, LimitColumns, Transaction } from '../tables.js';
import { transact } from '../transact.js';

/** The account of a row. */
export const accountFromRow = (row: Selectable<AccountTable>): AccountRecord => ({
  id: row.id,
  email: row.email,
  passwordHash: row.password_hash,
  role: row.role,
  createdAt: row.created_at,
  disabledAt: row.disabled_at,
  limits: limitsFromRow(row),
});

/** A mail address as it is stored. */
export const storedEmail = (email: string): string => clean(email.toLowerCase());

/** The accounts in SQL. */
export function createAccountStore(database: Database): AccountStore {
  const accounts = database.selectFrom('accounts').selectAll();
  const found = (row: Row | undefined): AccountRecord | null =>
    row === undefined ? null : accountFromRow(row);
  return {
    create: async ({ id, email, passwordHash, at, role = 'member', limits = noLimits }) =>
      found(
        await database
          .insertInto('accounts')
          .values({
            id,
            email: storedEmail(email),
            password_hash: passwordHash,
            role,
            created_at: at,
            disabled_at: null,
            ...columnsOf(limits),
          })
          .onConflict((conflict) => conflict.column('email').doNothing())
          .returningAll()
          .executeTakeFirst(),
      ),
    find: async (id) => found(await accounts.where('id', '=', clean(id)).executeTakeFirst()),
    findByEmail: async (email) =>
      found(await accounts.where('email', '=', storedEmail(email)).executeTakeFirst()),
    list: (page) => readPage(accounts, 'created_at', page, accountFromRow),
    update: async (id, changes, from) => found(await update(database, clean(id), changes, from)),
    setPassword: (accountId, passwordHash, { from, keepTokenHash = null } = {}) =>
      transact(database, async (transaction) => {
        const id = clean(accountId);
        const changed = await transaction
          .updateTable('accounts')
          .where('id', '=', id)
          .$if(from !== undefined, (one) => one.where('password_hash', '=', from!))
          .set({ password_hash: passwordHash })
          .returning('id')
          .executeTakeFirst();
        if (changed === undefined) return false;
        await endAccess(transaction, id, keepTokenHash);
        return true;
      }),
  };
}

type Row = Selectable<AccountTable>;

async function update(
  database: Database,
  id: string,
  changes: AccountUpdate,
  from?: string,
): Promise<Row | undefined> {
  try {
    return await transact(database, async (transaction) => {
      // cached keys contain their account's role and limits, and whether it is disabled
      const { role, disabledAt, limits } = changes;
      if (role !== undefined || disabledAt !== undefined || limits !== undefined) {
        const revision = await raiseRevision(transaction, 'keys');
        await transaction
          .updateTable('api_keys')
          .where('account_id', '=', id)
          .set({ revision })
          .execute();
      }
      // sets the id because an update must set something
      return transaction
        .updateTable('accounts')
        .where('id', '=', id)
        .$if(from !== undefined, (one) => one.where('password_hash', '=', from!))
        .set({ ...changedColumns(changes), id })
        .returningAll()
        .executeTakeFirst();
    });
  } catch (error) {
    if (isDuplicate(error))
      throw new GatewayError('conflict', 'email: is already in use', { field: 'email' });
    throw error;
  }
}

/** Absent changes are undefined, and leave the column unchanged. */
const changedColumns = ({
  email,
  passwordHash,
  role,
  disabledAt,
  limits = {},
}: AccountUpdate): Updateable<AccountTable> => ({
  email: typeof email === 'string' ? storedEmail(email) : email,
  password_hash: passwordHash,
  role,
  disabled_at: disabledAt,
  ...columnsOf(limits),
});

/** Ends an account's sign-ins except one, and its reset links. */
export async function endAccess(
  transaction: Transaction,
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

/** The limits of a row. */
export const limitsFromRow = (row: LimitColumns): KeyLimits => ({
  requestsPerMinute: row.requests_per_minute,
  tokensPerMinute: row.tokens_per_minute,
  dayBudgetUsd: row.day_budget_usd,
  monthBudgetUsd: row.month_budget_usd,
});
