import type { GatewayError } from '../errors.js';
import type { Cancellation } from './cancellation.js';
import type { Deadline } from './deadline.js';

const firstMs = 250;
/** No wait is longer, and a provider that asks for more is left for the next one at once. */
export const longestWaitMs = 8_000;

/** How long to wait before retry number `retry` (from 1): what the provider asked for, else exponential with full jitter. */
export function backoffMs(
  retry: number,
  failure: GatewayError,
  random: () => number = Math.random,
): number {
  if (failure.recovery === 'next_key' || failure.recovery === 'unstreamed') return 0;
  if (failure.retryAfterMs !== null) return Math.min(failure.retryAfterMs, longestWaitMs);
  return random() * Math.min(longestWaitMs, firstMs * 2 ** (retry - 1));
}

/** Waits, unless the request is over before. @throws the cancellation's reason, or the deadline's error */
export function wait(ms: number, cancellation: Cancellation, deadline: Deadline): Promise<void> {
  if (cancellation.reason) return Promise.reject(cancellation.reason);
  const leftMs = deadline.leftMs();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => {
        cancellation.onCancel(null);
        if (ms < leftMs) resolve();
        else reject(deadline.error());
      },
      Math.min(ms, leftMs),
    );
    cancellation.onCancel((reason) => {
      clearTimeout(timer);
      reject(reason);
    });
  });
}
