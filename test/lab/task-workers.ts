import { Worker } from 'node:worker_threads';
import type { RunTask, TaskKind } from './tasks.js';

interface QueuedTask {
  readonly message: { readonly kind: TaskKind; readonly input: unknown };
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

interface Answer {
  readonly result?: unknown;
  readonly problem?: string;
}

/** A thread reads 50,000 prompts into a gigabyte and needs another to fit. */
const maxMemoryMb = 2560;

/**
 * Threads that run tasks on a folder of published evaluations. Each thread reads the evaluations
 * once and runs one task at a time; tasks start in the order in which they were given.
 */
export class TaskWorkers {
  private readonly queue: QueuedTask[] = [];
  private readonly running = new Map<Worker, QueuedTask | null>();
  private failure: Error | null = null;

  /** @param threads how many threads; each needs about a gigabyte */
  constructor(folder: string, threads: number) {
    for (let thread = 0; thread < threads; thread++) this.startWorker(folder);
  }

  /** Queues a task. @throws Error if the task fails or a thread ends */
  readonly run: RunTask = (kind, input) =>
    new Promise((resolve, reject) => {
      if (this.failure !== null) {
        reject(this.failure);
        return;
      }
      this.queue.push({ message: { kind, input }, resolve, reject });
      this.assignTasks();
    });

  /** Stops the threads. Unfinished tasks fail. */
  async close(): Promise<void> {
    this.fail(new Error('the evaluation was stopped'));
    await Promise.all([...this.running.keys()].map((worker) => worker.terminate()));
  }

  private startWorker(folder: string): void {
    const worker = new Worker(new URL('./evaluation-worker.mjs', import.meta.url), {
      workerData: { folder },
      name: 'evaluation',
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
    });
    this.running.set(worker, null);
    worker.on('message', (answer: Answer) => this.finishTask(worker, answer));
    worker.on('error', (error) =>
      this.fail(error instanceof Error ? error : new Error(String(error))),
    );
    worker.on('exit', () => this.fail(new Error('an evaluation thread ended unexpectedly')));
  }

  private finishTask(worker: Worker, { result, problem }: Answer): void {
    const task = this.running.get(worker);
    this.running.set(worker, null);
    if (problem !== undefined) task?.reject(new Error(problem));
    else task?.resolve(result as never);
    this.assignTasks();
  }

  private assignTasks(): void {
    for (const [worker, current] of this.running) {
      if (current !== null) continue;
      const next = this.queue.shift();
      if (!next) return;
      this.running.set(worker, next);
      worker.postMessage(next.message);
    }
  }

  private fail(error: Error): void {
    this.failure ??= error;
    const unfinished = [...this.queue.splice(0), ...this.running.values()];
    for (const task of unfinished) task?.reject(this.failure);
  }
}
