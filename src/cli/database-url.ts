import { join } from 'node:path';
import type { Config } from '../config/config.js';

/** The database URL of a standalone gateway; by default a file in the data folder. */
export function databaseUrlOf({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>): string {
  return database.url ?? `file:${join(dataDir, 'signalbox.db')}`;
}
