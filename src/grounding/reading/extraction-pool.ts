import pLimit, { type LimitFunction } from 'p-limit';
import { untilAborted } from '../../async/until-aborted.js';
import type { ExtractedText, ExtractionTask } from './extraction/task.js';
import { ExtractionThread, type ThreadLimits } from './extraction-thread.js';
import { readerClosed } from './page-error.js';

/** Bounds of a pool of threads. */
export interface PoolLimits extends ThreadLimits {
  readonly maxThreads: number;
  /** After which a thread without work ends. */
  readonly idleThreadMs: number;
}

/** A few threads, started when they are needed, that extract documents in the order of arrival. */
export class ExtractionPool {
  private readonly idle: { thread: ExtractionThread; timer: NodeJS.Timeout }[] = [];
  private readonly busy = new Set<ExtractionThread>();
  private readonly limit: LimitFunction;
  private isClosed = false;

  constructor(private readonly limits: PoolLimits) {
    this.limit = pLimit(limits.maxThreads);
  }

  /** @throws PageError `unreadable`, `closed`, or the reason of the signal */
  run(task: ExtractionTask, signal: AbortSignal): Promise<ExtractedText> {
    return untilAborted(
      this.limit(() => this.runNow(task, signal)),
      signal,
    );
  }

  /** Terminates all threads; what runs or waits fails. */
  close(): void {
    this.isClosed = true;
    for (const thread of this.busy) thread.stop('closed', readerClosed());
    for (const { thread, timer } of this.idle.splice(0)) {
      clearTimeout(timer);
      thread.stop('closed');
    }
  }

  private async runNow(task: ExtractionTask, signal: AbortSignal): Promise<ExtractedText> {
    if (this.isClosed) throw readerClosed();
    signal.throwIfAborted();
    const thread = this.idleThread() ?? new ExtractionThread(this.limits);
    this.busy.add(thread);
    try {
      return await thread.run(task, signal);
    } finally {
      this.busy.delete(thread);
      this.keep(thread);
    }
  }

  private idleThread(): ExtractionThread | null {
    for (let last = this.idle.pop(); last; last = this.idle.pop()) {
      clearTimeout(last.timer);
      if (!last.thread.isOver) return last.thread;
    }
    return null;
  }

  private keep(thread: ExtractionThread): void {
    if (this.isClosed) thread.stop('closed');
    if (thread.isOver) return;
    const end = (): void => {
      this.idle.splice(this.idle.indexOf(entry), 1);
      thread.stop('idle');
    };
    const entry = { thread, timer: setTimeout(end, this.limits.idleThreadMs).unref() };
    this.idle.push(entry);
  }
}
