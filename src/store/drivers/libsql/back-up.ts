import { open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Kysely, sql } from 'kysely';
import { GatewayError } from '../../../errors.js';
import { LibsqlDialect } from './dialect.js';

/**
 * Copies an embedded database into a new file that only its owner can read, while the database is in use.
 * @throws GatewayError `conflict` where there is such a file, `unavailable` where it cannot be written
 */
export async function backUp<T>(database: Kysely<T>, path: string, file: string): Promise<void> {
  const target = resolve(file);
  await create(target);
  try {
    await copy(database, path, target);
    await flush(target);
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

/** SQLite would make it readable to all; into an empty file it writes as into none. */
async function create(target: string): Promise<void> {
  const file = await open(target, 'wx', 0o600).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'EEXIST')
      throw new GatewayError('conflict', `${target} exists already: a backup does not overwrite`);
    throw new GatewayError(
      'unavailable',
      `the backup cannot be written to ${dirname(target)}: ${code}`,
      { cause: error },
    );
  });
  await file.close();
}

/** By a connection of its own where there can be one, so that statements go on meanwhile. */
async function copy<T>(database: Kysely<T>, path: string, target: string): Promise<void> {
  const copying = sql`vacuum into ${target}`;
  if (path === ':memory:') {
    await copying.execute(database);
    return;
  }
  const own = new Kysely<T>({ dialect: new LibsqlDialect(path) });
  await copying.execute(own).finally(() => own.destroy());
}

/** SQLite leaves a copy to the operating system's buffers. */
async function flush(target: string): Promise<void> {
  const file = await open(target, 'r+');
  await file.sync().finally(() => file.close());
}
