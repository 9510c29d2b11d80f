import { GatewayError } from '../errors.js';

/**
 * The moment by which a request has to be answered, over all retries and fallbacks. It has no timer of its own: whatever is going on (an
 * attempt, a wait) looks at it, which saves every request a timer.
 */
export class Deadline {
  private readonly at: number;

  constructor(private readonly totalMs: number) {
    this.at = performance.now() + totalMs;
  }

  /** Milliseconds that are left; 0 or less when it has passed. */
  leftMs(): number {
    return this.at - performance.now();
  }

  /** The error for when it has passed. */
  error(): GatewayError {
    return new GatewayError('deadline_exceeded', `no answer within ${this.totalMs} ms in total`);
  }
}
