import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { LiveList } from '../../async/live-list.js';
import { withTimeout } from '../../async/with-timeout.js';
import { GatewayError } from '../../errors.js';
import type { AnswerLogs } from '../../store/contracts/answer-logs.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import {
  cancelledNoteOf,
  type ClaimNote,
  lateMsOf,
  leaseMs,
  noteOf,
  RecordedAnswer,
  retried,
  type RecordingPlace,
  type RecordingTerms,
} from './recorded-answer.js';

/** Bytes of all answers that this process has recorded. */
const maxTotalLength = 128 * 1024 * 1024;
/** How often leases are renewed, and claims that Redis has lost are set again. */
const heartbeatMs = 2_000;
/** How long cancelled answers have to write their end. */
const maxEndMs = 1_000;

/** Longer than any id of an answer: a client chooses the names of logs that it looks for. */
const maxIdLength = 100;

/**
 * The log of an answer, by an id that its client knows. Other accounts name other logs, and no id
 * names a note.
 */
export const answerLogOf = (accountId: string, id: string): string =>
  `${pathPart(accountId)}/${encodeURIComponent(id.slice(0, maxIdLength))}`;

/** An account of a host may have any name. */
const pathPart = (accountId: string): string => accountId.replace(/[%/]/g, encodeURIComponent);

/** The answers that this process records, so that clients can read them again. */
export class RecordedAnswers implements RecordingPlace {
  /** Tell connections to continue at another replica when this one stops. */
  private readonly movable = new LiveList<() => void>();
  private isMoving = false;
  private readonly live = new Set<RecordedAnswer>();
  /** The ended answers by log, the oldest first. `until` by `performance.now()`. */
  private readonly ends = new Map<string, { readonly bytes: number; readonly until: number }>();
  private total = 0;
  private heartbeat: NodeJS.Timeout | null = null;
  private whenIdle: (() => void) | null = null;

  constructor(private readonly databases: LazyDatabases) {}

  async logs(): Promise<AnswerLogs> {
    return (await this.databases.get()).counters.answerLogs;
  }

  /** Calls `move` when this replica sends its clients to another one. @returns takes the call back */
  onMove(move: () => void): () => void {
    const entry = this.movable.add(move);
    if (this.isMoving) setImmediate(move);
    return () => this.movable.remove(entry);
  }

  /** Begins to record. `cancel` ends the call. */
  record(terms: RecordingTerms, cancel: () => void): RecordedAnswer {
    const answer = new RecordedAnswer(this, terms, cancel);
    this.live.add(answer);
    this.heartbeat ??= setInterval(() => this.keepAlive(), heartbeatMs).unref();
    return answer;
  }

  /**
   * Cancels the call of an answer: at once in this process, in another one within a second after
   * the client has left. A call that is over stays as it is. False: there is no such answer.
   * @param beforeWait called before the wait for a log that is not there
   */
  async cancel(log: string, beforeWait: () => Promise<void>): Promise<boolean> {
    for (const answer of this.live)
      if (answer.terms.log === log) {
        if (answer.isRunning) answer.cancel();
        return true;
      }
    try {
      const logs = await this.logs();
      // first, because another replica may be about to store the log
      await logs.set(cancelledNoteOf(log), '1', leaseMs);
      let endAt: number | null = null;
      while ((await logs.read(log, [0, 0], 0)) === null) {
        if (endAt === null && logs.isShared) await beforeWait();
        endAt ??= performance.now() + lateMsOf(logs);
        if (performance.now() >= endAt) return false;
        await wait(retryMs);
      }
      return true;
    } catch (error) {
      throw error instanceof GatewayError ? error : logsAway();
    }
  }

