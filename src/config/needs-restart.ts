import { isDeepStrictEqual } from 'node:util';
import type { Config } from './shape.js';

/** The settings that are read only at the start. */
const readAtStart: Readonly<Record<string, (config: Config) => unknown>> = {
  listen: ({ listen }) => listen,
  surfaces: ({ surfaces }) => surfaces,
  dataDir: ({ dataDir }) => dataDir,
  database: ({ database }) => database,
  redis: ({ redis }) => redis,
  'requestLog.maxQueued': ({ requestLog }) => requestLog.maxQueued,
  'limits.requestTimeoutMs': ({ limits }) => limits.requestTimeoutMs,
  'limits.headersTimeoutMs': ({ limits }) => limits.headersTimeoutMs,
  'limits.maxHeaderBytes': ({ limits }) => limits.maxHeaderBytes,
  'limits.maxConnections': ({ limits }) => limits.maxConnections,
  'limits.drainDelayMs': ({ limits }) => limits.drainDelayMs,
  'limits.drainMs': ({ limits }) => limits.drainMs,
  'metrics.prefix': ({ metrics }) => metrics.prefix,
  'log.pretty': ({ log }) => log.pretty,
  tracing: ({ tracing }) => tracing,
};

/** The settings that differ from those at the start and take effect only after a restart. */
export const needsRestart = (started: Config, changed: Config): string[] =>
  Object.keys(readAtStart).filter(
    (setting) =>
      !isDeepStrictEqual(readAtStart[setting]?.(started), readAtStart[setting]?.(changed)),
  );
