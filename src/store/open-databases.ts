import { type Databases, LazyDatabases } from './lazy-databases.js';
import { openStore } from './open-store.js';
import type { Counters } from './contracts/counters.js';
import { createMemoryCounters } from './counters/memory/memory-counters.js';
import type { RedisCountersOptions } from './counters/redis/redis-counters.js';
import type { RelayedDatabases } from './relay/relayed-databases.js';

/** Where a configuration has its databases. */
interface DatabaseSettings {
  /** `file:<path>`, `:memory:` or `postgres://…`; null: none is named. */
  readonly database: { readonly url: string | null; readonly poolSize: number };
  /** `redis://…`; null: counters are kept in this process. */
  readonly redis: { readonly url: string | null };
}

/**
 * The databases that a configuration names, opened when they are first needed; their warnings and
 * news are logged.
 * @param defaultUrl the database if the configuration names none
 * @param relay where workers have what they share of an embedded database and of counters without
 * Redis
 */
export function configuredDatabases(
  { database, redis }: DatabaseSettings,
  defaultUrl: string,
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void },
  relay: Pick<RelayedDatabases, 'statements' | 'counters'> | null = null,
): LazyDatabases {
  const url = database.url ?? defaultUrl;
  const onWarning = (warning: string): void => log.warn({}, warning);
  const onNews = (news: string): void => log.info({}, news);
  const open = async (): Promise<Databases> => {
    const shared = relay && { statements: () => relay.statements() };
    const store = await openStore(url, { poolSize: database.poolSize, onWarning, ...shared });
    try {
      if (relay && redis.url === null) return { store, counters: relay.counters() };
      return { store, counters: await openCounters(redis.url, { onWarning, onNews }) };
    } catch (error) {
      // the next call of `get` opens another one
      await store.close();
      throw error;
    }
  };
  return new LazyDatabases(open, url === ':memory:');
}

/** Whether Redis at the address answers, and accepts writes. @throws as `openCounters` */
export async function redisAnswers(redisUrl: string): Promise<boolean> {
  const counters = await openCounters(redisUrl);
  const isThere = counters.state === 'redis';
  await counters.close();
  return isThere;
}

/**
 * Counters in Redis at the address, or in this process's memory (null). An unreachable Redis is no
 * failure: see `openRedisCounters`.
 * @throws GatewayError `internal` for an invalid address
 */
export async function openCounters(
  redisUrl: string | null,
  options: RedisCountersOptions = {},
): Promise<Counters> {
  if (redisUrl === null) return createMemoryCounters(options);
  // lazy, because loading the Redis client takes 50 ms
  const { openRedisCounters } = await import('./counters/redis/redis-counters.js');
  return openRedisCounters(redisUrl, options);
}
