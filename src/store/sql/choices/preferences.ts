import type { Selectable } from 'kysely';
import type {
  PreferenceRecord,
  PreferenceSettings,
  PreferenceStore,
} from '../../contracts/preferences.js';
import type { StoredRouter } from '../../contracts/trainings.js';
import { clean, columnsOf, fieldsOf, fromJson } from '../columns.js';
import { forgetLearnings } from './learnings.js';
import { readPage } from '../pages.js';
import { raiseRevision, recordsSince } from '../revisions.js';
import type { Database, PreferenceTable, Transaction } from '../tables.js';
import { transact } from '../transact.js';

/** The preferences in SQL. A deleted one stays as an empty row, by which other processes notice. */
export const createPreferenceStore = (database: Database): PreferenceStore => ({
  add: ({ settings, ...plain }) =>
    transact(database, async (transaction) => {
      const revision = await raiseRevision(transaction, 'preferences');
      const row = await transaction
        .insertInto('preferences')
        .values({
          ...columnsOf(plain),
          settings: JSON.stringify(settings),
          updated_at: plain.createdAt,
          deleted_at: null,
          router: null,
          revision,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return fromColumns(row);
    }),
  async find(accountId, id) {
    const row = await present(database, accountId).where('id', '=', clean(id)).executeTakeFirst();
    return row ? fromColumns(row) : null;
  },
  list: (accountId, page) =>
    readPage(present(database, accountId), 'created_at', page, fromColumns),
  update: (accountId, id, { name, settings }) =>
    transact(database, (transaction) =>
      change(transaction, accountId, id, Date.now(), (before) => ({
        ...(name === undefined ? {} : { name: clean(name) }),
        ...(settings === undefined ? {} : { settings: JSON.stringify({ ...before, ...settings }) }),
      })),
    ),
  remove: (accountId, id) =>
    transact(database, async (transaction) => {
      const at = Date.now();
      const removed = await change(transaction, accountId, id, at, () => ({
        settings: '{}',
        router: null,
        deleted_at: at,
      }));
      if (!removed) return false;
      await transaction.deleteFrom('trainings').where('preference_id', '=', removed.id).execute();
      await forgetLearnings(transaction, accountId, removed.id, at);
      return true;
    }),
  changedSince: (since) => recordsSince(database, 'preferences', since, fromColumns),
});

/** Changes a preference; null if it does not exist. */
async function change(
  transaction: Transaction,
  accountId: string,
  id: string,
  at: number,
  changed: (before: PreferenceSettings) => Partial<PreferenceTable>,
): Promise<PreferenceRecord | null> {
  // locks out other writers, so that what is read does not change before it is written
  const revision = await raiseRevision(transaction, 'preferences');
  const before = await present(transaction, accountId)
    .where('id', '=', clean(id))
    .executeTakeFirst();
  if (!before) return null;
  const row = await transaction
    .updateTable('preferences')
    .set({ ...changed(fromColumns(before).settings), updated_at: at, revision })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return fromColumns(row);
}

const present = (database: Database, accountId: string) =>
  database
    .selectFrom('preferences')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null);

const fromColumns = ({
  revision: _revision,
  ...row
}: Selectable<PreferenceTable>): PreferenceRecord => ({
  ...fieldsOf<Omit<PreferenceRecord, 'settings' | 'router'>>(row),
  // only `add` and `change` write it
  settings: JSON.parse(row.settings) as PreferenceSettings,
  router: fromJson(row.router) as StoredRouter | null,
});
