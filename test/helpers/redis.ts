import { type RunningRedis, startOwnRedis } from './own-redis.js';
import { provision } from './provisions.js';

export type { RunningRedis } from './own-redis.js';

const program = await provision('redis');

/**
 * Whether Redis is installed, for `describe.skipIf(!redisIsThere)`. Importing this file fails where
 * Redis is required and missing.
 */
export const redisIsThere = program !== '';

/** Starts a Redis on a free port of 127.0.0.1; null if none is installed. @param more arguments */
export async function startRedis(more: readonly string[] = []): Promise<RunningRedis | null> {
  return redisIsThere ? startOwnRedis(program, more) : null;
}
