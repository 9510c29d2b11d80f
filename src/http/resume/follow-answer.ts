import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError } from '../../errors.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { logsAway } from '../../pipeline/resume/recorded-answers.js';
import { lateMsOf, leaseMs, readersOf } from '../../pipeline/resume/recorded-answer.js';
import {
  type AnswerLogs,
  type LogEntry,
  type LogPlace,
  placeBehind,
} from '../../store/contracts/answer-logs.js';
import { eventStreamHeaders, whenReadOrLeft } from '../connections/event-stream.js';
import type { Surface } from '../surfaces/surface.js';
import { closeAfter, movedEvent } from './recorded-stream.js';

/** The answer to read, and how. Durations in ms. */
export interface Following {
  readonly log: string;
  /** How many of its events the client has already. */
  readonly after: number;
  /** The id of its first event. */
  readonly firstId: number;
  readonly isStream: boolean;
  /** How long the call continues without this reader. */
  readonly graceMs: number;
  readonly pingMs: number;
  /** After how long a stream without content gets its status line; 0: at once. */
  readonly holdMs: number;
  /** Whether a stopping replica tells this reader to continue at another one. */
  readonly canMove: boolean;
  /** The surface that shapes its errors. */
  readonly surface: Surface;
  readonly requestId: string;
  /** Called before the wait for a log that is not there; what it throws ends the reading. */
  readonly beforeWait?: () => Promise<void>;
}

/**
 * How the reading ended. Nothing was written unless `answered`. `broken`: the answer failed;
 * `gone`: there is no log; `holed`: a part of the log is lost, as when Redis was emptied.
 */
export type FollowEnd = 'answered' | 'broken' | 'gone' | 'holed';

const waitMs = 1_000;
const touchMs = 1_000;
const retryMs = 250;
/** How many reads of the log may fail in a row. */
const maxFailures = 40;
/** A process that has not renewed the lease of its log for this long has died. */
const silentMs = 10_000;

/** Writes an answer from its log to another client: what is there at once, the rest as it comes. */
export async function followAnswer(
  parts: GatewayParts,
  res: ServerResponse,
  following: Following,
): Promise<FollowEnd> {
  const { answers } = parts.state;
  const follower = new Follower(await answers.logs(), res, following);
  const stay = following.canMove ? answers.onMove(() => follower.move()) : null;
  return follower.run().finally(stay);
}

class Follower {
  private next: number;
  private place: LogPlace;
  private touchedAt = -Infinity;
  private wroteAt = performance.now();
  /** Since when the log can be read: after an outage its writer may come back later than this reader. */
  private readableSince = performance.now();
  /** Written with the first part: until then it may turn out that the log lost a part. */
  private head: { status: number; headers: OutgoingHttpHeaders } | null = null;

  constructor(
    private readonly logs: AnswerLogs,
    private readonly res: ServerResponse,
    private readonly of: Following,
  ) {
    this.next = of.after + 1;
    this.place = [of.after, 1];
  }

  async run(): Promise<FollowEnd> {
    let missingUntil: number | null = null;
    for (let isFound = false; !this.isOver();) {
      const entries = await this.read();
      if (entries === null) {
        if (isFound) return this.lose('gone');
        // counts from the first miss, not from the start: without Redis no replica could write
        if (missingUntil === null && this.logs.isShared) await this.of.beforeWait?.();
        missingUntil ??= performance.now() + lateMsOf(this.logs);
        if (performance.now() >= missingUntil) return this.lose('gone');
        await wait(retryMs);
        continue;
      }
      isFound = true;
      if (this.isOver()) break;
      if (!this.res.headersSent && this.isDue()) this.res.writeHead(200, eventStreamHeaders);
      for (const entry of entries) {
        const end = await this.take(entry);
        if (end) return end;
      }
      if (entries.length === 0) this.ping();
    }
    return 'answered';
  }

  move(): void {
    const { res, next, of } = this;
    if (this.isOver()) return;
    if (!res.headersSent) res.writeHead(200, eventStreamHeaders);
    res.end(movedEvent(of.log, next - 1, of.firstId));
    closeAfter(res);
  }

