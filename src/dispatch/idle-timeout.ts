import { GatewayError } from '../errors.js';
import type { Deadline } from './deadline.js';

interface IdleTimeoutOptions {
  /** The provider's name, for the message. */
  provider: string;
  /** The longest wait for the first bytes. */
  firstEventMs: number;
  /** The longest wait for further bytes. */
  idleMs: number;
  deadline: Deadline;
}

/**
 * Ends an attempt whose provider is silent for too long, or whose request has passed its deadline.
 * Has one timer, which checks when bytes last arrived: setting a new timer for every read costs
 * more than the read.
 */
export class IdleTimeout {
  private timer: NodeJS.Timeout | null = null;
  private hasReceived = false;
  private isPaused = false;
  /** In `performance.now()` ms. */
  private lastActivityAt = performance.now();

  /** @param onTimeout called once, with `upstream_timeout` or `deadline_exceeded` */
  constructor(
    private readonly options: IdleTimeoutOptions,
    private readonly onTimeout: (error: GatewayError) => void,
  ) {
    this.schedule(Math.min(options.firstEventMs, options.idleMs));
  }

  /** Call when bytes arrive from the provider. */
  recordActivity(): void {
    this.hasReceived = true;
    this.lastActivityAt = performance.now();
  }

  /**
   * Call when reading from the provider stops: its silence then means nothing. The deadline still
   * counts.
   */
  pause(): void {
    this.isPaused = true;
  }

  /** Call when reading from the provider continues. */
  resume(): void {
    this.isPaused = false;
    this.recordActivity();
  }

  /** Stops the timer; `onTimeout` is not called afterwards. */
  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private schedule(ms: number): void {
    this.timer = setTimeout(
      () => this.check(),
      Math.min(ms, Math.max(0, this.options.deadline.leftMs())),
    );
  }

  private check(): void {
    const { deadline, firstEventMs, idleMs } = this.options;
    const limitMs = this.hasReceived ? idleMs : firstEventMs;
    const leftMs = this.lastActivityAt + limitMs - performance.now();
    if (deadline.leftMs() <= 0) this.onTimeout(deadline.error());
    else if (this.isPaused) this.schedule(idleMs);
    // idleMs counts from the first bytes, which may arrive at any time
    else if (leftMs > 0) this.schedule(Math.min(Math.ceil(leftMs), idleMs));
    else this.onTimeout(this.timeoutError());
  }

  private timeoutError(): GatewayError {
    const { provider, firstEventMs, idleMs } = this.options;
    return new GatewayError(
      'upstream_timeout',
      this.hasReceived
        ? `${provider} sent nothing for ${idleMs} ms`
        : `${provider} sent no first event within ${firstEventMs} ms`,
    );
  }
}
