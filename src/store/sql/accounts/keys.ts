import { type Nullable, type SelectQueryBuilder, sql } from 'kysely';
import { GatewayError } from '../../../errors.js';
import type { KeyChanges, KeyRecord, KeyRotation, KeyStore, NewKey } from '../../contracts/keys.js';
import { chunks, clean } from '../columns.js';
import {
  changedColumns,
  keyFromReplaced,
  keyFromRow,
  type KeyRow,
  newRow,
  type ReplacedRow,
} from './key-rows.js';
import { readPage } from '../pages.js';
import { changesSince, lockRevision, raiseRevision } from '../revisions.js';
import type { AccountTable, Database, StoreTables, Transaction } from '../tables.js';
import { transact } from '../transact.js';

/** Keys of the same name that one question covers. */
const maxNamesakes = 100;
/** Rows of two parameters each. */
const maxRowsPerStatement = 500;

/** The issued keys in SQL. */
export const createKeyStore = (database: Database): KeyStore => ({
  add: (key) => transact(database, (transaction) => add(transaction, key)),
  addFirst: (key) =>
    transact(database, async (transaction) => {
      await lockRevision(transaction, 'keys');
      const there = await transaction
        .selectFrom('api_keys')
        .select('id')
        .limit(1)
        .executeTakeFirst();
      return there === undefined ? add(transaction, key) : null;
    }),
  async findByHash(hash) {
    const row = await keys(database, null).where('api_keys.hash', '=', hash).executeTakeFirst();
    if (row !== undefined) return keyFromRow(row);
    const replaced = await replacedSecrets(database)
      .where('rotated_secrets.hash', '=', hash)
      .executeTakeFirst();
    return replaced === undefined ? null : keyFromReplaced(replaced);
  },
  find: (accountId, id) => find(database, accountId, id),
  list(accountId, page, search = null) {
    const all = keys(database, accountId);
    const text = `%${clean(search ?? '').replace(/[\\%_]/g, '\\$&')}%`;
    const found = sql<boolean>`(lower(api_keys.name) like lower(${text}) escape '\\'
      or lower(api_keys.prefix) like lower(${text}) escape '\\')`;
    const rows = search === null ? all : all.where(found);
    return readPage(rows, 'created_at', page, keyFromRow, 'api_keys');
  },
  async idsOf(accountId, idOrName) {
    const named = clean(idOrName);
    let query = database
      .selectFrom('api_keys')
      .select('id')
      .where((eb) => eb.or([eb('id', '=', named), eb('name', '=', named)]));
    if (accountId !== null) query = query.where('account_id', '=', clean(accountId));
    return (await query.limit(maxNamesakes).execute()).map(({ id }) => id);
  },
  update: (accountId, id, changes) => update(database, accountId, id, changes),
  rotate: (accountId, id, rotation) => rotate(database, accountId, id, rotation),
  changedSince: (revision) =>
    changesSince(database, 'keys', revision, (since) => changed(database, since)),
  touch: (usedAt) => touch(database, usedAt),
});

type KeyTables = StoreTables & { accounts: Nullable<AccountTable> };
type KeyQuery = SelectQueryBuilder<KeyTables, 'api_keys' | 'accounts', KeyRow>;

/** The keys of one account, or of all (null). */
function keys(database: Database, accountId: string | null): KeyQuery {
  const all = database
    .selectFrom('api_keys')
    .leftJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .selectAll('api_keys')
    .select([
      'accounts.role as account_role',
      'accounts.disabled_at as account_disabled_at',
      'accounts.requests_per_minute as account_requests_per_minute',
      'accounts.tokens_per_minute as account_tokens_per_minute',
      'accounts.day_budget_usd as account_day_budget_usd',
      'accounts.month_budget_usd as account_month_budget_usd',
      (eb) =>
        eb
          .selectFrom('rotated_secrets')
          .whereRef('rotated_secrets.key_id', '=', 'api_keys.id')
          .select((max) => max.fn.max('valid_until').as('valid_until'))
          .as('previous_valid_until'),
    ]);
  return accountId === null ? all : all.where('api_keys.account_id', '=', clean(accountId));
}

