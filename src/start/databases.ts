import { join } from 'node:path';
import type { Config } from '../config.js';
import type { Backing } from '../store/backing.js';
import { backingOf } from '../store/open-backing.js';

/** The database of a process of its own: without another word, a file in the data folder. */
export function databaseUrlOf({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>): string {
  return database.url ?? `file:${join(dataDir, 'signalbox.db')}`;
}

/** The databases of a process of its own. */
export function openedBy(config: Config, onWarning: (warning: string) => void): Backing {
  return backingOf({ databaseUrl: databaseUrlOf(config), poolSize: config.database.poolSize, redisUrl: config.redis.url, onWarning });
}
