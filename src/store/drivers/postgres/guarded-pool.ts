import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { GatewayError, messageOf } from '../../../errors.js';
import { checkParameters } from '../../sql/parameters.js';
import { DatabaseFailure, storeError } from '../../failure.js';

/** A pool that checks parameters, throws GatewayErrors, and drops lost connections. */
export class GuardedPool implements PostgresPool {
  private isAway = false;

  /** @param onWarning gets one message each time that an idle connection is lost */
  constructor(
    private readonly pool: Pool,
    onWarning: (warning: string) => void,
  ) {
    // without a listener the loss of an idle connection would crash the process
    pool.on('error', (error) => {
      if (!this.isAway) onWarning(postgresFailure(error).error.message);
      this.isAway = true;
    });
    // a loss between the pool's listener and ours: the next statement fails
    pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async connect(): Promise<PostgresPoolClient> {
    try {
      const client = await this.pool.connect();
      this.isAway = false;
      return new GuardedClient(client);
    } catch (error) {
      throw postgresFailure(error).error;
    }
  }

  end(): Promise<void> {
    return this.pool.end();
  }
}

class GuardedClient implements PostgresPoolClient {
  private lostBy: unknown = null;
  private readonly onError = (error: unknown): void => {
    this.lostBy ??= error;
  };

  constructor(private readonly client: PoolClient) {
    // the pool listens only to idle connections
    client.on('error', this.onError);
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    sql: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof sql !== 'string')
      throw new GatewayError('internal', 'streaming rows from PostgreSQL is not supported');
    return this.run(sql, parameters);
  }

  release(): void {
    this.client.off('error', this.onError);
    this.client.release(this.lostBy !== null);
  }

  private async run<R>(
    sql: string,
    parameters: readonly unknown[],
  ): Promise<PostgresQueryResult<R>> {
    checkParameters(parameters);
    // otherwise a rollback would wait behind a statement without an answer
    if (this.lostBy !== null) throw postgresFailure(this.lostBy).error;
    try {
      const { command, rowCount, rows } = await this.client.query(sql, [...parameters]);
      return {
        command: command as PostgresQueryResult<R>['command'],
        rowCount: rowCount ?? 0,
        rows: rows as R[],
      };
    } catch (error) {
      const failure = postgresFailure(error);
      if (failure.isLost) this.lostBy ??= error;
      throw failure.error;
    }
  }
}

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

/**
 * Interprets an error of the PostgreSQL client: what is not the server's is the connection's, which
 * is lost then.
 */
function postgresFailure(error: unknown): { error: GatewayError; isLost: boolean } {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  const isFromServer = error instanceof Error && 'severity' in error && code !== null;
  if (!isFromServer)
    return { error: storeError(new DatabaseFailure(reasonOf(error), code), true), isLost: true };
  return {
    error: storeError(
      new DatabaseFailure(serverMessage(error.message, code), code),
      temporaryCodes.test(code),
    ),
    isLost: closingCodes.test(code),
  };
}

/** For a host with several addresses Node reports an AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  return messageOf(error);
}

/** Without the user's name, and without the value that a column did not accept. */
function serverMessage(message: string, code: string): string {
  if (code.startsWith('28')) return `it rejects the credentials (${code})`;
  return code.startsWith('22') ? `a column does not accept a value (${code})` : message;
}
