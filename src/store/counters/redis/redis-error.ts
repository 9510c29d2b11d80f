/** Redis cannot be used for now: it is away, silent, starting, full or read-only. What was asked may or may not have been done. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';
}

/** Redis refused this one command; others may do. */
export class RedisRefusal extends Error {
  override readonly name = 'RedisRefusal';
}

/** What an answering Redis says that is of no use; inside a script's failure too, where older versions begin it with ERR. */
const unusable =
  /\b(OOM|READONLY|MISCONF|LOADING|MASTERDOWN|NOREPLICAS|NOAUTH|NOPERM|WRONGPASS|CLUSTERDOWN|TRYAGAIN|BUSY)\b/;

/** Whether an error reply speaks of Redis as a whole. */
export const isUnusable = (message: string): boolean => unusable.test(message);

/** Why a connection failed, in a few words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // several addresses were tried: the sum of their failures has no message of its own
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return (error.message || code).slice(0, 200);
}
