import { Worker } from 'node:worker_threads';
import type { News, Task } from './task.js';

/** What a text of evaluations was refused for, as its author may be told. */
export class RefusedEvaluations extends Error {
  override readonly name = 'RefusedEvaluations';
}

/** A training reads 32 MB of text into some hundred MB at most. */
const mostMemoryMb = 1024;

type Ending = Exclude<News, { kind: 'progress' | 'problem' }>;

/**
 * Carries a task out in a thread of its own, which ends with it or with the signal.
 * @throws RefusedEvaluations where the text is at fault, Error where the thread was lost or stopped
 */
export function runTask(task: Task, signal: AbortSignal, onProgress: (share: number, doing: string) => void = () => undefined): Promise<Ending> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new Error('the training was stopped'));
      return;
    }
    const worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData: task, name: 'training', resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb } });
    const stop = (): void => void worker.terminate();
    signal.addEventListener('abort', stop);
    worker.on('message', (news: News) => {
      if (news.kind === 'progress') onProgress(news.share, news.doing);
      else if (news.kind === 'problem') reject(new RefusedEvaluations(news.message));
      else resolve(news);
    });
    worker.on('error', (error: Error) => reject(error));
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(new Error(signal.aborted ? 'the training was stopped' : 'the thread of the training has ended'));
    });
  });
}
