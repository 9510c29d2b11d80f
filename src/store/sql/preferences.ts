import type { Kysely, Selectable, Transaction } from 'kysely';
import type { PreferenceSettings } from '../../routing/preference.js';
import type { PreferenceRecord, PreferenceStore } from '../contracts/preferences.js';
import type { StoredRouter } from '../contracts/trainings.js';
import { clean, fromJson } from './columns.js';
import { forgetLearning } from './learnings.js';
import { after, pageOf } from './pages.js';
import { changesSince, raiseRevision } from './revisions.js';
import type { Database, PreferenceTable, Tables } from './tables.js';
import { transact } from './transact.js';

/**
 * Preferences of accounts. One that is removed stays as an empty row, by which other processes learn that it is gone.
 * @param now what changes are dated by, ms since 1970
 */
export function createPreferenceStore(
  database: Kysely<Tables>,
  now: () => number = Date.now,
): PreferenceStore {
  const change = (
    accountId: string,
    id: string,
    columnsOf: (before: PreferenceSettings) => Partial<PreferenceTable>,
    isEnd = false,
  ): Promise<PreferenceRecord | null> =>
    transact(database, async (transaction) => {
      // nobody else changes one from here on: what is read is still there when it is written
      const revision = await raiseRevision(transaction, 'preferences');
      const before = await present(transaction, accountId)
        .where('id', '=', clean(id))
        .executeTakeFirst();
      if (!before) return null;
      if (isEnd) await removeBelongings(transaction, accountId, before.id, now());
      const row = await transaction
        .updateTable('preferences')
        .set({ ...columnsOf(fromColumns(before).settings), updated_at: now(), revision })
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return fromColumns(row);
    });
  return {
    add: (preference) => addPreference(database, preference),
    async find(accountId, id) {
      const row = await present(database, accountId).where('id', '=', clean(id)).executeTakeFirst();
      return row ? fromColumns(row) : null;
    },
    async list(accountId, page) {
      const rows = await present(database, accountId)
        .where(after(['created_at', 'id'], page.cursor))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return pageOf(rows, page.limit, (row) => [row.created_at, row.id], fromColumns);
    },
    update: (accountId, id, { name, settings }) =>
      change(accountId, id, (before) => ({
        ...(name === undefined ? {} : { name: clean(name) }),
        ...(settings === undefined ? {} : { settings: JSON.stringify({ ...before, ...settings }) }),
      })),
    remove: async (accountId, id) =>
      (await change(
        accountId,
        id,
        () => ({ settings: '{}', router: null, deleted_at: now() }),
        true,
      )) !== null,
    changedSince: (since) =>
      changesSince(database, 'preferences', since, async (revision) =>
        (
          await database
            .selectFrom('preferences')
            .selectAll()
            .where('revision', '>', revision)
            .orderBy('revision')
            .execute()
        ).map(fromColumns),
      ),
  };
}

/** What is nothing without its preference. */
async function removeBelongings(
  transaction: Transaction<Tables>,
  accountId: string,
  id: string,
  at: number,
): Promise<void> {
  await transaction.deleteFrom('trainings').where('preference_id', '=', id).execute();
  await forgetLearning(transaction, { accountId, preferenceId: id }, at);
}

/** Those of an account that are not deleted. */
function present(database: Database, accountId: string) {
  return database
    .selectFrom('preferences')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null);
}

async function addPreference(
  database: Kysely<Tables>,
  preference: Parameters<PreferenceStore['add']>[0],
): Promise<PreferenceRecord> {
  const { id, accountId, name, settings, createdAt } = preference;
  return await transact(database, async (transaction) => {
    const revision = await raiseRevision(transaction, 'preferences');
    const row = await transaction
      .insertInto('preferences')
      .values({
        id,
        account_id: accountId,
        name: clean(name),
        settings: JSON.stringify(settings),
        created_at: createdAt,
        updated_at: createdAt,
        deleted_at: null,
        router: null,
        revision,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return fromColumns(row);
  });
}

function fromColumns(row: Selectable<PreferenceTable>): PreferenceRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    // written by `add` and `change` alone
    settings: JSON.parse(row.settings) as PreferenceSettings,
    router: fromJson(row.router) as StoredRouter | null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  };
}
