import type { LoginBackoff } from '../../contracts/counters.js';
import { SweptMap } from './swept-map.js';
import { backoffMs } from '../../../async/backoff.js';

/** Failures that cost no wait. */
const freeFailures = 4;
const rule = { firstMs: 1_000, maxMs: 15 * 60_000 };

/** Failures are forgotten this long after the last one. */
export const rememberFailuresMs = 24 * 3_600_000;

/** The wait that is left at `now`, after `failures` in a row, the last at `lastAt`. Epoch ms. */
export function loginBackoffAfter(failures: number, lastAt: number, now: number): LoginBackoff {
  if (failures <= freeFailures) return { failures, waitMs: 0 };
  const fullMs = backoffMs(failures - freeFailures, rule);
  // a clock that was set back must not lengthen the wait
  return { failures, waitMs: Math.min(fullMs, Math.max(0, lastAt + fullMs - now)) };
}

interface Failures {
  readonly count: number;
  readonly lastAt: number;
}

/** Failed sign-ins in a row, in this process's memory; see `Counters`. */
export class MemoryFailures {
  private readonly subjects = new SweptMap<Failures>(
    ({ lastAt }) => this.now() - lastAt >= rememberFailuresMs,
  );

  /** @param now epoch ms */
  constructor(private readonly now: () => number) {}

  countFailure(subject: string): LoginBackoff {
    const count = this.of(subject).count + 1;
    this.subjects.set(subject, { count, lastAt: this.now() });
    return this.loginBackoff(subject);
  }

  loginBackoff(subject: string): LoginBackoff {
    const { count, lastAt } = this.of(subject);
    return loginBackoffAfter(count, lastAt, this.now());
  }

  clearFailures(subject: string): void {
    this.subjects.delete(subject);
  }

  private of(subject: string): Failures {
    return this.subjects.get(subject) ?? { count: 0, lastAt: 0 };
  }
}
