import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { GatewayError, messageOf } from '../../../errors.js';
import { DatabaseFailure, storeError } from '../../failure.js';
import { checkParameters } from '../../sql/parameters.js';
import { DatabaseThread, threadGone } from './database-thread.js';

interface Waiting {
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
}

/** `DatabaseFailure.code` if the turn did not come in time. */
const waitedTooLong = 'WAITED_TOO_LONG';

/** A lock with a queue in front of it. */
export class Turns {
  private isTaken = false;
  private readonly waiting: Waiting[] = [];

  /** @param maxWaitMs limits the queue behind a locked database, and a caller's own wait */
  constructor(private readonly maxWaitMs = 10_000) {}

  /**
   * Resolves when the caller has the lock, until `give`.
   * @throws DatabaseFailure `waitedTooLong`
   */
  async take(): Promise<void> {
    if (!this.isTaken) {
      this.isTaken = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(new DatabaseFailure(`it was busy for ${this.maxWaitMs} ms`, waitedTooLong));
      };
      const waiting: Waiting = { go: resolve, timer: setTimeout(leave, this.maxWaitMs) };
      this.waiting.push(waiting);
    });
  }

  /** Passes the lock on. */
  give(): void {
    const next = this.waiting.shift();
    if (next === undefined) {
      this.isTaken = false;
      return;
    }
    clearTimeout(next.timer);
    next.go();
  }
}

/** SQLite's codes, by their first two words, after which the same statement may succeed later. */
const temporaryCodes = new Set([
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_CANTOPEN',
  'SQLITE_NOMEM',
  'SQLITE_READONLY',
  'SQLITE_PROTOCOL',
  'SQLITE_INTERRUPT',
  threadGone,
  waitedTooLong,
  // the worker's own code
  'FILE_GONE',
]);

function libsqlError(error: unknown): unknown {
  if (!(error instanceof DatabaseFailure)) return error;
  return storeError(
    error,
    error.code !== null &&
      (temporaryCodes.has(error.code) || temporaryCodes.has(error.code.split('_', 2).join('_'))),
  );
}

/** What the driver asks of a thread. */
export type StatementRunner = Pick<DatabaseThread, 'isGone' | 'run' | 'close'>;

/** One connection to one thread, lent to one caller at a time. A dead thread is replaced. */
export class LibsqlDriver implements Driver {
  private readonly turns = new Turns();
  private thread: StatementRunner | null = null;

  /** @param start starts a thread; one that replaces another must not create a file */
  constructor(
    private readonly path: string,
    private readonly start = (at: string, isReplacement: boolean): StatementRunner =>
      new DatabaseThread(at, isReplacement),
  ) {}

  /** Does nothing: the thread starts with the first statement. */
  init(): Promise<void> {
    return Promise.resolve();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.turns.take().catch((error: unknown) => {
      throw libsqlError(error);
    });
    // an in-memory database is gone with its thread: statements fail from then on
    if (this.thread === null || (this.thread.isGone && this.path !== ':memory:'))
      this.startThread();
    return new LibsqlConnection(this.thread!);
  }

  private startThread(): void {
    try {
      this.thread = this.start(this.path, this.thread !== null);
    } catch (error) {
      // the system cannot start a thread now; the next caller tries again
      this.turns.give();
      throw storeError(new DatabaseFailure(messageOf(error), threadGone), true);
    }
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // a transaction that reads before it writes would fail if another process has written in
    // between
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  /** Never rejects, because the failure that caused the rollback is the one to report. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback')).catch(async (error: unknown) => {
      // SQLite rolls back by itself when the disk is full
      const isRolledBack =
        error instanceof GatewayError &&
        error.cause instanceof DatabaseFailure &&
        error.cause.message.includes('no transaction is active');
      if (!isRolledBack) await this.thread?.close();
    });
  }

  releaseConnection(): Promise<void> {
    this.turns.give();
    return Promise.resolve();
  }

  async destroy(): Promise<void> {
    await this.turns.take().catch(() => undefined);
    await this.thread?.close();
  }
}

/** Belongs to one thread: when that has died, the rest of a transaction fails too. */
class LibsqlConnection implements DatabaseConnection {
  constructor(private readonly thread: StatementRunner) {}

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    checkParameters(parameters);
    try {
      const { rows, changes } = await this.thread.run(sql, parameters);
      return { rows: rows as R[], numAffectedRows: BigInt(changes) };
    } catch (error) {
      throw libsqlError(error);
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new GatewayError('internal', 'the embedded database does not stream rows');
  }
}

/** Kysely's dialect for an embedded libsql database in a thread of its own. */
export class LibsqlDialect implements Dialect {
  /** @param path absolute, or `:memory:` @param start where statements run, if not in a thread */
  constructor(
    private readonly path: string,
    private readonly start?: () => StatementRunner,
  ) {}

  createDriver(): Driver {
    return new LibsqlDriver(this.path, this.start);
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new SqliteAdapter();
  }

  createIntrospector(database: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(database);
  }
}
