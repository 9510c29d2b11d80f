import { Worker } from 'node:worker_threads';
import { threadScript } from '../../../package-files.js';
import { DatabaseFailure } from '../../failure.js';

/** The result of a statement. */
export interface StatementResult {
  readonly rows: unknown[];
  /** Rows inserted, updated or deleted; meaningless for other statements. */
  readonly changes: number;
}

/** The result of a statement, or why the database refused it, as plain data for another thread. */
export type StatementAnswer =
  | StatementResult
  | { readonly failure: { readonly code: string | null; readonly message: string } };

/** The result in an answer. @throws DatabaseFailure if the database refused the statement */
export function resultOf(answer: StatementAnswer): StatementResult {
  if ('failure' in answer) throw new DatabaseFailure(answer.failure.message, answer.failure.code);
  return answer;
}

interface Pending {
  readonly resolve: (answer: StatementAnswer) => void;
  readonly reject: (failure: DatabaseFailure) => void;
}

/** `DatabaseFailure.code` if the thread is gone, and with it everything that was not committed. */
export const threadGone = 'THREAD_GONE';

/**
 * Node ends threads with the process. libsql aborts the process if its thread is ended within a
 * statement (libsql 0.5.29, 2026-11), so the process waits for the statements that are being
 * executed.
 */
const running = new Set<DatabaseThread>();
const finishStatements = (): void => {
  for (const thread of running) thread.finishStatement();
};
/** Longer than a statement waits for a lock. */
const maxFinishMs = 10_000;

/** A thread with an embedded database, which keeps no process alive while it has no work. */
export class DatabaseThread {
  private readonly worker: Worker;
  /** Shared with the thread: whether it executes a statement, and whether it may begin another. */
  private readonly state = new Int32Array(new SharedArrayBuffer(8));
  /** Statements without an answer; the thread answers in order. */
  private readonly pending: Pending[] = [];
  private end: DatabaseFailure | null = null;

  /** @param path absolute, or `:memory:` @param mustExist fails instead of creating the file */
  constructor(path: string, mustExist = false) {
    const workerData = { path, mustExist, state: this.state };
    this.worker = new Worker(threadScript('store/drivers/libsql/worker'), {
      workerData,
      execArgv: [],
      name: 'database',
    });
    this.worker.on('message', (answer: StatementAnswer) => this.settle(answer));
    this.worker.on('error', (error: Error) => this.lose(error.message));
    this.worker.on('exit', () => this.lose('its thread has ended'));
    this.worker.unref();
    if (running.size === 0) process.on('exit', finishStatements);
    running.add(this);
  }

  get isGone(): boolean {
    return this.end !== null;
  }

  /** Runs a statement in turn. @throws DatabaseFailure with SQLite's code, or `threadGone` */
  run(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    if (this.end) return Promise.reject(this.end);
    if (this.pending.length === 0) this.worker.ref();
    const answered = new Promise<StatementAnswer>((resolve, reject) => {
      this.pending.push({ resolve, reject });
      this.worker.postMessage({ sql, parameters });
    });
    return answered.then(resultOf);
  }

  /** Ends the thread after the pending statements; what is not committed is lost. */
  async close(): Promise<void> {
    if (this.end) return;
    const ended = new Promise((resolve) => this.worker.once('exit', resolve));
    this.worker.ref();
    this.worker.postMessage('close');
    await ended;
  }

  /** Blocks until no statement is being executed; none is executed after that. */
  finishStatement(): void {
    Atomics.store(this.state, 1, 1);
    Atomics.wait(this.state, 0, 1, maxFinishMs);
  }

  private settle(answer: StatementAnswer): void {
    const pending = this.pending.shift();
    if (this.pending.length === 0) this.worker.unref();
    pending?.resolve(answer);
  }

  private lose(reason: string): void {
    this.end ??= new DatabaseFailure(reason, threadGone);
    running.delete(this);
    if (running.size === 0) process.off('exit', finishStatements);
    for (const { reject } of this.pending.splice(0)) reject(this.end);
  }
}
