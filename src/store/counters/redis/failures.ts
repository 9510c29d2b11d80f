import type { LoginBackoff } from '../../contracts/counters.js';
import { loginBackoffAfter, MemoryFailures, rememberFailuresMs } from '../memory/failures.js';
import { numbersOf } from './limits.js';
import type { RedisLink } from './link.js';
import { failScript } from './scripts.js';

/** Failed sign-ins of all replicas. Each counts its own too: an outage of Redis clears none. */
export class RedisFailures {
  private readonly local: MemoryFailures;

  constructor(
    private readonly link: Pick<RedisLink, 'run' | 'send'>,
    private readonly prefix: string,
    now: () => number,
  ) {
    this.local = new MemoryFailures(now);
  }

  countFailure(subject: string): Promise<LoginBackoff> {
    return this.ask(subject, '1', this.local.countFailure(subject));
  }

  loginBackoff(subject: string): Promise<LoginBackoff> {
    return this.ask(subject, '0', this.local.loginBackoff(subject));
  }

  async clearFailures(subject: string): Promise<void> {
    this.local.clearFailures(subject);
    await this.link.send(['DEL', this.keyOf(subject)]).catch(() => undefined);
  }

  private async ask(subject: string, count: '0' | '1', local: LoginBackoff): Promise<LoginBackoff> {
    try {
      const [failures = 0, lastAt = 0, now = 0] = numbersOf(
        await this.link.run(failScript, [this.keyOf(subject)], [count, String(rememberFailuresMs)]),
      );
      return loginBackoffAfter(failures, lastAt, now);
    } catch {
      return local;
    }
  }

  private keyOf(subject: string): string {
    return `${this.prefix}{${subject}}:failures`;
  }
}
