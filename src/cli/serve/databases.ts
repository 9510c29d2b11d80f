import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import { lazyDatabases } from '../../store/open-databases.js';

/** The database URL of a standalone gateway; by default a file in the data folder. */
export function databaseUrlOf({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>): string {
  return database.url ?? `file:${join(dataDir, 'signalbox.db')}`;
}

/**
 * The databases of a standalone gateway, opened at first use; their warnings and news are logged.
 */
export function databasesFor(config: Config, logger: Logger): LazyDatabases {
  return lazyDatabases({
    databaseUrl: databaseUrlOf(config),
    poolSize: config.database.poolSize,
    redisUrl: config.redis.url,
    onWarning: (warning) => logger.warn(warning),
    onNews: (news) => logger.info(news),
  });
}
