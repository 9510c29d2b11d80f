import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.js';

const attempts = 3;
/** PostgreSQL's codes for a transaction that it ended so that another could go on: a deadlock, a failed serialisation. */
const givenUp: ReadonlySet<unknown> = new Set(['40P01', '40001']);

/** Runs `work` in a transaction, up to three times where PostgreSQL gave it up for another's sake. */
export async function transact<T>(
  database: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction().execute(work);
    } catch (error) {
      if (attempt === attempts || !wasGivenUp(error)) throw error;
    }
  }
}

function wasGivenUp(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && givenUp.has(error.code)) || wasGivenUp(error.cause);
}
