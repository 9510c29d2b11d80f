import { GatewayError } from '../errors.js';

/**
 * The time by which a request must be answered, including all retries and fallbacks. It has no
 * timer: attempts and waits check it, which saves each request a timer.
 */
export class Deadline {
  private readonly at: number;

  /** @param totalMs from now */
  constructor(private readonly totalMs: number) {
    this.at = performance.now() + totalMs;
  }

  /** Milliseconds that are left; 0 or less once it has passed. */
  leftMs(): number {
    return this.at - performance.now();
  }

  /** The error once it has passed. */
  error(): GatewayError {
    return new GatewayError('deadline_exceeded', `no answer within ${this.totalMs} ms in total`);
  }
}
