import { GatewayError } from '../errors.js';

/** What a database, or the way to it, said. Without the details that PostgreSQL adds: they hold what was to be stored. */
export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure';

  /** @param code SQLSTATE, or SQLite's or the operating system's name; null: none */
  constructor(
    message: string,
    readonly code: string | null,
  ) {
    super(message);
  }
}

/** How the store's callers hear of a failure. `isAway`: the same statement may succeed later. */
export function storeError(failure: DatabaseFailure, isAway: boolean): GatewayError {
  return isAway
    ? new GatewayError('unavailable', `the database cannot be reached: ${failure.message}`, {
        cause: failure,
      })
    : new GatewayError(
        'internal',
        `the database refused a statement${failure.code === null ? '' : `: ${failure.code}`}`,
        { cause: failure },
      );
}

const duplicates: ReadonlySet<unknown> = new Set([
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);

/** Whether a statement failed because another row has the same unique value. */
export function isDuplicate(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.cause instanceof DatabaseFailure &&
    duplicates.has(error.cause.code)
  );
}
