import type { Kysely, Selectable, Updateable } from 'kysely';
import { GatewayError } from '../../../errors.js';
import {
  type AccountRecord,
  type AccountStore,
  type AccountUpdate,
  type NewAccount,
  type PasswordOptions,
  type AccountRole,
} from '../../contracts/accounts.js';
import { noLimits } from '../../contracts/key-limits.js';
import { isDuplicate } from '../../failure.js';
import { clean } from '../columns.js';
import { changedLimitColumns, limitColumns, limitsFromRow } from './limit-columns.js';
import { after, type Order, pageOf } from '../pages.js';
import { endAccess } from './end-access.js';
import { raiseRevision } from '../revisions.js';
import type { AccountTable, StoreTables } from '../tables.js';
import { transact } from '../transact.js';

const order: Order = ['accounts.created_at', 'accounts.id'];

/** The account of a row. */
export function accountFromRow(row: Selectable<AccountTable>): AccountRecord {
  return {
    id: row.id,
    email: row.email,
    passwordHash: row.password_hash,
    role: row.role as AccountRole,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    limits: limitsFromRow(row),
  };
}

/** A mail address as it is stored. */
export const storedEmail = (email: string): string => clean(email.toLowerCase());

/** The accounts in SQL. */
export function createAccountStore(database: Kysely<StoreTables>): AccountStore {
  const found = (row: Selectable<AccountTable> | undefined): AccountRecord | null =>
    row === undefined ? null : accountFromRow(row);
  return {
    create: async (account) => found(await insert(database, account)),
    find: async (id) =>
      found(
        await database
          .selectFrom('accounts')
          .selectAll()
          .where('id', '=', clean(id))
          .executeTakeFirst(),
      ),
    findByEmail: async (email) =>
      found(
        await database
          .selectFrom('accounts')
          .selectAll()
          .where('email', '=', storedEmail(email))
          .executeTakeFirst(),
      ),
    async list({ limit, cursor }) {
      const rows = await database
        .selectFrom('accounts')
        .selectAll()
        .where(after(order, cursor))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      return pageOf(rows, limit, (row) => [row.created_at, row.id], accountFromRow);
    },
    update: async (id, changes, from) => found(await update(database, clean(id), changes, from)),
    setPassword: (id, passwordHash, options) =>
      setPassword(database, clean(id), passwordHash, options),
  };
}

type Row = Selectable<AccountTable>;

/** Undefined if the address is taken. */
function insert(
  database: Kysely<StoreTables>,
  { id, email, passwordHash, at, role = 'member', limits = noLimits }: NewAccount,
): Promise<Row | undefined> {
  return database
    .insertInto('accounts')
    .values({
      id,
      email: storedEmail(email),
      password_hash: passwordHash,
      role,
      created_at: at,
      disabled_at: null,
      ...limitColumns(limits),
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
}

async function update(
  database: Kysely<StoreTables>,
  id: string,
  changes: AccountUpdate,
  from?: string,
): Promise<Row | undefined> {
  try {
    return await transact(database, async (transaction) => {
      // cached keys contain their account's role and limits, and whether it is disabled
      if (affectsKeys(changes)) {
        const revision = await raiseRevision(transaction, 'keys');
        await transaction
          .updateTable('api_keys')
          .where('account_id', '=', id)
          .set({ revision })
          .execute();
      }
      // sets the id because an update must set something
      const account = transaction
        .updateTable('accounts')
        .where('id', '=', id)
        .set({ ...columnsOf(changes), id });
      return (from === undefined ? account : account.where('password_hash', '=', from))
        .returningAll()
        .executeTakeFirst();
    });
  } catch (error) {
    if (isDuplicate(error))
      throw new GatewayError('conflict', 'email: is already in use', { field: 'email' });
    throw error;
  }
}

function setPassword(
  database: Kysely<StoreTables>,
  id: string,
  passwordHash: string,
  { from, keepTokenHash = null }: PasswordOptions = {},
): Promise<boolean> {
  return transact(database, async (transaction) => {
    const account = transaction
      .updateTable('accounts')
      .where('id', '=', id)
      .set({ password_hash: passwordHash });
    const changed = await (from === undefined ? account : account.where('password_hash', '=', from))
      .returning('id')
      .executeTakeFirst();
    if (changed === undefined) return false;
    await endAccess(transaction, id, keepTokenHash);
    return true;
  });
}

const affectsKeys = ({ role, disabledAt, limits }: AccountUpdate): boolean =>
  role !== undefined || disabledAt !== undefined || limits !== undefined;

/** Absent changes are undefined, and leave the column unchanged. */
const columnsOf = ({
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
  ...changedLimitColumns(limits),
});
