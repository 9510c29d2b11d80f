/** An exponential backoff; durations in ms. */
export interface BackoffRule {
  readonly firstMs: number;
  /** The longest wait. */
  readonly maxMs: number;
  /**
   * The share of each wait that is random, 0..1, so that processes that failed together do not
   * retry together: 0 (the default) none, 1 full jitter.
   */
  readonly jitter?: number;
}

/** The wait in ms after `failures` in a row (from 1): doubles each time, up to `maxMs`. */
export function backoffMs(
  failures: number,
  { firstMs, maxMs, jitter = 0 }: BackoffRule,
  random: () => number = Math.random,
): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** (failures - 1));
  return jitter === 0 ? fullMs : fullMs * (1 - jitter + jitter * random());
}
