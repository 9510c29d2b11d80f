import type { ExpressionBuilder } from 'kysely';
import type {
  LeasedTraining,
  Lease,
  StoredWishes,
  TrainingEnd,
  TrainingQueue,
} from '../../contracts/trainings.js';
import { clean } from '../columns.js';
import { lockRevision, raiseRevision } from '../revisions.js';
import type { Database, StoreTables, Transaction } from '../tables.js';
import { transact } from '../transact.js';

/** The queue of trainings in SQL. */
export const createTrainingQueue = (database: Database): TrainingQueue => ({
  async take(lease) {
    // usually there is none: then no lock is taken
    return (await firstFree(database, lease))
      ? transact(database, (transaction) => take(transaction, lease))
      : null;
  },
  async keep(id, lease, progress, doing) {
    const row = await database
      .updateTable('trainings')
      .set({ progress, doing, lease_until: lease.until, updated_at: lease.at })
      .where('id', '=', id)
      .where('owner', '=', lease.owner)
      .where('state', '=', 'running')
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  },
  async release(id, owner) {
    // the attempt does not count, because the process stops
    await transact(database, (transaction) =>
      transaction
        .updateTable('trainings')
        .set((eb) => ({
          state: 'queued',
          owner: null,
          lease_until: null,
          progress: 0,
          doing: 'waiting',
          attempts: eb('attempts', '-', 1),
        }))
        .where('id', '=', id)
        .where('owner', '=', owner)
        .where('state', '=', 'running')
        .execute(),
    );
  },
  finish: (id, lease, end) =>
    transact(database, (transaction) => finish(transaction, id, lease, end)),
});

const isFree = (at: number) => (eb: ExpressionBuilder<StoreTables, 'trainings'>) =>
  eb.or([
    eb('state', '=', 'queued'),
    eb.and([eb('state', '=', 'running'), eb('lease_until', '<=', at)]),
  ]);

const firstFree = (database: Database, { at }: Lease): Promise<{ id: string } | undefined> =>
  database
    .selectFrom('trainings')
    .select('id')
    .where(isFree(at))
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

async function take(transaction: Transaction, lease: Lease): Promise<LeasedTraining | null> {
  // a lock, so that concurrent processes take different trainings
  await lockRevision(transaction, 'preferences');
  const free = await firstFree(transaction, lease);
  if (!free) return null;
  const { owner, at, until } = lease;
  const row = await transaction
    .updateTable('trainings')
    .set((eb) => ({
      state: 'running',
      owner,
      lease_until: until,
      updated_at: at,
      progress: 0,
      doing: 'starting',
      attempts: eb('attempts', '+', 1),
    }))
    .where('id', '=', free.id)
    .where(isFree(at))
    .returning(['id', 'account_id', 'preference_id', 'wishes', 'dataset', 'attempts'])
    .executeTakeFirst();
  if (!row) return null;
  return {
    id: row.id,
    accountId: row.account_id,
    preferenceId: row.preference_id,
    wishes: JSON.parse(row.wishes) as StoredWishes,
    dataset: row.dataset ?? '',
    attempts: row.attempts,
  };
}

async function finish(
  transaction: Transaction,
  id: string,
  { owner, at }: Pick<Lease, 'owner' | 'at'>,
  { state, report, error, router }: TrainingEnd,
): Promise<boolean> {
  const revision = await raiseRevision(transaction, 'preferences');
  const row = await transaction
    .updateTable('trainings')
    .set({
      state,
      report: report === null ? null : JSON.stringify(report),
      error: clean(error),
      progress: state === 'failed' ? 0 : 1,
      doing: state === 'failed' ? 'failed' : 'done',
      dataset: null,
      owner: null,
      lease_until: null,
      updated_at: at,
    })
    .where('id', '=', id)
    .where('owner', '=', owner)
    .where('state', '=', 'running')
    .returning(['preference_id', 'account_id'])
    .executeTakeFirst();
  if (!row) return false;
  if (router)
    await transaction
      .updateTable('preferences')
      .set({ router: JSON.stringify(router), updated_at: at, revision })
      .where('id', '=', row.preference_id)
      .where('deleted_at', 'is', null)
      .execute();
  return true;
}
