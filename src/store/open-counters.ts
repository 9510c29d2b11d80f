import type { Counters } from './contracts/counters.js';
import { createMemoryCounters } from './counters/memory/memory-counters.js';
import type { RedisCountersOptions } from './counters/redis/redis-counters.js';

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
