import type { Counters } from './contracts/counters.js';
import { createMemoryCounters } from './counters/memory/memory-counters.js';
import type { RedisCountersOptions } from './counters/redis/redis-counters.js';

/**
 * Counters in Redis at that address, in this process's memory where there is none. A Redis that cannot be reached is no failure: see
 * `openRedisCounters`.
 * @throws GatewayError `internal` for an address that cannot be read
 */
export async function openCounters(
  redisUrl: string | null,
  options: RedisCountersOptions = {},
): Promise<Counters> {
  if (redisUrl === null) return createMemoryCounters(options);
  // its client takes 50 ms to load and is of use to nobody else
  const { openRedisCounters } = await import('./counters/redis/redis-counters.js');
  return openRedisCounters(redisUrl, options);
}
