import type { LoginBackoff } from '../contracts/counters.js';

const free = 4;
const firstWaitMs = 1_000;
const longestWaitMs = 15 * 60_000;

/** Failures are forgotten so long after the last one. */
export const rememberFailuresMs = 24 * 3_600_000;

/** How long an attempt has to wait at `now` after so many failures in a row, the last of them at `lastAt`. Epoch ms. */
export function loginBackoffAfter(failures: number, lastAt: number, now: number): LoginBackoff {
  if (failures <= free) return { failures, waitMs: 0 };
  const fullMs = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - free - 1, 20));
  // a clock that was set back must not lengthen it
  return { failures, waitMs: Math.min(fullMs, Math.max(0, lastAt + fullMs - now)) };
}