/** The keys under the secrets that rotations have replaced. */
const replacedSecrets = (
  database: Database,
): SelectQueryBuilder<KeyTables, 'api_keys' | 'accounts' | 'rotated_secrets', ReplacedRow> =>
  keys(database, null)
    .innerJoin('rotated_secrets', 'rotated_secrets.key_id', 'api_keys.id')
    .select([
      'rotated_secrets.hash as replaced_hash',
      'rotated_secrets.valid_until as replaced_until',
    ]);

async function find(
  database: Database,
  accountId: string | null,
  id: string,
): Promise<KeyRecord | null> {
  const row = await keys(database, accountId)
    .where('api_keys.id', '=', clean(id))
    .executeTakeFirst();
  return row === undefined ? null : keyFromRow(row);
}

async function changed(database: Database, since: number): Promise<KeyRecord[]> {
  const present = keys(database, null).where('api_keys.revision', '>', since);
  const replaced = replacedSecrets(database).where('api_keys.revision', '>', since);
  return [
    ...(await present.execute()).map(keyFromRow),
    ...(await replaced.execute()).map(keyFromReplaced),
  ];
}

async function add(transaction: Transaction, key: NewKey): Promise<KeyRecord> {
  const revision = await raiseRevision(transaction, 'keys');
  await transaction.insertInto('api_keys').values(newRow(key, revision)).execute();
  const added = await find(transaction, key.accountId, key.id);
  if (added === null) throw new GatewayError('internal', 'the new key is missing');
  return added;
}

async function update(
  database: Database,
  accountId: string | null,
  id: string,
  changes: KeyChanges,
): Promise<KeyRecord | null> {
  // guessed ids must not raise the revision, which makes all caches poll
  if ((await find(database, accountId, id)) === null) return null;
  return transact(database, async (transaction) => {
    const revision = await raiseRevision(transaction, 'keys');
    await transaction
      .updateTable('api_keys')
      .where('id', '=', clean(id))
      .set({ ...changedColumns(changes), revision })
      .execute();
    return find(transaction, accountId, id);
  });
}

/** Gives a key a new secret; the one that it had stays valid for as long as the rotation says. */
async function rotate(
  database: Database,
  accountId: string | null,
  id: string,
  { hash, prefix, validUntil }: KeyRotation,
): Promise<KeyRecord | null> {
  if ((await find(database, accountId, id)) === null) return null;
  return transact(database, async (transaction) => {
    const revision = await raiseRevision(transaction, 'keys');
    const key = await transaction
      .selectFrom('api_keys')
      .select('hash')
      .where('id', '=', clean(id))
      .executeTakeFirstOrThrow();
    // a rotation ends what earlier ones left valid for longer
    await transaction
      .updateTable('rotated_secrets')
      .where('key_id', '=', clean(id))
      .where('valid_until', '>', validUntil)
      .set({ valid_until: validUntil })
      .execute();
    await transaction
      .insertInto('rotated_secrets')
      .values({ hash: key.hash, key_id: clean(id), valid_until: validUntil })
      .execute();
    await transaction
      .updateTable('api_keys')
      .where('id', '=', clean(id))
      .set({ hash, prefix, revision })
      .execute();
    return find(transaction, accountId, id);
  });
}

async function touch(database: Database, usedAt: ReadonlyMap<string, number>): Promise<void> {
  if (usedAt.size === 0) return;
  await transact(database, async (transaction) => {
    // two processes that update the same rows in different orders would deadlock
    await lockRevision(transaction, 'keys');
    for (const chunk of chunks([...usedAt], maxRowsPerStatement)) {
      const used = sql.join(chunk.map(([id, at]) => sql`(${id}, cast(${at} as bigint))`));
      await sql`with used (id, at) as (values ${used}) update api_keys set last_used_at = used.at from used
        where used.id = api_keys.id and (last_used_at is null or last_used_at < used.at)`.execute(
        transaction,
      );
    }
  });
}
