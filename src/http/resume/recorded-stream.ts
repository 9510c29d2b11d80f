import type { ServerResponse } from 'node:http';
import type { RecordedAnswer } from '../../pipeline/resume/recorded-answer.js';
import {
  EventStream,
  eventStreamHeaders,
  type EventStreamOptions,
  whenReadOrLeft,
} from '../connections/event-stream.js';
import { recordHead } from './recorded-head.js';

/**
 * A recorded response of server-sent events. Recording continues after its client has left. One
 * flush is one entry of the log. Where the answer can be resumed, each event has an id.
 */
export class RecordedStream extends EventStream {
  /** Events since the last flush, and those flushed before. */
  private fresh = 0;
  private flushed = 0;

  /** @param firstId the id of the first event, as the surface's clients count */
  constructor(
    res: ServerResponse,
    options: EventStreamOptions,
    private readonly recording: RecordedAnswer,
    private readonly firstId: number,
  ) {
    super(res, options);
  }

  /** True once a failure must be sent inside the stream: a reader may have begun. */
  override get isOpen(): boolean {
    return this.opened || this.flushed > 0;
  }

  override data(payload: string): void {
    this.number();
    super.data(payload);
  }

  override event(name: string, payload: string): void {
    this.number();
    super.event(name, payload);
  }

  override flush(): boolean {
    if (this.pending === '' || this.over) return true;
    this.record();
    if (!this.hasLeft) return super.flush();
    this.pending = '';
    return true;
  }

  /** Resumes at once if the client has left. */
  override whenDrained(resume: () => void): void {
    whenReadOrLeft(this.res, resume);
  }

  override end(): void {
    if (this.over) return;
    this.record();
    this.recording.finish();
    if (!this.hasLeft) {
      super.end();
      return;
    }
    this.discard();
    this.pending = '';
  }

  /** Tells the client that another replica has the rest, and closes its connection. */
  move(): void {
    if (this.hasLeft || this.over) return;
    this.endWith(movedEvent(this.recording.terms.log, this.flushed, this.firstId));
    closeAfter(this.res);
  }

  private get hasLeft(): boolean {
    return this.res.destroyed || this.res.writableEnded;
  }

  private number(): void {
    if (this.recording.terms.isNumbered)
      this.pending += `id: ${this.firstId + this.flushed + this.fresh}\n`;
    this.fresh++;
  }

  private record(): void {
    if (this.flushed === 0) recordHead(this.recording, this.res, 200, eventStreamHeaders);
    this.recording.write(this.pending, this.fresh);
    this.flushed += this.fresh;
    this.fresh = 0;
  }
}

/**
 * The event for a client whose replica stops. Has the ids with which the client reconnects: of the
 * stream, which no event may have told yet, and of the last event.
 * @param log made by `answerLogOf`
 * @param count how many events the client has
 */
export function movedEvent(log: string, count: number, firstId: number): string {
  const id = firstId + count - 1;
  const streamId = log.slice(log.lastIndexOf('/') + 1);
  const lastEventId = count > 0 ? id : null;
  const data = JSON.stringify({ type: 'moved', text: '', streamId, lastEventId });
  return `event: moved\n${count > 0 ? `id: ${id}\n` : ''}data: ${data}\n\n`;
}

/** Closes the connection behind a response, so that the next request takes another. */
export function closeAfter(res: ServerResponse): void {
  const { socket } = res;
  res.once('finish', () => socket?.destroySoon());
}
