import { isDeepStrictEqual } from 'node:util';
import type { Config } from './shape.js';

/** What is read once, at the start: the addresses and the servers' own limits, the data folder and the databases, the form of logs and metrics. */
const readAtStart: Readonly<Record<string, (config: Config) => unknown>> = {
  listen: ({ listen }) => listen,
  surfaces: ({ surfaces }) => surfaces,
  dataDir: ({ dataDir }) => dataDir,
  database: ({ database }) => database,
  redis: ({ redis }) => redis,
  'requestLog[maxQueued]': ({ requestLog }) => requestLog.maxQueued,
  'limits[requestTimeoutMs]': ({ limits }) => limits.requestTimeoutMs,
  'limits[headersTimeoutMs]': ({ limits }) => limits.headersTimeoutMs,
  'limits[maxHeaderBytes]': ({ limits }) => limits.maxHeaderBytes,
  'limits[drainMs]': ({ limits }) => limits.drainMs,
  'metrics[prefix]': ({ metrics }) => metrics.prefix,
  'log[pretty]': ({ log }) => log.pretty,
};

/** The settings in which a configuration differs from the one that the process was started with, and which take a restart. */
export function needsRestart(started: Config, changed: Config): string[] {
  return Object.keys(readAtStart).filter(
    (setting) =>
      !isDeepStrictEqual(readAtStart[setting]?.(started), readAtStart[setting]?.(changed)),
  );
}
