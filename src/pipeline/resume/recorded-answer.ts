import { setTimeout as wait } from 'node:timers/promises';
import type { RequestRecord } from '../../telemetry/observed-request.js';
import type { AnswerLogs, LogEntry } from '../../store/contracts/answer-logs.js';

/** What is kept of an answer, and for how long. Durations in ms. */
export interface RecordingTerms {
  readonly log: string;
  /** The note under which an `Idempotency-Key` finds this answer; null: the request has no key. */
  readonly claim: { readonly note: string; readonly fingerprint: string } | null;
  /** Whether its events carry ids, so that it can be read from any of them on. */
  readonly isNumbered: boolean;
  /** How long the call continues after the last reader has left. */
  readonly graceMs: number;
  /** How long the whole answer can be read. */
  readonly keepMs: number;
}

/** What a recorded answer needs of the place where all answers are kept. */
export interface RecordingPlace {
  logs(): Promise<AnswerLogs>;
  /** Reserves room for bytes; false: there is none. */
  hold(bytes: number): boolean;
  release(bytes: number): void;
  /** The answer has ended and its `bytes` stay for `keepMs`. */
  ended(answer: RecordedAnswer, bytes: number, keepMs: number): void;
}

/** What a claim's note says. */
export interface ClaimNote {
  readonly fingerprint: string;
  readonly log: string;
  /** Whether the answer is whole. */
  readonly isDone: boolean;
}

/** A note's text. A new claim and its renewals have the same. */
export const noteOf = (note: ClaimNote): string => JSON.stringify(note);

/** How long a log lives without a heartbeat of the process that writes it. */
export const leaseMs = 30_000;
/** A longer answer is sent, but cannot be read again. */
const maxLength = 4 * 1024 * 1024;
const retryMs = 250;
const lookMs = 1_000;
/** How long the note of readers may be missing: readers set it again if Redis has lost it. */
const missMs = 3_000;

/**
 * How long a log that another replica writes may be missing. Its client gets the first events
 * before the log is stored, and may ask here at once; and after an outage of Redis the other
 * replica may reconnect seconds later than this one.
 */
export const lateMsOf = ({ isShared }: AnswerLogs): number => (isShared ? 5_000 : 0);

/** The note that says that somebody reads an answer. */
export const readersOf = (log: string): string => `${log}/readers`;

/** The note that says that an answer's client wants no more of it. */
export const cancelledNoteOf = (log: string): string => `${log}/cancelled`;

/**
 * An answer that is written to a log beside its client, so that it outlives the connection. Entries
 * are written in order; those that come while one is on its way are joined.
 */
