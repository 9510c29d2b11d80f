/**
 * Redis is unavailable: unreachable, silent, starting, full or read-only. The command may or may
 * not have been executed.
 */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';
}

/** Redis refused this command; others may succeed. */
export class RedisRefusal extends Error {
  override readonly name = 'RedisRefusal';
}

/**
 * Error codes that mean that Redis as a whole is unavailable. They may follow `ERR` in a script's
 * failure of older versions.
 */
const unusable =
  /\b(OOM|READONLY|MISCONF|LOADING|MASTERDOWN|NOREPLICAS|NOAUTH|NOPERM|WRONGPASS|CLUSTERDOWN|TRYAGAIN|BUSY)\b/;

/** Whether an error reply means that Redis as a whole is unavailable. */
export const isUnusable = (message: string): boolean => unusable.test(message);

/** The reason for a failed connection, at most 200 characters. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // an AggregateError of several addresses has no message
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return (error.message || code).slice(0, 200);
}
