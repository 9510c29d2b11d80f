import type { BackoffRule } from '../async/backoff.js';
import { BatchQueue, type LossReason } from '../async/batch-queue.js';
import { withTimeout } from '../async/with-timeout.js';
import type { Turn } from '../store/contracts/conversations.js';

/**
 * What becomes of a turn: `stored`, committed to the database; `gone`, its conversation was deleted
 * meanwhile or is not the account's; `lost`.
 */
export type TurnEnd = 'stored' | 'gone' | 'lost';

/**
 * What became of a turn by the time its client is answered. `late`: nothing yet, because it waits
 * for a slow or unreachable database; it ends in one of the other ways, or with the process.
 */
export type TurnResult = TurnEnd | 'late';

/** What a queue reports, for logs and metrics. */
export interface TurnQueueReports {
  lost(turns: number, why: string): void;
  /**
   * What became of turns that were `late` for their clients, once it is known.
   *
   * @param waitedMs how long the first of them has waited
   */
  late(end: TurnEnd, turns: number, waitedMs: number): void;
  /** The database is away, and turns wait for it; or it is back. */
  away(isAway: boolean, cause: unknown): void;
}

/** Bounds of a queue; durations in ms. */
export interface TurnQueueLimits {
  /** How many turns go into one transaction. */
  readonly maxBatch: number;
  readonly maxTurns: number;
  /** Characters of text, of all turns that wait. */
  readonly maxSize: number;
  /** How long a client waits for a slow database. */
  readonly maxWaitMs: number;
  readonly backoff: BackoffRule;
  /** How long `close` tries to write what is left. */
  readonly closeMs: number;
}

const defaultLimits: TurnQueueLimits = {
  maxBatch: 200,
  maxTurns: 10_000,
  maxSize: 64 * 1024 * 1024,
  maxWaitMs: 2_000,
  backoff: { firstMs: 50, maxMs: 1_000 },
  closeMs: 5_000,
};

interface Entry {
  readonly turn: Turn;
  readonly size: number;
  /** In `performance.now()` ms. */
  readonly addedAt: number;
  readonly resolve: (end: TurnEnd) => void;
  end: TurnEnd | null;
  /** Its client was told that it is not stored yet. */
  isLate: boolean;
}

const reasons: Record<LossReason, string> = {
  full: 'too many turns wait for the database',
  closed: 'the gateway has stopped',
  refused: 'the database refused it',
  unwritten: 'the gateway stops and the database is away',
};

/**
 * Turns on their way to the database. One transaction runs at a time, and turns that come meanwhile
 * share the next one, so a turn waits for at most two commits, whatever the load. During an outage
 * turns stay in the queue, in order.
 */
export class TurnQueue {
  private readonly queue: BatchQueue<Entry>;
  private readonly limits: TurnQueueLimits;
  /** When the current outage began, in `performance.now()` ms. */
  private awaySince: number | null = null;

  constructor(
    private readonly write: (turns: readonly Turn[]) => Promise<('stored' | 'gone')[]>,
    private readonly reports: TurnQueueReports,
    limits: Partial<TurnQueueLimits> = {},
  ) {
    this.limits = { ...defaultLimits, ...limits };
    const { maxBatch, maxTurns, maxSize, backoff } = this.limits;
    this.queue = new BatchQueue<Entry>({
      maxItems: maxTurns,
      maxBatch,
      maxSize,
      backoff,
      // answers that end in the same round of the event loop share a transaction
      delayMs: 0,
      sizeOf: ({ size }) => size,
      write: (entries) => this.writeEntries(entries),
      onLost: (entries, reason, cause) => this.lose(entries, reason, cause),
      onOutage: (isAway, cause) => this.markOutage(isAway, cause),
    });
  }

  /** Adds a turn. Resolves when it is stored, or its client has waited enough; never rejects. */
  add(turn: Turn): Promise<TurnResult> {
    const { promise: result, entry } = waiting(turn);
    this.queue.add(entry);
    // in an outage all clients share one wait, which began with it
    const { maxWaitMs } = this.limits;
    const waitMs =
      this.awaySince === null ? maxWaitMs : this.awaySince + maxWaitMs - performance.now();
    // a turn that was refused is `lost` already
    const late = (): TurnResult => {
      entry.isLate = entry.end === null;
      return entry.end ?? 'late';
    };
    return waitMs <= 0 ? Promise.resolve(late()) : withTimeout(result, waitMs, late);
  }

  /** Whether the last write failed because the database was away. */
  get isAway(): boolean {
    return this.queue.isAway;
  }

  /** The title of a conversation whose first turn waits here; null if none does. */
  titleOfBegun(accountId: string, conversationId: string): string | null {
    const entry = this.queue.find(
      ({ turn }) =>
        turn.conversationId === conversationId &&
        turn.begins !== null &&
        turn.accountId === accountId,
    );
    return entry?.turn.begins?.title ?? null;
  }

  /** Writes what is left within the time limit; what the database has not taken by then is lost. */
  close(): Promise<void> {
    return this.queue.close(this.limits.closeMs);
  }

  private async writeEntries(entries: readonly Entry[]): Promise<void> {
    const results = await this.write(entries.map(({ turn }) => turn));
    for (const end of ['stored', 'gone', 'lost'] as const)
      this.settle(
        entries.filter((_, index) => (results[index] ?? 'lost') === end),
        end,
      );
  }

  private lose(entries: readonly Entry[], reason: LossReason, cause: unknown): void {
    const why = reasons[reason];
    this.reports.lost(entries.length, cause instanceof Error ? `${why}: ${cause.message}` : why);
    this.settle(entries, 'lost');
  }

  private settle(entries: readonly Entry[], end: TurnEnd): void {
    // a turn that was lost when the queue closed stays lost
    const open = entries.filter((entry) => entry.end === null);
    for (const entry of open) {
      entry.end = end;
      entry.resolve(end);
    }
    const late = open.filter(({ isLate }) => isLate);
    const [first] = late;
    if (first) this.reports.late(end, late.length, Math.round(performance.now() - first.addedAt));
  }

  private markOutage(isAway: boolean, cause: unknown): void {
    this.awaySince = isAway ? performance.now() : null;
    this.reports.away(isAway, cause);
  }
}

function waiting(turn: Turn): { promise: Promise<TurnEnd>; entry: Entry } {
  let resolve = (_end: TurnEnd): void => undefined;
  const promise = new Promise<TurnEnd>((settle) => (resolve = settle));
  const addedAt = performance.now();
  return {
    promise,
    entry: { turn, size: sizeOf(turn), addedAt, resolve, end: null, isLate: false },
  };
}

/** The turn without the messages that earlier turns of its conversation have stored, as a rule. */
export function newPartOf(turn: Turn): Turn {
  const last = turn.history.findLastIndex(({ role }) => role === 'assistant');
  return turn.begins || last < 0 ? turn : { ...turn, history: turn.history.slice(last + 1) };
}

/** Bytes of a turn, roughly. */
export const sizeOf = ({ history, answer }: Turn): number =>
  history.reduce(
    (size, { content }) => size + 100 + lengthOf(content),
    200 + lengthOf(answer.content),
  );

function lengthOf(content: unknown): number {
  if (typeof content === 'string') return Buffer.byteLength(content);
  if (!Array.isArray(content)) return 0;
  return (content as { text?: string; tool_calls?: unknown }[]).reduce(
    (length, part) =>
      length +
      (part.text === undefined && !part.tool_calls
        ? 100
        : Buffer.byteLength(part.text ?? JSON.stringify(part))),
    0,
  );
}
