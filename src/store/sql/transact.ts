import type { Database, Transaction } from './tables.js';

const maxAttempts = 3;
/** PostgreSQL's codes for an aborted transaction: a deadlock, a failed serialization. */
const abortCodes: ReadonlySet<unknown> = new Set(['40P01', '40001']);

/** Runs a transaction, up to three times if PostgreSQL aborts it in favour of another. */
export async function transact<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction().execute(work);
    } catch (error) {
      if (attempt === maxAttempts || !wasAborted(error)) throw error;
    }
  }
}

function wasAborted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && abortCodes.has(error.code)) || wasAborted(error.cause);
}
