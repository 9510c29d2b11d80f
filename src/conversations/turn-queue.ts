import { setImmediate as afterThisRound } from 'node:timers/promises';
import { GatewayError } from '../errors.js';
import type { Turn } from '../store/contracts/conversations.js';

/**
 * What became of a turn by the time that its client is told: `stored`; `gone`, its conversation was deleted meanwhile; `late`, it waits
 * for a database that is slow or away; `lost`.
 */
export type TurnEnd = 'stored' | 'gone' | 'late' | 'lost';

/** What a queue tells of itself, for logs and metrics. */
export interface TurnQueueReports {
  lost(turns: number, why: string): void;
  /** The database is away, and turns wait for it; or it is back. */
  away(isAway: boolean, cause: unknown): void;
}

/** Bounds of a queue; times in ms. */
export interface TurnQueueLimits {
  /** The most turns in one transaction. */
  readonly batch: number;
  readonly maxTurns: number;
  /** Characters of text, of all turns that wait. */
  readonly maxSize: number;
  /** How long a client is kept waiting for a slow database. */
  readonly patienceMs: number;
  /** How long the first and the last pause between two tries at a database that is away is. */
  readonly retryMs: number;
  readonly longestRetryMs: number;
  /** How long `close` tries to write what is left. */
  readonly closeMs: number;
}

const usualLimits: TurnQueueLimits = {
  batch: 200,
  maxTurns: 10_000,
  maxSize: 64 * 1024 * 1024,
  patienceMs: 2_000,
  retryMs: 50,
  longestRetryMs: 1_000,
  closeMs: 5_000,
};

interface Entry {
  readonly turn: Turn;
  readonly size: number;
  tell: ((end: TurnEnd) => void) | null;
  patience: NodeJS.Timeout | null;
}

type Write = (turns: readonly Turn[]) => Promise<('stored' | 'gone')[]>;

/**
 * Turns on their way to the database. One transaction at a time: turns that come while it runs go into the next one together, so that a turn
 * waits for two commits at most, whatever the load. Those that the database does not take just now stay, in order, until it does.
 */
export class TurnQueue {
  private readonly entries: Entry[] = [];
  private readonly limits: TurnQueueLimits;
  private size = 0;
  /** The most turns in the next transaction: fewer where so many have failed, for a slow database may take part of them in time. */
  private batch: number;
  private isClosed = false;
  private running: Promise<void> | null = null;
  /** Since when the database is away, in `performance.now()` ms. */
  private awaySince: number | null = null;
  private closeBy: number | null = null;
  private endPause: (() => void) | null = null;

  constructor(
    private readonly write: Write,
    private readonly reports: TurnQueueReports,
    limits: Partial<TurnQueueLimits> = {},
  ) {
    this.limits = { ...usualLimits, ...limits };
    this.batch = this.limits.batch;
  }

  /** Adds a turn. Resolves when it is stored, or when its client has been kept waiting long enough; never rejects. */
  add(turn: Turn): Promise<TurnEnd> {
    const size = sizeOf(turn);
    if (this.isClosed || !this.hasRoom(size)) {
      this.reports.lost(
        1,
        this.isClosed ? 'the gateway has stopped' : 'too many turns wait for the database',
      );
      return Promise.resolve('lost');
    }
    const entry: Entry = { turn, size, tell: null, patience: null };
    this.entries.push(entry);
    this.size += size;
    this.running ??= this.run();
    return this.wait(entry);
  }

  /** The title of a conversation whose first turn waits here, null where none does. */
  titleOfBegun(accountId: string, conversationId: string): string | null {
    return (
      this.entries.find(
        ({ turn }) =>
          turn.conversationId === conversationId &&
          turn.begins !== null &&
          turn.accountId === accountId,
      )?.turn.begins?.title ?? null
    );
  }

  /** Writes what is left, for so long as the limits say; what the database has not taken by then is lost. */
  async close(): Promise<void> {
    this.closeBy = performance.now() + this.limits.closeMs;
    this.endPause?.();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise((resolve) => (timer = setTimeout(resolve, this.limits.closeMs)));
    await Promise.race([this.running, deadline]);
    clearTimeout(timer);
    this.isClosed = true;
    if (this.entries.length > 0)
      this.drop(this.entries.length, 'the gateway stops and the database is away');
  }

