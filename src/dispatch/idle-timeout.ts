import { GatewayError } from '../errors.js';
import type { Deadline } from './deadline.js';

interface IdleTimeoutOptions {
  /** The provider's name, for the message. */
  provider: string;
  firstEventMs: number;
  idleMs: number;
  deadline: Deadline;
}

/**
 * Waits for signs of life from a provider: for the first for `firstEventMs`, then for each next one for `idleMs`, and never beyond the deadline
 * of the whole request. It has one timer, which looks when something was last heard: setting one anew for every read costs more than the read.
 */
export class IdleTimeout {
  private timer: NodeJS.Timeout | null = null;
  private begun = false;
  private held = false;
  /** `performance.now()` of the latest sign of life. */
  private heardAt = performance.now();

  /** @param onEnd called once, with `upstream_timeout` or `deadline_exceeded` */
  constructor(
    private readonly options: IdleTimeoutOptions,
    private readonly onEnd: (error: GatewayError) => void,
  ) {
    this.watch(Math.min(options.firstEventMs, options.idleMs));
  }

  /** Any bytes are a sign of life. */
  heard(): void {
    this.begun = true;
    this.heardAt = performance.now();
  }

  /** True while the provider is held back by us: its silence then means nothing. */
  hold(held: boolean): void {
    this.held = held;
    if (!held) this.heard();
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private watch(ms: number): void {
    this.timer = setTimeout(
      () => this.look(),
      Math.min(ms, Math.max(0, this.options.deadline.leftMs())),
    );
  }

  private look(): void {
    const { deadline, firstEventMs, idleMs } = this.options;
    const left = this.heardAt + (this.begun ? idleMs : firstEventMs) - performance.now();
    if (deadline.leftMs() <= 0) this.onEnd(deadline.error());
    else if (this.held) this.watch(idleMs);
    else if (left > 0) this.watch(Math.ceil(left));
    else this.onEnd(this.silence());
  }

  private silence(): GatewayError {
    const { provider, firstEventMs, idleMs } = this.options;
    return new GatewayError(
      'upstream_timeout',
      this.begun
        ? `${provider} sent nothing for ${idleMs} ms`
        : `${provider} sent no first event within ${firstEventMs} ms`,
    );
  }
}