  private isOver(): boolean {
    return this.res.destroyed || this.res.writableEnded;
  }

  /** Null: there is no such log. */
  private async read(): Promise<readonly LogEntry[] | null> {
    for (let failures = 0; ; failures++) {
      try {
        await this.touch();
        const isDue = performance.now() - this.readableSince > silentMs;
        const minLeftMs = isDue ? leaseMs - silentMs : 0;
        return await this.logs.read(this.of.log, this.place, waitMs, minLeftMs);
      } catch {
        this.readableSince = performance.now();
        if (this.isOver()) return [];
        if (failures >= maxFailures && this.res.headersSent) return null;
        if (failures >= maxFailures) throw logsAway();
        await wait(retryMs);
      }
    }
  }

  /** Renews the note of readers, which keeps the call behind this answer running. */
  private async touch(): Promise<void> {
    const { log, graceMs } = this.of;
    const now = performance.now();
    if (now - this.touchedAt < Math.min(touchMs, graceMs / 2)) return;
    this.touchedAt = now;
    await this.logs.set(readersOf(log), '1', Math.max(graceMs, 3 * touchMs));
  }

  private async take(entry: LogEntry): Promise<FollowEnd | null> {
    const { kind, text } = entry;
    const { res } = this;
    this.place = placeBehind(entry);
    if (kind === 'head') this.head ??= JSON.parse(text) as Follower['head'];
    if (kind === 'head' || kind === 'open') return null;
    if (kind === 'broken' && (!res.headersSent || text === '')) return this.lose('broken');
    // a lost part must not be skipped, even right before the end
    const hasHole = entry.first > (kind === 'part' ? this.next : this.next - 1);
    if (hasHole || !(res.headersSent || this.head)) return this.lose('holed');
    if (!res.headersSent && this.head) res.writeHead(this.head.status, this.head.headers);
    if (kind === 'part') await this.write(entry);
    else if (!this.isOver()) res.end();
    return kind === 'part' ? null : 'answered';
  }

  /** Writes the events that the client does not have. Waits until the client has read them. */
  private async write({ first, last, text }: LogEntry): Promise<void> {
    const { res } = this;
    const from = first < this.next ? beginOf(text, this.of.firstId + this.next - 1) : 0;
    this.next = last + 1;
    this.wroteAt = performance.now();
    if (this.isOver() || res.write(text.slice(from), 'latin1')) return;
    const touching = setInterval(() => void this.touch().catch(() => undefined), touchMs);
    await new Promise<void>((resolve) => whenReadOrLeft(res, resolve));
    clearInterval(touching);
  }

  private isDue(): boolean {
    return this.of.isStream && performance.now() - this.wroteAt >= this.of.holdMs;
  }

  private ping(): void {
    const { res, of, wroteAt } = this;
    if (!of.isStream || !res.headersSent || performance.now() - wroteAt < of.pingMs) return;
    this.wroteAt = performance.now();
    res.write(': ping\n\n');
  }

  /** Ends the response, because the rest will not come. */
  private lose(end: FollowEnd): FollowEnd {
    const { res, of } = this;
    if (!res.headersSent) return end;
    if (this.isOver()) return 'answered';
    const error = new GatewayError(
      'unavailable',
      'the rest of this answer is lost: send the request again',
    );
    if (of.isStream) {
      // clients of Responses and Messages identify an event by the type in its data
      const body = JSON.stringify({ type: 'error', ...of.surface.errorBody(error, of.requestId) });
      const told = of.surface.errorLine ? `data: [Error] ${error.message}\n\n` : '';
      res.end(`event: error\ndata: ${body}\n\n${told}`);
    } else res.destroy();
    return 'answered';
  }
}

/** Where the event with an id begins; comments stand between events. */
function beginOf(text: string, id: number): number {
  const line = `id: ${id}\n`;
  return text.startsWith(line) ? 0 : text.indexOf(`\n\n${line}`) + 2;
}
