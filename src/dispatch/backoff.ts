import { backoffMs } from '../async/backoff.js';
import type { GatewayError } from '../errors.js';
import type { Cancellation, Deadline } from './cancellation.js';

/** No wait is longer; if a provider asks for more, the next candidate is tried at once. */
export const maxRetryWaitMs = 8_000;
const rule = { firstMs: 250, maxMs: maxRetryWaitMs, jitter: 1 };

/**
 * How long to wait before retry number `retry` (from 1), in ms: what the provider asked for,
 * otherwise an exponential backoff with full jitter.
 */
export function retryWaitMs(
  retry: number,
  failure: GatewayError,
  random: () => number = Math.random,
): number {
  if (failure.recovery === 'next_key' || failure.recovery === 'unstreamed') return 0;
  if (failure.retryAfterMs !== null) return Math.min(failure.retryAfterMs, maxRetryWaitMs);
  return backoffMs(retry, rule, random);
}

/**
 * Waits, unless the request ends before.
 * @throws the reason of the cancellation, or the error of the deadline
 */
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
