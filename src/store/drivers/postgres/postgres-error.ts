import type { GatewayError } from '../../../errors.js';
import { DatabaseFailure, storeError } from '../../failure.js';

/**
 * SQLSTATE classes (and some codes) for which the same statement may succeed later: connection, credentials, missing database, given up for
 * another transaction, out of resources, stopped by an operator or a timeout, trouble with the system; a standby server; a lock that is held.
 */
const passing = /^(08|28|3D|40|53|57|58|25006|55P03)/;
/** After these the server closes the connection, or it leads to one that has become a standby: a new one may lead to its successor. */
const closing = /^(08|57P|25006)/;

/** A failure, and whether the connection can be used again. */
export interface PostgresFailure {
  readonly error: GatewayError;
  readonly isLost: boolean;
}

/** What a failure of the PostgreSQL client means. What is not from the server itself is from the way to it. */
export function postgresFailure(error: unknown): PostgresFailure {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  const isFromServer = error instanceof Error && 'severity' in error && code !== null;
  if (!isFromServer)
    return { error: storeError(new DatabaseFailure(messageOf(error), code), true), isLost: true };
  return {
    error: storeError(
      new DatabaseFailure(serverMessage(error.message, code), code),
      passing.test(code),
    ),
    isLost: closing.test(code),
  };
}

/** Node reports a name with several addresses as several errors under one that says nothing. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** Without the user's name, and without the value that a column would not take. */
function serverMessage(message: string, code: string): string {
  if (code.startsWith('28')) return `it does not accept the credentials (${code})`;
  return code.startsWith('22') ? `a column does not take a value (${code})` : message;
}
