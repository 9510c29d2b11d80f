import { Worker } from 'node:worker_threads';
import type { Kind, RunTask } from './tasks.js';

interface Waiting {
  readonly message: { readonly kind: Kind; readonly given: unknown };
  readonly resolve: (outcome: never) => void;
  readonly reject: (error: Error) => void;
}

interface Answer {
  readonly outcome?: unknown;
  readonly problem?: string;
}

/** A thread reads 50,000 prompts into a gigabyte and fits within another. */
const mostMemoryMb = 2560;

/** Threads that carry out tasks on the published evaluations of a folder: each reads them once and takes one task at a time, in order. */
export class TaskWorkers {
  private readonly waiting: Waiting[] = [];
  private readonly busy = new Map<Worker, Waiting | null>();
  private failure: Error | null = null;

  /** @param threads how many; each takes about a gigabyte */
  constructor(folder: string, threads: number) {
    for (let thread = 0; thread < threads; thread++) this.start(folder);
  }

  readonly run: RunTask = (kind, given) =>
    new Promise((resolve, reject) => {
      if (this.failure !== null) {
        reject(this.failure);
        return;
      }
      this.waiting.push({ message: { kind, given }, resolve, reject });
      this.handOut();
    });

  /** Ends the threads; tasks that wait fail. */
  async close(): Promise<void> {
    this.fail(new Error('the evaluation was ended'));
    await Promise.all([...this.busy.keys()].map((worker) => worker.terminate()));
  }

  private start(folder: string): void {
    const worker = new Worker(new URL('./evaluation-worker.mjs', import.meta.url), {
      workerData: { folder },
      name: 'evaluation',
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    });
    this.busy.set(worker, null);
    worker.on('message', (answer: Answer) => this.settle(worker, answer));
    worker.on('error', (error) =>
      this.fail(error instanceof Error ? error : new Error(String(error))),
    );
    worker.on('exit', () => this.fail(new Error('a thread of the evaluation has ended')));
  }

  private settle(worker: Worker, { outcome, problem }: Answer): void {
    const done = this.busy.get(worker);
    this.busy.set(worker, null);
    if (problem !== undefined) done?.reject(new Error(problem));
    else done?.resolve(outcome as never);
    this.handOut();
  }

  private handOut(): void {
    for (const [worker, doing] of this.busy) {
      if (doing !== null) continue;
      const next = this.waiting.shift();
      if (!next) return;
      this.busy.set(worker, next);
      worker.postMessage(next.message);
    }
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const { reject } of [
      ...this.waiting.splice(0),
      ...[...this.busy.values()].flatMap((doing) => doing ?? []),
    ])
      reject(this.failure);
  }
}
