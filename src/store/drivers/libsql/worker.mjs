// @ts-check
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'libsql';
import { LRUCache } from 'lru-cache';

/*
 * The thread that holds the embedded database: its calls block until a lock is free and the disk has written. Plain JavaScript, so that a
 * worker can be started from the sources too.
 */

/** @typedef {{ sql: string, parameters: unknown[] }} Statement */
/** @typedef {{ rows: unknown[], changes: number } | { failure: { code: string | null, message: string } }} Answer */

const { path, busyTimeoutMs } = /** @type {{ path: string, busyTimeoutMs: number }} */ (workerData);
/** The largest insert of the request log has 4,700 characters. */
const longestKept = 8_192;
/** As much as SQLite gathers before it begins the log anew: to cut it shorter than that costs more than it keeps. */
const logBytes = 4_194_304;
/** @type {LRUCache<string, ReturnType<InstanceType<typeof Database>['prepare']>>} */
const prepared = new LRUCache({ max: 200 });
/** @type {InstanceType<typeof Database> | null} */
let opened = null;

function open() {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    create();
  }
  const database = new Database(path);
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
  database.pragma('journal_mode = WAL');
  // an acknowledged change outlives a power cut
  database.pragma('synchronous = FULL');
  // what is deleted must not be read from the file: it is written over, in the log after another round or two. FAST leaves out whole pages
  database.pragma('secure_delete = ON');
  database.pragma(`journal_size_limit = ${logBytes}`);
  return database;
}

/**
 * Makes the file, which SQLite would make readable to all. One that is there is not touched: whoever closes a file gives up all locks that its
 * process has on it, another connection's too, and the next process to leave would take the log away from under that one.
 */
function create() {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** @param {InstanceType<typeof Database>} database @param {string} sql */
function prepare(database, sql) {
  const known = prepared.get(sql);
  if (known) return known;
  const statement = database.prepare(sql);
  if (sql.length <= longestKept) prepared.set(sql, statement);
  return statement;
}

/** @param {Statement} statement @returns {Answer} */
function run({ sql, parameters }) {
  try {
    const statement = prepare((opened ??= open()), sql);
    if (statement.reader) return { rows: statement.all(parameters), changes: 0 };
    return { rows: [], changes: statement.run(parameters).changes };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

/** @param {unknown} error */
function failureOf(error) {
  const message = error instanceof Error ? error.message : String(error);
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code.startsWith('SQLITE_')) return { code, message };
  // a folder that cannot be made; and libsql itself says so by its text alone
  return { code: opened === null ? 'SQLITE_CANTOPEN' : null, message };
}

function close() {
  try {
    // leaves one file that is whole by itself, unless another process is at work in it
    opened?.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // the next one to open it reads the log
  }
  opened?.close();
  parentPort?.close();
}

parentPort?.on('message', (/** @type {Statement | 'close'} */ message) =>
  message === 'close' ? close() : parentPort?.postMessage(run(message)),
);
