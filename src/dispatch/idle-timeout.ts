import { GatewayError } from '../errors.js';
import type { Deadline } from './cancellation.js';

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
  private secondLook: NodeJS.Immediate | null = null;
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
    if (this.secondLook) clearImmediate(this.secondLook);
    this.timer = this.secondLook = null;
  }

  private schedule(ms: number): void {
    this.timer = setTimeout(
      () => this.check(),
      Math.min(ms, Math.max(0, this.options.deadline.leftMs())),
    );
  }

  private check(): void {
    const error = this.failure();
    if (error) this.lookAgain();
  }

  /**
   * Node runs timers before it reads its sockets. After a stall of the process what has arrived
   * meanwhile is still unread, so the timeout counts only once it has been read.
   */
  private lookAgain(): void {
    this.secondLook = setImmediate(() => {
      this.secondLook = null;
      const error = this.failure();
      if (error) this.onTimeout(error);
    });
  }

  /** The timeout that has passed; null, and another look is scheduled, if none has. */
  private failure(): GatewayError | null {
    const { deadline, firstEventMs, idleMs } = this.options;
    if (deadline.leftMs() <= 0) return deadline.error();
    const limitMs = this.hasReceived ? idleMs : firstEventMs;
    const leftMs = this.lastActivityAt + limitMs - performance.now();
    if (!this.isPaused && leftMs <= 0) return this.timeoutError();
    // idleMs counts from the first bytes, which may arrive at any time
    this.schedule(this.isPaused ? idleMs : Math.min(Math.ceil(leftMs), idleMs));
    return null;
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