export class RecordedAnswer {
  /** False once the call is over. */
  isRunning = true;
  private readonly queue: LogEntry[] = [{ kind: 'open', first: 0, last: 0, text: '' }];
  private sending: Promise<void> | null = null;
  private last = 0;
  private length = 0;
  /** Whether its log was given up. */
  private isLost = false;
  private hasEnded = false;
  /** When the client left; null: it is there. */
  private leftAt: number | null = null;
  /** When the note of its readers was seen last. */
  private readAt = -Infinity;
  private look: NodeJS.Timeout | undefined;
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly place: RecordingPlace,
    readonly terms: RecordingTerms,
    /** Ends the call. */
    readonly cancel: () => void,
  ) {
    this.send();
  }

  /** The names of the log and the note whose leases must be renewed. */
  get names(): string[] {
    const { log, claim } = this.terms;
    return claim ? [log, claim.note] : [log];
  }

  /** Runs the request's completion; what it has written when it ends is the answer. */
  async run(record: RequestRecord, work: () => Promise<void>): Promise<void> {
    let hasFailed = true;
    try {
      await work();
      hasFailed = record.code !== null;
    } finally {
      this.isRunning = false;
      clearTimeout(this.look);
      void this.close(hasFailed);
      for (const listener of this.listeners) listener();
    }
  }

  whenOver(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Records the status and headers, before any part. */
  head(status: number, headers: object): void {
    this.push({ kind: 'head', first: 0, last: 0, text: JSON.stringify({ status, headers }) });
  }

  /** Records a piece of the body: a byte string with that many events. */
  write(text: string, events = 1): void {
    if (text === '') return;
    const first = this.last + 1;
    this.last += events;
    this.push({ kind: 'part', first, last: this.last, text });
  }

  /** The answer has written its end itself, well or badly. */
  finish(): void {
    this.hasEnded = true;
  }

  /**
   * The client's connection is closed. The call ends after the grace, unless somebody reads the
   * answer from its log meanwhile, or as soon as another replica was asked to cancel it.
   */
  clientLeft(): void {
    if (!this.isRunning) return;
    this.leftAt = performance.now();
    if (this.isLost) this.cancel();
    else this.lookSoon();
  }

  private lookSoon(): void {
    const afterMs = Math.min(lookMs, this.terms.graceMs);
    this.look = setTimeout(() => void this.lookForReaders(), afterMs);
  }

  private async lookForReaders(): Promise<void> {
    const { log, graceMs } = this.terms;
    const has = (note: string, unknown: boolean): Promise<boolean> =>
      this.place
        .logs()
        .then(async (logs) => (await logs.get(note)) !== null)
        .catch(() => unknown);
    const now = performance.now();
    const hasGrace = now - (this.leftAt ?? 0) < graceMs;
    const isCancelled = await has(cancelledNoteOf(log), false);
    // an outage of Redis must not end an answer that is read elsewhere; if it lasts, its log is lost
    if (!hasGrace && (await has(readersOf(log), true))) this.readAt = now;
    if (!this.isRunning) return;
    if (!isCancelled && (hasGrace || now - this.readAt < missMs)) this.lookSoon();
    else this.cancel();
  }

  private push(entry: LogEntry): void {
    if (this.isLost) return;
    const { length } = entry.text;
    if (this.length + length > maxLength || !this.place.hold(length)) {
      this.giveUp();
      return;
    }
    this.length += length;
    this.queue.push(entry);
    this.send();
  }

  private send(): void {
    if (this.queue.length > 0) this.sending ??= this.sendAll();
  }

  private async sendAll(): Promise<void> {
    for (let entry = this.next(); entry; entry = this.next()) {
      const sent = entry;
      await this.keepTrying((logs) => logs.append(this.terms.log, sent, leaseMs));
    }
    // no await since the queue was found empty, so that no later entry is left in it
    this.sending = null;
  }

  /** Takes the next entry; joins parts that wait. */
  private next(): LogEntry | undefined {
    const [entry, ...others] = this.queue;
    if (entry?.kind !== 'part') return this.queue.shift();
    const end = others.findIndex(({ kind }) => kind !== 'part');
    const parts = this.queue.splice(0, end < 0 ? this.queue.length : end + 1);
    const last = parts.at(-1)?.last ?? entry.last;
    return { ...entry, last, text: parts.map(({ text }) => text).join('') };
  }

  /** Retries until the lease of the log would expire. */
  private async keepTrying(write: (logs: AnswerLogs) => Promise<void>): Promise<void> {
    const endAt = performance.now() + leaseMs;
    while (!this.isLost) {
      try {
        await write(await this.place.logs());
        return;
      } catch {
        if (performance.now() > endAt) this.giveUp();
        else await wait(retryMs, undefined, { ref: false });
      }
    }
  }

  private async close(hasFailed: boolean): Promise<void> {
    const { log, claim, graceMs, keepMs } = this.terms;
    // before the log ends, so that a client that waits for this answer may then repeat the request
    if (claim && hasFailed) await this.keepTrying((logs) => logs.expire([claim.note], 0));
    const text = this.hasEnded ? 'told' : '';
    const end = { first: this.last, last: this.last, text } as const;
    this.queue.push({ kind: hasFailed ? 'broken' : 'done', ...end });
    this.send();
    await this.sending;
    const stayMs = hasFailed ? Math.max(graceMs, leaseMs) : keepMs;
    await this.keepTrying((logs) => logs.expire([log], stayMs));
    // for a day: even if the log is lost, the answer was charged and must not run again
    if (claim && !hasFailed) await retried(() => this.note(true, dayMs), dayMs);
    this.place.ended(this, this.length, stayMs);
  }

  /** Sets the claim again while the call runs, because an emptied Redis has lost it. */
  async renewClaim(): Promise<void> {
    if (this.isRunning && this.terms.claim) await this.note(false, leaseMs).catch(() => undefined);
  }

  private async note(isDone: boolean, keepMs: number): Promise<void> {
    const { log, claim } = this.terms;
    if (!claim) return;
    const text = noteOf({ fingerprint: claim.fingerprint, log, isDone });
    const logs = await this.place.logs();
    // the call may have ended meanwhile: its final note must not be overwritten
    if (isDone || this.isRunning) await logs.set(claim.note, text, keepMs);
  }

  private giveUp(): void {
    this.isLost = true;
    this.queue.length = 0;
    this.place.release(this.length);
    this.length = 0;
    const { log } = this.terms;
    void this.place
      .logs()
      .then((logs) => logs.expire([log], 0))
      .catch(() => undefined);
    if (this.leftAt !== null) this.cancel();
  }
}

/** Does what Redis may refuse at the moment again and again, for `maxMs` at most. */
export async function retried(work: () => Promise<void>, maxMs: number): Promise<void> {
  for (const endAt = performance.now() + maxMs; performance.now() < endAt;)
    try {
      await work();
      return;
    } catch {
      await wait(retryMs, undefined, { ref: false });
    }
}

/** How long an `Idempotency-Key` is remembered. */
export const dayMs = 86_400_000;
