import { Worker } from 'node:worker_threads';
import { DatabaseFailure } from '../../failure.js';

/** What a statement gave. */
export interface Outcome {
  readonly rows: unknown[];
  /** Rows inserted, updated or deleted; meaningless for other statements. */
  readonly changes: number;
}

type Answer =
  Outcome | { readonly failure: { readonly code: string | null; readonly message: string } };

interface Asked {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (failure: DatabaseFailure) => void;
}

/** `DatabaseFailure.code` where the thread is gone, and all that was not committed with it. */
export const threadGone = 'THREAD_GONE';

/** One life of the thread that holds an embedded database. It lets the process end while nothing is asked of it. */
export class DatabaseThread {
  private readonly worker: Worker;
  /** In the order in which the thread answers. */
  private readonly asked: Asked[] = [];
  private end: DatabaseFailure | null = null;

  /** @param path absolute, or `:memory:` */
  constructor(path: string, busyTimeoutMs = 5_000) {
    const workerData = { path, busyTimeoutMs };
    this.worker = new Worker(new URL('./worker.mjs', import.meta.url), {
      workerData,
      execArgv: [],
      name: 'database',
    });
    this.worker.on('message', (answer: Answer) => this.settle(answer));
    this.worker.on('error', (error: Error) => this.lose(error.message));
    this.worker.on('exit', () => this.lose('its thread has ended'));
    this.worker.unref();
  }

  get isGone(): boolean {
    return this.end !== null;
  }

  /** Runs one statement after those before it. @throws DatabaseFailure with SQLite's code, or `threadGone` */
  run(sql: string, parameters: readonly unknown[]): Promise<Outcome> {
    if (this.end) return Promise.reject(this.end);
    if (this.asked.length === 0) this.worker.ref();
    return new Promise((resolve, reject) => {
      this.asked.push({ resolve, reject });
      this.worker.postMessage({ sql, parameters });
    });
  }

  /** Ends the thread after what was asked of it; what is not committed is lost. */
  async close(): Promise<void> {
    if (this.end) return;
    const ended = new Promise((resolve) => this.worker.once('exit', resolve));
    this.worker.ref();
    this.worker.postMessage('close');
    await ended;
  }

  private settle(answer: Answer): void {
    const asked = this.asked.shift();
    if (this.asked.length === 0) this.worker.unref();
    if ('failure' in answer)
      asked?.reject(new DatabaseFailure(answer.failure.message, answer.failure.code));
    else asked?.resolve(answer);
  }

  private lose(reason: string): void {
    this.end ??= new DatabaseFailure(reason, threadGone);
    for (const { reject } of this.asked.splice(0)) reject(this.end);
  }
}
