import type { ServerResponse } from 'node:http';

export interface EventStreamOptions {
  /** How long the status line is held back for an answer that may still fail, in ms. */
  holdMs: number;
  /** A comment is sent after so much silence, in ms. */
  pingMs: number;
}

/**
 * A response of server-sent events. What is written between two flushes is one write to the socket. The status line waits for the
 * first flush, or for `holdMs`: then it is `200`, and pings keep the connection alive. Byte strings in, as CompletionSink has them.
 */
export class EventStream {
  private pending = '';
  private holdTimer: NodeJS.Timeout | null;
  private pingTimer: NodeJS.Timeout | null = null;
  private opened = false;
  private over = false;

  constructor(
    private readonly res: ServerResponse,
    private readonly options: EventStreamOptions,
  ) {
    this.holdTimer = setTimeout(() => {
      this.open();
      this.res.write(': ping\n\n');
    }, options.holdMs);
    res.once('close', () => this.stopTimers());
  }

  /** True once the status line is out: an error can then only be told in the stream. */
  get isOpen(): boolean {
    return this.opened;
  }

  /** Adds a frame's payload (a byte string) to the next write. */
  data(payload: string): void {
    this.pending += `data: ${payload}\n\n`;
  }

  /** Adds a named event. */
  event(name: string, payload: string): void {
    this.pending += `event: ${name}\ndata: ${payload}\n\n`;
  }

  /** Writes what has been added. False: the client is behind; `whenDrained` tells when it has caught up. */
  flush(): boolean {
    if (this.pending === '' || this.over) return true;
    if (!this.opened) this.open();
    const text = this.pending;
    this.pending = '';
    this.pingTimer?.refresh();
    return this.res.write(text, 'latin1');
  }

  whenDrained(resume: () => void): void {
    this.res.once('drain', resume);
  }

  /** Writes what is left and ends the response. */
  end(): void {
    if (this.over) return;
    if (!this.opened) this.open();
    this.over = true;
    this.stopTimers();
    this.res.end(this.pending, 'latin1');
    this.pending = '';
  }

  /** Nothing was sent and nothing will be by this stream: an ordinary error answer takes its place. */
  discard(): void {
    this.over = true;
    this.stopTimers();
  }

  private open(): void {
    if (this.holdTimer) clearTimeout(this.holdTimer);
    this.holdTimer = null;
    this.opened = true;
    this.res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    this.pingTimer = setTimeout(() => this.ping(), this.options.pingMs);
  }

  private ping(): void {
    this.res.write(': ping\n\n');
    this.pingTimer?.refresh();
  }

  private stopTimers(): void {
    if (this.holdTimer) clearTimeout(this.holdTimer);
    if (this.pingTimer) clearTimeout(this.pingTimer);
    this.holdTimer = this.pingTimer = null;
  }
}