  private hasRoom(size: number): boolean {
    return (
      this.entries.length === 0 ||
      (this.entries.length < this.limits.maxTurns && this.size + size <= this.limits.maxSize)
    );
  }

  /** An outage is waited for once, not by every turn anew. */
  private wait(entry: Entry): Promise<TurnEnd> {
    const { patienceMs } = this.limits;
    const leftMs =
      this.awaySince === null ? patienceMs : this.awaySince + patienceMs - performance.now();
    if (leftMs <= 0) return Promise.resolve('late');
    return new Promise((resolve) => {
      entry.tell = resolve;
      entry.patience = setTimeout(() => tell(entry, 'late'), leftMs);
    });
  }

  private async run(): Promise<void> {
    // answers that end in the same round of the event loop go together
    await afterThisRound();
    while (this.entries.length > 0) await this.writeNext();
    this.running = null;
  }

  private async writeNext(): Promise<void> {
    const batch = this.entries.slice(0, this.batch);
    try {
      this.settle(await this.write(batch.map(({ turn }) => turn)));
      this.batch = Math.min(this.limits.batch, 2 * this.batch);
      this.back();
    } catch (error) {
      if (!isRefused(error)) {
        this.batch = Math.ceil(batch.length / 2);
        await this.pause(error);
      } else if (batch.length === 1) this.drop(1, 'the database does not take it', error);
      // one of them is what the database refuses: alone it does the others no harm
      else for (const entry of batch) await this.writeAlone(entry);
    }
  }

  /** The head of the queue, by itself; what cannot be written just now stays there. */
  private async writeAlone(entry: Entry): Promise<void> {
    if (this.entries[0] !== entry) return;
    try {
      this.settle(await this.write([entry.turn]));
    } catch (error) {
      if (isRefused(error)) this.drop(1, 'the database does not take it', error);
    }
  }

  private settle(ends: readonly TurnEnd[]): void {
    for (const [index, entry] of this.entries.splice(0, ends.length).entries()) {
      this.size -= entry.size;
      tell(entry, ends[index] ?? 'lost');
    }
  }

  private drop(count: number, why: string, cause?: unknown): void {
    this.reports.lost(count, cause instanceof Error ? `${why}: ${cause.message}` : why);
    this.settle(new Array<TurnEnd>(count).fill('lost'));
  }

  private back(): void {
    if (this.awaySince === null) return;
    this.awaySince = null;
    this.reports.away(false, null);
  }

  /** The longer the database is away, the longer the pause. */
  private async pause(cause: unknown): Promise<void> {
    const now = performance.now();
    if (this.awaySince === null) this.reports.away(true, cause);
    this.awaySince ??= now;
    if (this.closeBy !== null && now >= this.closeBy) {
      this.drop(this.entries.length, 'the gateway stops and the database is away');
      return;
    }
    const { retryMs, longestRetryMs } = this.limits;
    const pauseMs =
      this.closeBy === null
        ? Math.min(longestRetryMs, Math.max(retryMs, (now - this.awaySince) / 2))
        : retryMs;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.endPause = null;
  }
}

function tell(entry: Entry, end: TurnEnd): void {
  if (entry.patience) clearTimeout(entry.patience);
  entry.patience = null;
  entry.tell?.(end);
  entry.tell = null;
}

/** Trying again changes nothing. */
const isRefused = (error: unknown): boolean =>
  !(error instanceof GatewayError) || error.code !== 'unavailable';

/** Characters of text, roughly. */
export function sizeOf({ history, answer }: Turn): number {
  return history.reduce(
    (size, { content }) => size + 100 + lengthOf(content),
    200 + lengthOf(answer.content),
  );
}

function lengthOf(content: unknown): number {
  if (typeof content === 'string') return content.length;
  if (!Array.isArray(content)) return 0;
  return (content as { text?: string }[]).reduce(
    (length, part) => length + (part.text?.length ?? 100),
    0,
  );
}
