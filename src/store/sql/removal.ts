import { type RawBuilder, sql } from 'kysely';
import { firstAccountId, noLimits } from '../contracts/accounts.js';
import {
  type AgedRows,
  deletedAccountId,
  deletedEmail,
  type RemovalStore,
  type RetentionStore,
} from '../contracts/removal.js';
import { accountTables, type EndOfRows } from './account-tables.js';
import { clean, columnsOf } from './columns.js';
import { endAccess } from './accounts/accounts.js';
import { forgetLearnings } from './choices/learnings.js';
import { removeNotesOf } from './conversations/research.js';
import { foldPeriods } from './usage/merge-periods.js';
import { addingTo, columnList } from './sums.js';
import { dayKey, dayOf, daySums } from './usage/usage.js';
import { raiseRevision } from './revisions.js';
import type { Database, Transaction } from './tables.js';
import { transact } from './transact.js';

/** The name of a deleted key or preference. */
const deleted = 'deleted';

/** Rows per statement of retention, few enough that no other statement waits long. */
const maxDeletions = 500;

/** The deletion of old rows in SQL. */
export const createRetentionStore = (database: Database): RetentionStore => ({
  async removeBefore(rows, at, maxRows) {
    let removed = 0;
    while (removed < maxRows) {
      const some = Math.min(maxDeletions, maxRows - removed);
      // in a transaction that is retried after a deadlock: another replica may delete the same
      // rows in another order
      const count = await transact(database, (transaction) =>
        removeSome(transaction, rows, at, some),
      );
      removed += count;
      if (count < some) break;
    }
    return removed;
  },
});

async function removeSome(
  transaction: Database,
  table: AgedRows,
  at: number,
  limit: number,
): Promise<number> {
  const {
    date,
    key,
    only = sql`1 = 1`,
  }: EndOfRows & { readonly date: string } = accountTables[table];
  const columns = columnList(key);
  const condition: RawBuilder<unknown> = sql`(${columns}) in (
    select ${columns} from ${sql.table(table)}
    where ${only} and ${sql.ref(date)} < ${date === 'day' ? dayOf(at) : at} order by ${sql.ref(date)} limit ${limit})`;
  return deleteRows(transaction, table, condition);
}

async function deleteRows(
  transaction: Database,
  table: string,
  condition: RawBuilder<unknown>,
): Promise<number> {
  if (table === 'conversations') return removeConversations(transaction, condition);
  const { numAffectedRows = 0n } =
    await sql`delete from ${sql.table(table)} where ${condition}`.execute(transaction);
  return Number(numAffectedRows);
}

/**
 * Deletes conversations with their messages and the notes of their research; returns how many.
 * First the conversations: it waits for turns that are being added, and later ones find none.
 */
export async function removeConversations(
  transaction: Database,
  condition: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<{ id: string; account_id: string }>`
    delete from conversations where ${condition} returning id, account_id`.execute(transaction);
  if (rows.length === 0) return 0;
  await removeNotesOf(transaction, rows);
  const ids = rows.map(({ id }) => id);
  await transaction.deleteFrom('messages').where('conversation_id', 'in', ids).execute();
  return rows.length;
}

/** The deletion of accounts in SQL. */
export const createRemovalStore = (database: Database): RemovalStore => ({
  close: async (accountId, at) => {
    const id = clean(accountId);
    let count = 0;
    // each is a transaction of its own: other writers lock its topic in another order
    for (const step of [closeKeys, closePreferences])
      count += await transact(database, (transaction) => step(transaction, id, at));
    count += await transact(database, (transaction) => forgetLearnings(transaction, id, null, at));
    return count > 0;
  },
  removeRows: (accountId, maxRows) => removeRows(database, clean(accountId), maxRows),
  finish: (accountId, at) =>
    transact(database, (transaction) => finish(transaction, clean(accountId), at)),
});

const counted = ({ numUpdatedRows }: { numUpdatedRows: bigint }): number => Number(numUpdatedRows);

async function closeKeys(transaction: Transaction, accountId: string, at: number): Promise<number> {
  const revision = await raiseRevision(transaction, 'keys');
  await endAccess(transaction, accountId, null);
  const closed = await transaction
    .updateTable('api_keys')
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('revoked_at', 'is', null), eb('name', '!=', deleted)]))
    .set((eb) => ({
      name: deleted,
      prefix: '',
      models: null,
      toolkits: null,
      ...columnsOf(noLimits),
      revoked_at: eb.fn.coalesce('revoked_at', eb.val(at)),
      revision,
    }))
    .executeTakeFirstOrThrow();
  return counted(closed);
}

async function closePreferences(
  transaction: Transaction,
  accountId: string,
  at: number,
): Promise<number> {
  const revision = await raiseRevision(transaction, 'preferences');
  await transaction.deleteFrom('trainings').where('account_id', '=', accountId).execute();
  const closed = await transaction
    .updateTable('preferences')
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('deleted_at', 'is', null), eb('name', '!=', deleted)]))
    .set({
      name: deleted,
      settings: '{}',
      router: null,
      updated_at: at,
      deleted_at: at,
      revision,
    })
    .executeTakeFirstOrThrow();
  return counted(closed);
}

/** Removes rows from the first table that has some of the account. */
async function removeRows(database: Database, accountId: string, maxRows: number): Promise<number> {
  for (const [table, { key, removedBy }] of Object.entries<EndOfRows>(accountTables)) {
    if (removedBy !== 'removeRows') continue;
    const columns = columnList(key);
    const some = sql`(${columns}) in (
      select ${columns} from ${sql.table(table)} where account_id = ${accountId} limit ${maxRows})`;
    const count = await transact(database, (transaction) =>
      table === 'usage_periods'
        ? foldPeriods(transaction, accountId, deletedAccountId, maxRows)
        : deleteRows(transaction, table, some),
    );
    if (count > 0) return count;
  }
  return 0;
}

async function finish(transaction: Transaction, accountId: string, at: number): Promise<boolean> {
  const summed = await foldUsage(transaction, accountId);
  if (accountId !== firstAccountId) {
    const { numDeletedRows } = await transaction
      .deleteFrom('accounts')
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n || summed;
  }
  await transaction
    .updateTable('accounts')
    .where('id', '=', accountId)
    .set((eb) => ({
      email: deletedEmail,
      password_hash: null,
      role: 'member',
      disabled_at: eb.fn.coalesce('disabled_at', eb.val(at)),
      ...columnsOf(noLimits),
    }))
    .execute();
  return true;
}

async function foldUsage(transaction: Transaction, accountId: string): Promise<boolean> {
  await sql`insert into usage_days (${columnList([...dayKey, ...daySums])})
    select day, ${sql.lit(deletedAccountId)}, '', provider, model,
      ${sql.join(daySums.map((column) => sql`sum(${sql.ref(column)})`))}
    from usage_days where account_id = ${accountId} group by day, provider, model
    ${addingTo('usage_days', dayKey, daySums)}`.execute(transaction);
  const { numDeletedRows } = await transaction
    .deleteFrom('usage_days')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
