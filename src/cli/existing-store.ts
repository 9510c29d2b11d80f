import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, loadConfig } from '../config/config.js';
import { rules } from '../gateway.js';
import type { Store } from '../store/contracts/store.js';
import { databaseFileOf, openStore } from '../store/open-store.js';

/** The options of every command. */
export interface GlobalOptions {
  readonly config?: string;
  readonly dataDir?: string;
}

/** The configuration that a command works with. @throws ConfigError */
export function configOf({ config, dataDir }: GlobalOptions): Config {
  // a later reload of the configuration reads the environment again
  if (dataDir !== undefined) process.env['SIGNALBOX_DATA_DIR'] = dataDir;
  return loadConfig({ ...rules, ...(config === undefined ? {} : { path: config }) });
}

/**
 * Does something with the configuration's database, which must be there: only a start makes one.
 * @throws Error that names the folder that was looked in, and how to name another
 */
export async function withStore<Result>(
  config: Config,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const url = databaseUrlOf(config);
  if (url === ':memory:')
    throw new Error('the database is in memory (database.url): no other process can use it');
  const file = databaseFileOf(url);
  if (file !== null && !existsSync(file)) throw new MissingDatabase(dirname(file));
  const store = await openStore(url, { poolSize: 2 });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const elsewhere =
  'If it keeps its data elsewhere, name the folder with --data-dir FOLDER or SIGNALBOX_DATA_DIR (under systemd: /var/lib/signalbox), or the database with SIGNALBOX_DATABASE_URL';

/** The database file does not exist. */
export class MissingDatabase extends Error {
  readonly found: string;
  readonly remedy = elsewhere;

  constructor(folder: string) {
    const found = `there is no database in ${folder}`;
    super(`${found}: a gateway makes one when it starts. ${elsewhere}`);
    this.found = found;
  }
}

/** The database URL of a standalone gateway; by default a file in the data folder. */
export function databaseUrlOf({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>): string {
  return database.url ?? `file:${join(dataDir, 'signalbox.db')}`;
}
