// @ts-check
import { closeSync, openSync, statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'libsql';
import { LRUCache } from 'lru-cache';

/*
 * The thread of the embedded database, whose calls block until a lock is free and the disk has
 * written. Plain JavaScript, so that a worker can be started from the sources too.
 */

/** @typedef {{ sql: string, parameters: unknown[] }} Statement */
/**
 * @typedef {{ rows: unknown[], changes: number } | { failure: { code: string | null, message:
 * string } }} Answer
 */

/** As the driver knows it. */
const fileGone = 'FILE_GONE';
const goneMessage =
  'its file was deleted or replaced while it was open; put it back, or restart the gateway to open the new one';

const { path, mustExist, state } =
  /** @type {{ path: string, mustExist: boolean, state: Int32Array }} */ (workerData);
/** Characters of a statement that is kept prepared; the largest insert has 4,700. */
const maxPreparedLength = 8_192;
/** Where SQLite restarts the write-ahead log; truncating it below that only costs time. */
const logBytes = 4_194_304;
const busyTimeoutMs = 5_000;
const busyPauseMs = 10;
/** Waited on to pass time; never notified. */
const pause = new Int32Array(new SharedArrayBuffer(4));
/** @type {LRUCache<string, ReturnType<InstanceType<typeof Database>['prepare']>>} */
const prepared = new LRUCache({ max: 200 });
/** @type {InstanceType<typeof Database> | null} */
let opened = null;
/**
 * The file that was opened. When it has been deleted or replaced, SQLite would go on writing into a
 * file that has no name any more.
 */
let openedFile = '';

function open() {
  if (mustExist && fileId() === '')
    throw Object.assign(new Error('its file was deleted'), { code: 'SQLITE_CANTOPEN' });
  if (path !== ':memory:') create();
  const database = new Database(path);
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
  useLog(database);
  // a confirmed change survives a power failure
  database.pragma('synchronous = FULL');
  // deleted content must not be readable in the file: it is overwritten, in the log after another
  // round or two; FAST leaves out whole pages
  database.pragma('secure_delete = ON');
  database.pragma(`journal_size_limit = ${logBytes}`);
  openedFile = fileId();
  return database;
}

/**
 * Has the database write ahead into a log. While another process that also creates it has the lock,
 * SQLite refuses that at once instead of waiting.
 * @param {InstanceType<typeof Database>} database
 */
function useLog(database) {
  const until = Date.now() + busyTimeoutMs;
  for (;;) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = Object(error).code === 'SQLITE_BUSY';
      if (!isBusy || Date.now() >= until) throw error;
      Atomics.wait(pause, 0, 0, busyPauseMs);
    }
  }
}

/** Identifies the file at the path; empty: there is none. */
function fileId() {
  if (path === ':memory:') return 'memory';
  const file = statSync(path, { throwIfNoEntry: false });
  return file ? `${file.dev}:${file.ino}` : '';
}

/**
 * Creates the file, because SQLite would create one that everyone can read. An existing file is not
 * opened: closing it would release all locks that this process has on it, also those of other
 * connections, and the next process to exit would remove the log under them.
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
  if (sql.length <= maxPreparedLength) prepared.set(sql, statement);
  return statement;
}

/** @param {Statement} statement @returns {Answer} */
function run({ sql, parameters }) {
  try {
    opened ??= open();
    // 2 µs a statement; what has begun is rolled back all the same
    if (sql !== 'rollback' && fileId() !== openedFile)
      return { failure: { code: fileGone, message: goneMessage } };
    const statement = prepare(opened, sql);
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
  // a file that cannot be created; libsql itself reports this without a code
  return { code: opened === null ? 'SQLITE_CANTOPEN' : null, message };
}

function close() {
  // closing removes the log beside the path, which may belong to a file that was put in its place
  if (opened && fileId() !== openedFile) {
    leave();
    process.exit();
  }
  try {
    // leaves one complete file, unless another process uses the database
    opened?.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // the next process that opens it reads the log
  }
  opened?.close();
  parentPort?.close();
}

/** False if the process ends and waits only for a statement that has begun. */
function enter() {
  Atomics.store(state, 0, 1);
  if (Atomics.load(state, 1) === 0) return true;
  leave();
  return false;
}

function leave() {
  Atomics.store(state, 0, 0);
  Atomics.notify(state, 0);
}

parentPort?.on('message', (/** @type {Statement | 'close'} */ message) => {
  if (!enter()) return;
  if (message === 'close') close();
  else parentPort?.postMessage(run(message));
  leave();
});
