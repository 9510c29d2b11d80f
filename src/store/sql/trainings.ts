import type { Kysely, Selectable, Transaction } from 'kysely';
import { GatewayError } from '../../errors.js';
import type {
  Lease,
  NewTraining,
  TrainingRecord,
  TrainingState,
  TrainingStore,
} from '../contracts/trainings.js';
import { clean, fromJson } from './columns.js';
import { holdRevision, raiseRevision } from './revisions.js';
import type { Tables, TrainingTable } from './tables.js';
import { transact } from './transact.js';

/** All but what may be large. */
export const toldColumns = [
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
/** Of all accounts together: their rows lie in the database. */
const mostWaiting = 20;

/** Trainings of accounts in SQL. Whatever changes one holds the preferences' revision, so that one change follows the other. */
export function createTrainingStore(
  database: Kysely<Tables>,
  now: () => number = Date.now,
): TrainingStore {
  return {
    add: (training, lease) =>
      transact(database, (transaction) => add(transaction, training, lease)),
    async latest(accountId, preferenceIds) {
      if (preferenceIds.length === 0) return [];
      const rows = await database
        .selectFrom('trainings')
        .select(toldColumns)
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
      transact(database, (transaction) =>
        remove(transaction, accountId, clean(preferenceId), now()),
      ),
  };
}

async function add(
  transaction: Transaction<Tables>,
  { id, accountId, preferenceId, wishes, dataset, at }: NewTraining,
  lease?: Lease,
): Promise<TrainingRecord> {
  await holdRevision(transaction, 'preferences');
  const preference = await transaction
    .selectFrom('preferences')
    .select('id')
    .where('id', '=', clean(preferenceId))
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!preference)
    throw new GatewayError('not_found', 'preference_id: not found', { field: 'preference_id' });
  // one of this preference that its process has left behind, and nobody took up, gives way
  await transaction
    .deleteFrom('trainings')
    .where('preference_id', '=', preference.id)
    .where('state', '=', 'running')
    .where('lease_until', '<=', at)
    .execute();
  const waiting = await transaction
    .selectFrom('trainings')
    .select('account_id')
    .where('state', 'in', underWay)
    .execute();
  if (waiting.some((other) => other.account_id === accountId))
    throw new GatewayError('conflict', 'another training of this account is not over yet');
  if (waiting.length >= mostWaiting)
    throw new GatewayError('unavailable', 'too many trainings are waiting', {
      retryAfterMs: 60_000,
    });
  await transaction.deleteFrom('trainings').where('preference_id', '=', preference.id).execute();
  const row = await transaction
    .insertInto('trainings')
    .values({
      id,
      account_id: accountId,
      preference_id: preference.id,
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
    .returning(toldColumns)
    .executeTakeFirstOrThrow();
  return trainingOf(row);
}

async function remove(
  transaction: Transaction<Tables>,
  accountId: string,
  preferenceId: string,
  at: number,
): Promise<boolean> {
  const revision = await raiseRevision(transaction, 'preferences');
  const removed = await transaction
    .deleteFrom('trainings')
    .where('preference_id', '=', preferenceId)
    .where('account_id', '=', accountId)
    .returning('id')
    .execute();
  const preference = await transaction
    .updateTable('preferences')
    .set({ router: null, updated_at: at, revision })
    .where('id', '=', preferenceId)
    .where('account_id', '=', accountId)
    .where('router', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return removed.length > 0 || preference !== undefined;
}

function trainingOf(
  row: Pick<Selectable<TrainingTable>, (typeof toldColumns)[number]>,
): TrainingRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    preferenceId: row.preference_id,
    // written by these stores alone
    state: row.state as TrainingState,
    progress: row.progress,
    doing: row.doing,
    report: fromJson(row.report),
    error: row.error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
