import { PostgresDialect } from 'kysely';
import type { PoolConfig } from 'pg';
import { GuardedPool } from './guarded-pool.js';

export interface PostgresOptions {
  readonly poolSize: number;
  /** False: statements may take as long as they need, for migrations. True if absent. */
  readonly hasTimeouts?: boolean;
  readonly onWarning: (warning: string) => void;
}

const connectMs = 3_000;
const statementMs = 10_000;
/** The client's own timeout, for a server that does not answer at all. */
const answerMs = 15_000;

/** For an idle transaction: its process may have vanished, and others wait for its locks. */
const idleTransactionMs = 30_000;

/** PostgreSQL's type numbers of 64-bit integers, and of their sums. */
const int8 = 20;
const numeric = 1700;

/** Kysely's dialect for PostgreSQL. The client is loaded with the first statement. */
export function postgresDialect(
  url: string,
  { poolSize, hasTimeouts = true, onWarning }: PostgresOptions,
): PostgresDialect {
  return new PostgresDialect({
    pool: async () => {
      const { default: pg } = await import('pg');
      // only for this pool: a host application may use the same client
      const types = new pg.TypeOverrides();
      types.setTypeParser(int8, Number);
      types.setTypeParser(numeric, Number);
      const limits: PoolConfig = hasTimeouts
        ? { statement_timeout: statementMs, query_timeout: answerMs }
        : {};
      const pool = new pg.Pool({
        connectionString: url,
        max: poolSize,
        connectionTimeoutMillis: connectMs,
        idleTimeoutMillis: 30_000,
        keepAlive: true,
        application_name: 'signalbox',
        types,
        idle_in_transaction_session_timeout: idleTransactionMs,
        ...limits,
      });
      return new GuardedPool(pool, onWarning);
    },
  });
}
