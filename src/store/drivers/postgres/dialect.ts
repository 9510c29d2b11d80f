import { PostgresDialect } from 'kysely';
import type { PoolConfig } from 'pg';
import { GuardedPool } from './guarded-pool.js';

export interface PostgresOptions {
  readonly poolSize: number;
  /** Statements may take as long as they need: for migrations. */
  readonly isPatient?: boolean;
  readonly onWarning: (warning: string) => void;
}

const connectMs = 3_000;
const statementMs = 10_000;
/** Of the client, for a server that does not answer at all. */
const answerMs = 15_000;

/** Of a transaction in which nothing is asked: its process has vanished without a word, and others wait for what it has locked. */
const vanishedMs = 30_000;

/** PostgreSQL's numbers of its types for whole numbers of 64 bits, and for their sums. */
const int8 = 20;
const numeric = 1700;

/** Kysely on PostgreSQL. The client is loaded with the first statement. */
export function postgresDialect(
  url: string,
  { poolSize, isPatient = false, onWarning }: PostgresOptions,
): PostgresDialect {
  return new PostgresDialect({
    pool: async () => {
      const { default: pg } = await import('pg');
      // of this pool alone: the host's own PostgreSQL client is none of our business
      const types = new pg.TypeOverrides();
      types.setTypeParser(int8, Number);
      types.setTypeParser(numeric, Number);
      const limits: PoolConfig = isPatient
        ? {}
        : { statement_timeout: statementMs, query_timeout: answerMs };
      const pool = new pg.Pool({
        connectionString: url,
        max: poolSize,
        connectionTimeoutMillis: connectMs,
        idleTimeoutMillis: 30_000,
        keepAlive: true,
        application_name: 'signalbox',
        types,
        idle_in_transaction_session_timeout: vanishedMs,
        ...limits,
      });
      return new GuardedPool(pool, onWarning);
    },
  });
}
