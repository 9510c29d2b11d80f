import { backoffMs } from '../../async/backoff.js';
import type { LoginBackoff } from '../contracts/counters.js';

/** Failures that cost no wait. */
const freeFailures = 4;
const rule = { firstMs: 1_000, maxMs: 15 * 60_000 };

/** Failures are forgotten this long after the last one. */
export const rememberFailuresMs = 24 * 3_600_000;

/**
 * How long the next attempt has to wait at `now`, after `failures` in a row of which the last was
 * at `lastAt`. Epoch ms.
 */
export function loginBackoffAfter(failures: number, lastAt: number, now: number): LoginBackoff {
  if (failures <= freeFailures) return { failures, waitMs: 0 };
  const fullMs = backoffMs(failures - freeFailures, rule);
  // a clock that was set back must not lengthen the wait
  return { failures, waitMs: Math.min(fullMs, Math.max(0, lastAt + fullMs - now)) };
}
