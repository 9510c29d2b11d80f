import type { GatewayError } from '../../../errors.js';
import { DatabaseFailure, storeError } from '../../failure.js';

/**
 * SQLSTATE classes (and some codes) after which the same statement may succeed later: connection,
 * credentials, missing database, aborted transaction, out of resources, operator or timeout, system
 * error; standby server; lock not available.
 */
const temporaryCodes = /^(08|28|3D|40|53|57|58|25006|55P03)/;
/**
 * After these the server closes the connection, or has become a standby, and a new connection may
 * lead to its successor.
 */
const closingCodes = /^(08|57P|25006)/;

/** A failure, and whether the connection can be used again. */
export interface PostgresFailure {
  readonly error: GatewayError;
  readonly isLost: boolean;
}

/**
 * Interprets an error of the PostgreSQL client. An error that does not come from the server comes
 * from the connection.
 */
export function postgresFailure(error: unknown): PostgresFailure {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  const isFromServer = error instanceof Error && 'severity' in error && code !== null;
  if (!isFromServer)
    return { error: storeError(new DatabaseFailure(messageOf(error), code), true), isLost: true };
  return {
    error: storeError(
      new DatabaseFailure(serverMessage(error.message, code), code),
      temporaryCodes.test(code),
    ),
    isLost: closingCodes.test(code),
  };
}

/** For a host with several addresses Node reports an AggregateError without a message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** Without the user's name, and without the value that a column did not accept. */
function serverMessage(message: string, code: string): string {
  if (code.startsWith('28')) return `it rejects the credentials (${code})`;
  return code.startsWith('22') ? `a column does not accept a value (${code})` : message;
}
