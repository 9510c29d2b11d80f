import { ServerResponse } from 'node:http';

/** The timing of a response of server-sent events. */
export interface EventStreamOptions {
  /** How long to delay the status line while the answer can still fail, in ms. */
  holdMs: number;
  /** A comment is sent after this many ms without data. */
  pingMs: number;
}

/** The headers of every event stream. */
export const eventStreamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/**
 * A response of server-sent events. Everything added between two flushes is one write to the
 * socket. The status line `200` is sent with the first flush or after `holdMs`; from then on pings
 * keep the connection alive. Payloads are byte strings, as CompletionSink defines them.
 */
export class EventStream {
  protected pending = '';
  private holdTimer: NodeJS.Timeout | null;
  private pingTimer: NodeJS.Timeout | null = null;
  protected opened = false;
  protected over = false;
  /** Whether this class writes the chunk frames of HTTP/1.1 itself. */
  private framesChunks = false;
  /** True once an event was added, sent or not. */
  hasEvents = false;

  constructor(
    protected readonly res: ServerResponse,
    private readonly options: EventStreamOptions,
  ) {
    this.holdTimer = setTimeout(() => {
      this.open();
      this.write(': ping\n\n');
    }, options.holdMs);
    res.once('close', () => this.stopTimers());
  }

  /** True once the status line is sent: after that an error can only be sent as an event. */
  get isOpen(): boolean {
    return this.opened;
  }

  /** Adds a frame's payload (a byte string) to the next write. */
  data(payload: string): void {
    this.hasEvents = true;
    this.pending += `data: ${payload}\n\n`;
  }

  /** Adds a comment: ASCII, on one line. */
  comment(text: string): void {
    this.pending += `: ${text}\n\n`;
  }

  /** Adds a named event. */
  event(name: string, payload: string): void {
    this.hasEvents = true;
    this.pending += `event: ${name}\ndata: ${payload}\n\n`;
  }

  /** Writes what was added. False if the client reads too slowly: wait for `whenDrained`. */
  flush(): boolean {
    if (this.pending === '' || this.over) return true;
    if (!this.opened) this.open();
    const text = this.pending;
    this.pending = '';
    this.pingTimer?.refresh();
    return this.write(text);
  }

  /** Calls `resume` once the client has read what is buffered. */
  whenDrained(resume: () => void): void {
    this.res.once('drain', resume);
  }

  /** Writes what was added and ends the response. */
  end(): void {
    if (this.over) return;
    this.over = true;
    this.endWith(this.pending);
    this.pending = '';
  }

  protected endWith(text: string): void {
    if (!this.opened) this.open();
    this.stopTimers();
    if (this.framesChunks) this.res.end(`${framed(text)}0\r\n\r\n`, 'latin1');
    else this.res.end(text, 'latin1');
  }

  /** Stops the stream before anything was sent, so that an ordinary error response can be. */
  discard(): void {
    this.over = true;
    this.stopTimers();
  }

  private open(): void {
    if (this.holdTimer) clearTimeout(this.holdTimer);
    this.holdTimer = null;
    this.opened = true;
    this.res.writeHead(200, eventStreamHeaders);
    // Node writes a chunk in three pieces, which costs 2 µs more than one (2026-11-26). A host's own
    // `write`, which may compress, must get the text without frames
    this.framesChunks =
      this.res.chunkedEncoding && this.res.write === ServerResponse.prototype.write;
    if (this.framesChunks) this.res.chunkedEncoding = false;
    this.pingTimer = setTimeout(() => this.ping(), this.options.pingMs);
  }

  private write(text: string): boolean {
    return this.res.write(this.framesChunks ? framed(text) : text, 'latin1');
  }

  private ping(): void {
    this.write(': ping\n\n');
    this.pingTimer?.refresh();
  }

  private stopTimers(): void {
    if (this.holdTimer) clearTimeout(this.holdTimer);
    if (this.pingTimer) clearTimeout(this.pingTimer);
    this.holdTimer = this.pingTimer = null;
  }
}

/** Calls `resume` once, when the client has read what is buffered or has left. */
export function whenReadOrLeft(res: ServerResponse, resume: () => void): void {
  // both are removed: a slow client is waited for again and again
  const go = (): void => {
    res.off('drain', go).off('close', go);
    resume();
  };
  res.once('drain', go).once('close', go);
}

/** A byte string as a chunk of HTTP/1.1. */
const framed = (text: string): string =>
  text === '' ? '' : `${text.length.toString(16)}\r\n${text}\r\n`;
