import { open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Kysely, sql } from 'kysely';
import { GatewayError } from '../../../errors.js';
import { LibsqlDialect } from './driver.js';

/**
 * Copies an embedded database, while it is in use, into a new file that only its owner can read.
 * @throws GatewayError `conflict` if the file exists, `unavailable` if it cannot be written
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

/** Creates an empty file, which SQLite accepts: one of its own would be readable by everyone. */
async function create(target: string): Promise<void> {
  const file = await open(target, 'wx', 0o600).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'EEXIST')
      throw new GatewayError('conflict', `${target} exists: a backup does not overwrite files`);
    throw new GatewayError(
      'unavailable',
      `the backup cannot be written to ${dirname(target)}: ${code}`,
      { cause: error },
    );
  });
  await file.close();
}

/** Copies on a connection of its own, unless it is in memory: other statements go on. */
async function copy<T>(database: Kysely<T>, path: string, target: string): Promise<void> {
  const copying = sql`vacuum into ${target}`;
  if (path === ':memory:') {
    await copying.execute(database);
    return;
  }
  const own = new Kysely<T>({ dialect: new LibsqlDialect(path) });
  await copying.execute(own).finally(() => own.destroy());
}

/** Flushes the copy to the disk, which SQLite does not do. */
async function flush(target: string): Promise<void> {
  const file = await open(target, 'r+');
  await file.sync().finally(() => file.close());
}
