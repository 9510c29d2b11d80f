import type { Selectable } from 'kysely';
import { GatewayError } from '../../../errors.js';
import type {
  Lease,
  NewTraining,
  TrainingRecord,
  TrainingState,
  TrainingStore,
} from '../../contracts/trainings.js';
import { clean, fieldsOf, fromJson } from '../columns.js';
import { hasPreference } from './learnings.js';
import { lockRevision, raiseRevision } from '../revisions.js';
import type { Database, TrainingTable, Transaction } from '../tables.js';
import { transact } from '../transact.js';

/** All columns except the dataset, which may be large. */
const shownColumns = [
  'id',
  'account_id',
  'preference_id',
  'state',
  'progress',
  'doing',
  'report',
  'error',
  'created_at',
  'updated_at',
] as const;
const underWay: readonly TrainingState[] = ['queued', 'running'];
/** Trainings of all accounts that wait or run, because their rows are in the database. */
const maxWaiting = 20;

/** The trainings in SQL. Changes lock the preferences' revision, and so follow one another. */
export const createTrainingStore = (database: Database): TrainingStore => ({
  add: (training, lease) => transact(database, (transaction) => add(transaction, training, lease)),
  async latest(accountId, preferenceIds) {
    if (preferenceIds.length === 0) return [];
    const rows = await database
      .selectFrom('trainings')
      .select(shownColumns)
      .where('account_id', '=', accountId)
      .where('preference_id', 'in', preferenceIds.map(clean))
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute();
    return rows
      .filter(
        (row, at) => rows.findIndex((other) => other.preference_id === row.preference_id) === at,
      )
      .map(trainingOf);
  },
  remove: (accountId, preferenceId) =>
    transact(database, async (transaction) => {
      const id = clean(preferenceId);
      const revision = await raiseRevision(transaction, 'preferences');
      const removed = await transaction
        .deleteFrom('trainings')
        .where('preference_id', '=', id)
        .where('account_id', '=', accountId)
        .returning('id')
        .execute();
      const preference = await transaction
        .updateTable('preferences')
        .set({ router: null, updated_at: Date.now(), revision })
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('router', 'is not', null)
        .returning('id')
        .executeTakeFirst();
      return removed.length > 0 || preference !== undefined;
    }),
});

async function add(
  transaction: Transaction,
  { id, accountId, preferenceId, wishes, dataset, at }: NewTraining,
  lease?: Lease,
): Promise<TrainingRecord> {
  await lockRevision(transaction, 'preferences');
  if (!(await hasPreference(transaction, { accountId, preferenceId })))
    throw new GatewayError('not_found', 'preference_id: not found', { field: 'preference_id' });
  const ofPreference = transaction
    .deleteFrom('trainings')
    .where('preference_id', '=', preferenceId);
  // a running one whose lease has expired does not wait any more
  await ofPreference.where('state', '=', 'running').where('lease_until', '<=', at).execute();
  await checkQueue(transaction, accountId);
  await ofPreference.execute();
  const row = await transaction
    .insertInto('trainings')
    .values({
      id,
      account_id: accountId,
      preference_id: preferenceId,
      state: lease ? 'running' : 'queued',
      progress: 0,
      doing: lease ? 'starting' : 'waiting',
      wishes: JSON.stringify(wishes),
      dataset: clean(dataset),
      report: null,
      error: null,
      attempts: lease ? 1 : 0,
      owner: lease?.owner ?? null,
      lease_until: lease?.until ?? null,
      created_at: at,
      updated_at: at,
    })
    .returning(shownColumns)
    .executeTakeFirstOrThrow();
  return trainingOf(row);
}

/** @throws GatewayError `conflict` for an account's second training, `unavailable` for too many */
async function checkQueue(transaction: Transaction, accountId: string): Promise<void> {
  const waiting = await transaction
    .selectFrom('trainings')
    .select('account_id')
    .where('state', 'in', underWay)
    .execute();
  if (waiting.some((other) => other.account_id === accountId))
    throw new GatewayError('conflict', 'another training of this account has not ended');
  if (waiting.length >= maxWaiting)
    throw new GatewayError('unavailable', 'too many trainings are waiting', {
      retryAfterMs: 60_000,
    });
}

function trainingOf(
  row: Pick<Selectable<TrainingTable>, (typeof shownColumns)[number]>,
): TrainingRecord {
  return { ...fieldsOf<Omit<TrainingRecord, 'report'>>(row), report: fromJson(row.report) };
}
