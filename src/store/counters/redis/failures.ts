import type { LoginBackoff } from '../../contracts/counters.js';
import { loginBackoffAfter, rememberFailuresMs } from '../login-backoff.js';
import { MemoryFailures } from '../memory/failures.js';
import { numbersOf } from './limits.js';
import type { RedisLink } from './link.js';
import { failScript } from './scripts.js';

/** Failed attempts that replicas count together. Each counts its own as well, so that nobody is let off because Redis goes away. */
export class RedisFailures {
  private readonly own: MemoryFailures;

  /** @param time the scripts' first argument */
  constructor(
    private readonly link: Pick<RedisLink, 'run' | 'send'>,
    private readonly prefix: string,
    private readonly time: () => string,
    now: () => number,
  ) {
    this.own = new MemoryFailures(now);
  }

  fail(subject: string): Promise<LoginBackoff> {
    return this.ask(subject, '1', this.own.fail(subject));
  }

  patience(subject: string): Promise<LoginBackoff> {
    return this.ask(subject, '0', this.own.patience(subject));
  }

  async forgive(subject: string): Promise<void> {
    this.own.forgive(subject);
    await this.link.send(['DEL', this.keyOf(subject)]).catch(() => undefined);
  }

  private async ask(subject: string, count: '0' | '1', own: LoginBackoff): Promise<LoginBackoff> {
    try {
      const [failures = 0, lastAt = 0, now = 0] = numbersOf(
        await this.link.run(
          failScript,
          [this.keyOf(subject)],
          [this.time(), count, String(rememberFailuresMs)],
        ),
      );
      return loginBackoffAfter(failures, lastAt, now);
    } catch {
      return own;
    }
  }

  private keyOf(subject: string): string {
    return `${this.prefix}{${subject}}:failures`;
  }
}
