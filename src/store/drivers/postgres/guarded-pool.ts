import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { GatewayError } from '../../../errors.js';
import { checkParameters } from '../../sql/parameters.js';
import { postgresFailure } from './postgres-error.js';

/**
 * A pool that checks parameters, turns every failure into a GatewayError, and never reuses a lost
 * connection.
 */
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
