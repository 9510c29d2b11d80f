import { randomBytes } from 'node:crypto';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { type GuardedFolder, guardFolder, type User } from './guarded.js';
import { binariesFor, postgresUser, reachableTmpdir } from './postgres-files.js';
import { type ServerProcess, startServer } from './server-process.js';

/**
 * A PostgreSQL for one test file, ended with the worker at the latest. Committed data survives a
 * restart.
 */
export interface OwnPostgres extends ServerProcess {
  /** The URL of its one database: `postgres://<user>:<password>@127.0.0.1:<port>/postgres` */
  url: string;
  /** Ends it for good and removes its files. */
  remove(): Promise<void>;
}

// Survives its own crash, not the machine's; small, and without the processes that tests do not
// need.
// Without a socket file and with memory in its folder, it leaves nothing elsewhere.
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '32MB',
  max_wal_size: '256MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  io_method: 'sync',
  autovacuum: 'off',
  jit: 'off',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  dynamic_shared_memory_type: 'mmap',
};

/**
 * Starts a PostgreSQL with an empty database, for tests that stop it. That takes a second or two;
 * other tests use `freshDatabase`.
 *
 * We do not use the package's own class: it ends the server with the process that imported it,
 * handles
 * signals in the test's process, and adds a user to the machine.
 */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const user = postgresUser();
  const folder = guardFolder(reachableTmpdir(user), 'postgres', 'QUIT', user);
  const binaries = binariesFor(user, folder);
  const password = randomBytes(12).toString('hex');
  const urlOn = (port: number): string =>
    `postgres://signalbox:${password}@127.0.0.1:${port}/postgres`;
  await initialise(folder, join(binaries, 'initdb'), password, user);
  const server = await startServer(
    {
      program: join(binaries, 'postgres'),
      signal: 'QUIT',
      args: (port) => [
        '-D',
        join(folder.path, 'data'),
        '-p',
        String(port),
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      answers: (port) =>
        runSql(urlOn(port), 'SELECT 1').then(
          () => true,
          () => false,
        ),
    },
    folder,
  );
  return Object.assign(server, { url: urlOn(server.port), remove: () => folder.remove() });
}

async function initialise(
  folder: GuardedFolder,
  initdb: string,
  password: string,
  user: User | undefined,
): Promise<void> {
  const passwordFile = join(folder.path, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  const child = folder.start(initdb, [
    '-D',
    join(folder.path, 'data'),
    '-U',
    'signalbox',
    `--pwfile=${passwordFile}`,
    '--auth=password',
    '--no-sync',
    '--no-locale',
    '-E',
    'UTF8',
  ]);
  child.ref();
  const code = await new Promise<unknown>((resolve) =>
    child.once('error', resolve).once('exit', resolve),
  );
  if (code !== 0) throw new Error(`${initdb} ended with ${String(code)}\n${folder.log()}`);
}

/** Runs one statement on a connection of its own. */
export async function runSql(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end();
  }
}
