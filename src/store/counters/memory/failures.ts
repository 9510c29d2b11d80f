import type { LoginBackoff } from '../../contracts/counters.js';
import { loginBackoffAfter, rememberFailuresMs } from '../login-backoff.js';
import { SweptMap } from './swept-map.js';

interface Failures {
  readonly count: number;
  readonly lastAt: number;
}

/** Failed sign-ins in a row, in this process's memory; see `Counters`. */
export class MemoryFailures {
  private readonly subjects = new SweptMap<Failures>((failures) => this.isForgotten(failures));

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
    const failures = this.subjects.get(subject);
    return failures && !this.isForgotten(failures) ? failures : { count: 0, lastAt: 0 };
  }

  private isForgotten({ lastAt }: Failures): boolean {
    return this.now() - lastAt >= rememberFailuresMs;
  }
}
