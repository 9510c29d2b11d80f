import Database from 'libsql';
import { type Driver, Kysely } from 'kysely';
import { DatabaseFailure } from '../../src/store/failure.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { openCounters } from '../../src/store/open-databases.js';
import { openStore } from '../../src/store/open-store.js';
import { backUp } from '../../src/store/drivers/libsql/back-up.js';
import {
  LibsqlDialect,
  LibsqlDriver,
  type StatementRunner,
} from '../../src/store/drivers/libsql/driver.js';
import { migrateSchema } from '../../src/store/sql/migrate.js';
import { createSqlStore } from '../../src/store/sql/sql-store.js';
import type { StoreTables } from '../../src/store/sql/tables.js';
import type { RedisCountersOptions } from '../../src/store/counters/redis/redis-counters.js';
import type { Store } from '../../src/store/contracts/store.js';
import { isWholeRun } from './runs.js';

type Result = Awaited<ReturnType<StatementRunner['run']>>;
type Statement = ReturnType<InstanceType<typeof Database>['prepare']>;

/** An embedded database in memory without a thread: to start one takes most of a short test. */
class DatabaseHere implements StatementRunner {
  private readonly database = new Database(':memory:');
  private readonly prepared = new Map<string, Statement>();
  readonly isGone = false;

  /** Answers later, as a thread would. */
  async run(sql: string, parameters: readonly unknown[]): Promise<Result> {
    await new Promise(setImmediate);
    try {
      const statement = this.prepare(sql);
      if (statement.reader) return { rows: statement.all(parameters), changes: 0 };
      return { rows: [], changes: statement.run(parameters).changes };
    } catch (error) {
      const { code = null, message } = error as Error & { code?: string };
      throw new DatabaseFailure(message, code);
    }
  }

  private prepare(sql: string): Statement {
    const statement = this.prepared.get(sql) ?? this.database.prepare(sql);
    this.prepared.set(sql, statement);
    return statement;
  }

  close(): Promise<void> {
    this.database.close();
    return Promise.resolve();
  }
}

class DialectHere extends LibsqlDialect {
  override createDriver(): Driver {
    return new LibsqlDriver(':memory:', () => new DatabaseHere());
  }
}

/**
 * Opens a store in memory. `npm test` does so without a thread: the tests of the store and of files
 * have theirs.
 */
export async function openMemoryStore(): Promise<Store> {
  if (isWholeRun) return openStore(':memory:');
  const database = new Kysely<StoreTables>({ dialect: new DialectHere(':memory:') });
  await migrateSchema(database, 'libsql');
  return createSqlStore(database, 'libsql', (file) => backUp(database, ':memory:', file));
}

/** Databases of a gateway with its store in memory, opened when they are first needed. */
export const memoryDatabases = (
  redisUrl: string | null,
  options: RedisCountersOptions,
): LazyDatabases =>
  new LazyDatabases(
    async () => ({
      store: await openMemoryStore(),
      counters: await openCounters(redisUrl, options),
    }),
    true,
  );
