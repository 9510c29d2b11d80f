import type { Selectable } from 'kysely';
import type {
  ChangeLearning,
  LearningRecord,
  LearningScope,
  LearningStore,
} from '../../contracts/learnings.js';
import { clean, fieldsOf } from '../columns.js';
import { addFeedback } from './feedback.js';
import { raiseRevision, recordsSince } from '../revisions.js';
import type { Database, LearningTable, Transaction } from '../tables.js';
import { transact } from '../transact.js';

/** The learned states in SQL. A forgotten scope stays empty for a while, for other processes. */
export const createLearningStore = (database: Database): LearningStore => ({
  async find(scope) {
    const row = await find(database, scope);
    return row ? fromColumns(row) : null;
  },
  change: (changes) =>
    transact(database, async (transaction) => {
      // locks out other writers, so that what is read does not change before it is written
      const revision = await raiseRevision(transaction, 'learnings');
      for (const [scope, change] of changes) await put(transaction, scope, change, revision);
    }),
  rate: (scope, feedback, learn) =>
    transact(database, async (transaction) => {
      const revision = await raiseRevision(transaction, 'learnings');
      for (const row of feedback) await addFeedback(transaction, row);
      await put(transaction, scope, learn, revision);
    }),
  // leaves an empty row even if there was none: by its date, counts from before are recognized when
  // they are written
  forget: (scope) =>
    transact(database, async (transaction) => {
      const revision = await raiseRevision(transaction, 'learnings');
      const before = await find(transaction, scope);
      await write(transaction, scope, { state: null, updated_at: Date.now(), revision });
      return before !== undefined && before.state !== null;
    }),
  changedSince: (since) => recordsSince(database, 'learnings', since, fromColumns),
});

/**
 * Forgets what an account has learned, as a part of a larger transaction.
 * @param preferenceId of one preference; null: of all, and without any
 * @returns how many scopes had learned something
 */
export async function forgetLearnings(
  transaction: Transaction,
  accountId: string,
  preferenceId: string | null,
  at: number,
): Promise<number> {
  const revision = await raiseRevision(transaction, 'learnings');
  const { numUpdatedRows } = await transaction
    .updateTable('learnings')
    .set({ state: null, updated_at: at, revision })
    .where('account_id', '=', accountId)
    .where('state', 'is not', null)
    .$if(preferenceId !== null, (all) => all.where('preference_id', '=', preferenceId))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

const find = (
  database: Database,
  { accountId, preferenceId }: LearningScope,
): Promise<Selectable<LearningTable> | undefined> =>
  database
    .selectFrom('learnings')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('preference_id', '=', clean(preferenceId))
    .executeTakeFirst();

async function put(
  transaction: Transaction,
  scope: LearningScope,
  change: ChangeLearning,
  revision: number,
): Promise<void> {
  // a late change must not create a row for a deleted preference
  if (scope.preferenceId !== '' && !(await hasPreference(transaction, scope))) return;
  const { state: before, updated_at: changedAt } = (await find(transaction, scope)) ?? {
    state: null,
    updated_at: null,
  };
  const state = change(before, before === null ? changedAt : null);
  if (state !== before)
    await write(transaction, scope, { state, updated_at: Date.now(), revision });
}

async function write(
  transaction: Transaction,
  { accountId, preferenceId }: LearningScope,
  columns: Pick<Selectable<LearningTable>, 'state' | 'updated_at' | 'revision'>,
): Promise<void> {
  await transaction
    .insertInto('learnings')
    .values({ account_id: accountId, preference_id: preferenceId, ...columns })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'preference_id']).doUpdateSet(columns),
    )
    .execute();
}

/** Whether a preference of the account exists and is not deleted. */
export async function hasPreference(
  transaction: Transaction,
  { accountId, preferenceId }: LearningScope,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('preferences')
    .select('id')
    .where('id', '=', clean(preferenceId))
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

const fromColumns = ({ revision: _revision, ...row }: Selectable<LearningTable>): LearningRecord =>
  fieldsOf<LearningRecord>(row);
