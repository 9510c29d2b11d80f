import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Dialect, Kysely, sql } from 'kysely';
import { GatewayError, messageOf } from '../errors.js';
import { DatabaseFailure, storeError } from './failure.js';
import { backUp } from './drivers/libsql/back-up.js';
import { LibsqlDialect, type StatementRunner } from './drivers/libsql/driver.js';
import { migrateSchema } from './sql/migrate.js';
import { postgresDialect } from './drivers/postgres/dialect.js';
import { createSqlStore } from './sql/sql-store.js';
import type { StoreTables } from './sql/tables.js';
import type { Store } from './contracts/store.js';
import { parseUrl } from '../text/parse-url.js';

export interface StoreOptions {
  /** PostgreSQL: the maximum number of connections; 10 if absent. */
  readonly poolSize?: number;
  /** Gets a message when the database goes away. */
  readonly onWarning?: (warning: string) => void;
  /** Embedded: where statements run instead of in a thread of this process. */
  readonly statements?: () => StatementRunner;
}

/**
 * Opens the store at `file:<path>`, `:memory:`, `postgres://…` or `postgresql://…`, and migrates
 * its schema to the newest version.
 * @throws GatewayError `unavailable` if it cannot be reached, `internal` for an invalid address, a
 * damaged file or a database of a newer version
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  if (/^postgres(ql)?:/.test(url)) return openPostgres(url, options);
  if (url === ':memory:') return openLibsql(url, options);
  if (url.startsWith('file:') && url.length > 'file:'.length) {
    const path = pathOf(url);
    try {
      makeFolder(dirname(path));
    } catch (error) {
      throw storeError(new DatabaseFailure(messageOf(error), null), true);
    }
    return openLibsql(path, options);
  }
  throw new GatewayError(
    'internal',
    'database.url: must be file:<path>, :memory: or postgres://<user>:<password>@<host>/<database>',
  );
}

/**
 * Creates a folder, which only its owner can read, and those above it. Node's own `recursive` never
 * returns where the system answers ENOENT, as in /proc (Node 20, 2026-11).
 * @throws the system's error
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // another process may have made it
    if (!existsSync(folder)) throw error;
  }
}

async function openLibsql(path: string, { statements }: StoreOptions): Promise<Store> {
  const database = opened(new LibsqlDialect(path, statements));
  try {
    // another process may be migrating, for longer than a statement usually waits
    await sql`pragma busy_timeout = 60000`.execute(database);
    await migrateSchema(database, 'libsql');
    await sql`pragma busy_timeout = 5000`.execute(database);
  } catch (error) {
    await database.destroy();
    const damage = damageOf(error);
    throw damage === null
      ? error
      : new GatewayError(
          'internal',
          `${path} is damaged or not a database (${damage}): restore a backup`,
          { cause: error },
        );
  }
  return createSqlStore(database, 'libsql', (file) => backUp(database, path, file));
}

async function openPostgres(
  url: string,
  { poolSize = 10, onWarning = () => undefined }: StoreOptions,
): Promise<Store> {
  checkPostgresUrl(url);
  const migrating = opened(postgresDialect(url, { poolSize: 1, hasTimeouts: false, onWarning }));
  await migrateSchema(migrating, 'postgres').finally(() => migrating.destroy());
  return createSqlStore(opened(postgresDialect(url, { poolSize, onWarning })), 'postgres', () =>
    Promise.reject(
      new GatewayError('not_implemented', 'back up PostgreSQL with its own tools: pg_dump'),
    ),
  );
}

/** SQLite's code for a file that is damaged or not a database; null for other failures. */
function damageOf(error: unknown): string | null {
  const code =
    error instanceof GatewayError && error.cause instanceof DatabaseFailure
      ? error.cause.code
      : null;
  return code !== null && /^SQLITE_(NOTADB|CORRUPT)/.test(code) ? code : null;
}

const opened = (dialect: Dialect): Kysely<StoreTables> => new Kysely<StoreTables>({ dialect });

/** The path of an embedded database; null for any other address. */
export const databaseFileOf = (url: string): string | null =>
  url.startsWith('file:') ? pathOf(url) : null;

/** `file:relative`, `file:/absolute` and `file:///absolute`. */
function pathOf(url: string): string {
  if (!url.startsWith('file://')) return resolve(url.slice('file:'.length));
  try {
    return fileURLToPath(url);
  } catch {
    throw new GatewayError('internal', 'database.url: must be file:<path>, relative or absolute');
  }
}

/** Called before the client parses the address: its errors could contain a password. */
function checkPostgresUrl(url: string): void {
  const parsed = parseUrl(url);
  const isValid =
    parsed !== null && parsed.hash === '' && !`${parsed.pathname}${parsed.search}`.includes('@');
  if (!isValid)
    throw new GatewayError(
      'internal',
      'database.url: is invalid; percent-encode special characters of the password (%23, %2F, %3F, %40)',
    );
}
