import type { Kysely, Transaction } from 'kysely';
import type { Changes } from '../contracts/store.js';
import type { RevisionTable, Tables } from './tables.js';

/**
 * The next revision of a topic. It comes first in a transaction that changes such records: other writers wait until this one has
 * committed, so revisions are committed in order.
 */
export async function raiseRevision(
  transaction: Transaction<Tables>,
  topic: RevisionTable['topic'],
): Promise<number> {
  const { revision } = await transaction
    .updateTable('revisions')
    .where('topic', '=', topic)
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .returning('revision')
    .executeTakeFirstOrThrow();
  return revision;
}

/** Makes other writers of a topic wait until this transaction has committed, and raises nothing. */
export async function holdRevision(
  transaction: Transaction<Tables>,
  topic: RevisionTable['topic'],
): Promise<void> {
  await transaction
    .updateTable('revisions')
    .where('topic', '=', topic)
    .set((eb) => ({ revision: eb.ref('revision') }))
    .execute();
}

/** What has changed since a revision, as `read` finds it by `revision > since`; the present revision alone where nothing has. */
export async function changesSince<T>(
  database: Kysely<Tables>,
  topic: RevisionTable['topic'],
  since: number,
  read: (since: number) => Promise<readonly T[]>,
): Promise<Changes<T>> {
  // before the records: what commits in between is told again the next time, and never passed over
  const { revision } = await database
    .selectFrom('revisions')
    .where('topic', '=', topic)
    .select('revision')
    .executeTakeFirstOrThrow();
  return { revision, records: revision > since ? await read(since) : [] };
}
