import { GatewayError } from '../errors.js';

/** A failure of the database or its connection. Without PostgreSQL's details, which hold values. */
export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure';

  /** @param code SQLSTATE, or the name of SQLite or the operating system; null: none */
  constructor(
    message: string,
    readonly code: string | null,
  ) {
    super(message);
  }
}

/** The GatewayError for a failure. @param isAway the same statement may succeed later */
export const storeError = (failure: DatabaseFailure, isAway: boolean): GatewayError =>
  isAway
    ? new GatewayError('unavailable', `the database cannot be reached: ${failure.message}`, {
        cause: failure,
        // the message of the operating system has the address
        publicMessage: 'the database cannot be reached',
      })
    : new GatewayError(
        'internal',
        `the database refused a statement${failure.code === null ? '' : `: ${failure.code}`}`,
        { cause: failure },
      );

const duplicates: ReadonlySet<unknown> = new Set([
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);

/** Whether a statement failed because another row has the same unique value. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof DatabaseFailure &&
  duplicates.has(error.cause.code);
