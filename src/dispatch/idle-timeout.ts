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
 * Bytes that only keep the connection alive: empty lines, comments (OpenRouter, DeepSeek, vLLM) and
 * the events `ping` (Anthropic) and `keepalive` (OpenAI).
 */
const pings =
  /^(?:\s|:[^\n]*(?:\n|$)|event: ?(?:ping|keepalive)\r?\n|data: ?(?:\{"type": ?"(?:ping|keepalive)"[^}]*\})?\r?\n)*$/;
const maxPingBytes = 256;

const [d, e, k, p, t] = Buffer.from('dekpt');
const [space, brace] = Buffer.from(' {');

/** Whether the first bytes already tell an event: to read each as text costs a tenth of a stream. */
const beginsEvent = (bytes: Buffer): boolean =>
  bytes[0] === d
    ? bytes[6] === brace && bytes[8] !== t
    : bytes[0] === e && bytes[6] === space && bytes[7] !== p && bytes[7] !== k;

/** Whether bytes that arrived are only pings. */
export const isPing = (bytes: Buffer): boolean =>
  bytes.length <= maxPingBytes && !beginsEvent(bytes) && pings.test(bytes.toString('latin1'));

/** How many times the longer of both waits a provider may send only pings. */
const pingTimeoutFactor = 2;

/**
 * Ends an attempt whose provider is silent for too long, or whose request has passed its deadline.
 * Comments and pings show that a provider lives, not that it will ever answer: they hold off the
 * timeout for some time only. Has one timer, which checks when bytes last arrived: setting a new
 * timer for every read costs more than the read.
 */
export class IdleTimeout {
  private timer: NodeJS.Timeout | null = null;
  private secondLook: NodeJS.Immediate | null = null;
  private hasReceived = false;
  private isPaused = false;
  /** In `performance.now()` ms. */
  private lastActivityAt = performance.now();
  private lastEventAt = this.lastActivityAt;

  /** @param onTimeout called once, with `upstream_timeout` or `deadline_exceeded` */
  constructor(
    private readonly options: IdleTimeoutOptions,
    private readonly onTimeout: (error: GatewayError) => void,
  ) {
    this.schedule(Math.min(options.firstEventMs, options.idleMs));
  }

  /** Call when bytes arrive from the provider. @param isEvent whether they are more than a ping */
  recordActivity(isEvent = true): void {
    this.hasReceived = true;
    this.lastActivityAt = performance.now();
    if (isEvent) this.lastEventAt = this.lastActivityAt;
  }

  /** Call when reading stops: silence then means nothing. The deadline still counts. */
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
    const error = this.expiredOrReschedule();
    // Node runs timers before it reads its sockets. After a stall of the process what has arrived
    // meanwhile is still unread, so the timeout counts only once it has been read.
    if (error)
      this.secondLook = setImmediate(() => {
        this.secondLook = null;
        const error = this.expiredOrReschedule();
        if (error) this.onTimeout(error);
      });
  }

  /** The error of the timeout that has expired; if none has, schedules the next check. */
  private expiredOrReschedule(): GatewayError | null {
    const { deadline, firstEventMs, idleMs } = this.options;
    if (deadline.leftMs() <= 0) return deadline.error();
    const limitMs = this.hasReceived ? idleMs : firstEventMs;
    const pingMs = pingTimeoutFactor * Math.max(firstEventMs, idleMs);
    const silentUntil = this.lastActivityAt + limitMs;
    const pingsUntil = this.lastEventAt + pingMs;
    const leftMs = Math.min(silentUntil, pingsUntil) - performance.now();
    if (!this.isPaused && leftMs <= 0)
      return this.timeoutError(pingsUntil < silentUntil ? pingMs : null);
    // idleMs counts from the first bytes, which may arrive at any time
    this.schedule(this.isPaused ? idleMs : Math.min(Math.ceil(leftMs), idleMs));
    return null;
  }

  /** @param pingMs for how long there were only pings; null: there was nothing */
  private timeoutError(pingMs: number | null): GatewayError {
    const { provider, firstEventMs, idleMs } = this.options;
    const what = this.hasReceived
      ? `nothing for ${idleMs} ms`
      : `no first event within ${firstEventMs} ms`;
    return new GatewayError(
      'upstream_timeout',
      `${provider} sent ${pingMs === null ? what : `only pings for ${pingMs} ms`}`,
    );
  }
}
