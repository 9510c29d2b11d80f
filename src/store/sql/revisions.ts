import { type Selectable, sql } from 'kysely';
import type { Changes } from '../contracts/page.js';
import type { Database, RevisionTable, StoreTables, Transaction } from './tables.js';

/**
 * Raises the revision of a topic and returns it. Must be the first statement of a transaction that
 * changes such rows: other writers wait until this one has committed, so revisions are committed in
 * order.
 */
export async function raiseRevision(
  transaction: Transaction,
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

/** Makes other writers of a topic wait for this transaction, without raising the revision. */
export async function lockRevision(
  transaction: Transaction,
  topic: RevisionTable['topic'],
): Promise<void> {
  await transaction
    .updateTable('revisions')
    .where('topic', '=', topic)
    .set((eb) => ({ revision: eb.ref('revision') }))
    .execute();
}

/**
 * The rows that have changed since a revision.
 * @param read finds rows with `revision > since`; not called if nothing has changed
 */
export async function changesSince<T>(
  database: Database,
  topic: RevisionTable['topic'],
  since: number,
  read: (since: number) => Promise<readonly T[]>,
): Promise<Changes<T>> {
  // before the rows: what commits in between is read again the next time, and never missed
  const { revision } = await database
    .selectFrom('revisions')
    .where('topic', '=', topic)
    .select('revision')
    .executeTakeFirstOrThrow();
  return { revision, records: revision > since ? await read(since) : [] };
}

/** The records of a topic whose table has its name that have changed since a revision. */
export const recordsSince = <Topic extends 'preferences' | 'learnings', T>(
  database: Database,
  topic: Topic,
  since: number,
  record: (row: Selectable<StoreTables[Topic]>) => T,
): Promise<Changes<T>> =>
  changesSince(database, topic, since, async (before) => {
    const { rows } = await sql<Selectable<StoreTables[Topic]>>`
      select * from ${sql.table(topic)} where revision > ${before} order by revision`.execute(
      database,
    );
    return rows.map(record);
  });