  /**
   * Takes an `Idempotency-Key` for a request.
   * @param fingerprint identifies the request's content
   * @param log where its answer will be recorded
   * @returns for the first request the note of its answer; for others the first one's log
   * @throws GatewayError `idempotency_key_reused` for another request, `conflict` if the answer is
   *   no longer kept, `unavailable`
   */
  async claim(
    accountId: string,
    key: string,
    { fingerprint, log }: { readonly fingerprint: string; readonly log: string },
  ): Promise<{ readonly note: string } | { readonly log: string }> {
    const hash = createHash('sha256').update(key).digest('hex');
    const note = `${pathPart(accountId)}/key/${hash}`;
    const text = noteOf({ fingerprint, log, isDone: false });
    const logs = await this.logs();
    const away = (): never => {
      throw logsAway();
    };
    // a claim without a log: its process has just begun, or died and the claim is about to expire
    for (const endAt = performance.now() + leaseMs + retryMs; ;) {
      const known = await logs.claim(note, text, leaseMs).catch(() => {
        void retried(() => this.withdraw(note, text), leaseMs);
        return away();
      });
      if (known === null) return { note };
      const first = JSON.parse(known) as ClaimNote;
      if (first.fingerprint !== fingerprint) throw keyReused();
      if ((await logs.read(first.log, [0, 0], 0).catch(away)) !== null) return { log: first.log };
      if (first.isDone) throw answerGone();
      if (performance.now() > endAt) throw logsAway();
      await wait(retryMs);
    }
  }

  /** A claim may be set although nothing said so: repeated requests would wait for its answer. */
  private async withdraw(note: string, text: string): Promise<void> {
    const logs = await this.logs();
    if ((await logs.get(note)) === text) await logs.expire([note], 0);
  }

  hold(bytes: number): boolean {
    if (this.total + bytes > maxTotalLength) this.forgetExpired();
    for (const [log] of this.ends) {
      if (this.total + bytes <= maxTotalLength) break;
      this.forget(log);
      void this.expire([log], 0);
    }
    if (this.total + bytes > maxTotalLength) return false;
    this.total += bytes;
    return true;
  }

  release(bytes: number): void {
    this.total -= bytes;
  }

  ended(answer: RecordedAnswer, bytes: number, keepMs: number): void {
    const { log } = answer.terms;
    this.live.delete(answer);
    if (bytes > 0) this.ends.set(log, { bytes, until: performance.now() + keepMs });
    if (this.live.size > 0) return;
    if (this.heartbeat) clearInterval(this.heartbeat);
    this.heartbeat = null;
    this.whenIdle?.();
  }

  /**
   * Tells clients, also those that come later, to continue at another replica, if it can read their
   * answers. Waits at most `drainMs` until the answers are written, then calls `cut`, which must end
   * the rest.
   */
  async handOver(drainMs: number, cut: () => void): Promise<void> {
    this.isMoving = await this.canMove().catch(() => false);
    if (this.isMoving) for (const move of this.movable.items()) move();
    if (await this.idle(drainMs)) return;
    cut();
    await this.idle(maxEndMs);
  }

  /** Rejects while other replicas may not be able to read the answers. */
  private async canMove(): Promise<boolean> {
    const logs = await this.logs();
    if (logs.isShared) await logs.get('');
    return logs.isShared;
  }

  private async idle(limitMs: number): Promise<boolean> {
    if (this.live.size === 0) return true;
    const idle = new Promise<boolean>((resolve) => (this.whenIdle = () => resolve(true)));
    return withTimeout(idle, limitMs, () => false);
  }

  private forget(log: string): void {
    this.total -= this.ends.get(log)?.bytes ?? 0;
    this.ends.delete(log);
  }

  /** In place of a timer for each, which would stay for a day after its answer had to make room. */
  private forgetExpired(): void {
    for (const [log, { until }] of this.ends) if (until <= performance.now()) this.forget(log);
  }

  private keepAlive(): void {
    this.forgetExpired();
    void this.expire(
      [...this.live].flatMap(({ names }) => names),
      leaseMs,
    );
    for (const answer of this.live) void answer.renewClaim();
  }

  private async expire(names: readonly string[], keepMs: number): Promise<void> {
    await this.logs()
      .then((logs) => logs.expire(names, keepMs))
      .catch(() => undefined);
  }
}

const retryMs = 100;

/** The error where the store of recorded answers cannot be reached. */
export const logsAway = (): GatewayError =>
  new GatewayError('unavailable', 'answers that were recorded cannot be read at the moment');

const keyReused = (): GatewayError =>
  new GatewayError(
    'idempotency_key_reused',
    'Idempotency-Key: another request was sent with this key; give each request a key of its own',
  );

/** The error for an `Idempotency-Key` whose answer is no longer kept. */
export const answerGone = (): GatewayError =>
  new GatewayError(
    'conflict',
    'Idempotency-Key: the request with this key was answered, and its answer is no longer kept; send it with a new key to have it answered again',
  );
