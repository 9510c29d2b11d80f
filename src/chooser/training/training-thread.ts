import { Worker } from 'node:worker_threads';
import { threadOptions } from '../../async/thread-options.js';
import { threadScript } from '../../package-files.js';
import type { TaskMessage, Task } from './task.js';

/** Evaluations that cannot be used. The message is meant for their author. */
export class RefusedEvaluations extends Error {
  override readonly name = 'RefusedEvaluations';
}

/** A training reads 32 MB of text into a few hundred MB at most. */
const maxMemoryMb = 1024;

/**
 * Runs a task in a thread of its own, which ends with the task or the signal.
 * @throws RefusedEvaluations if the text is at fault, Error if the thread failed or was stopped
 */
export const runInThread = (
  task: Task,
  signal: AbortSignal,
  onProgress: (share: number, doing: string) => void = () => undefined,
): Promise<Exclude<TaskMessage, { kind: 'progress' | 'problem' }>> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new Error('the training was stopped'));
      return;
    }
    const worker = new Worker(threadScript('chooser/training/worker'), {
      workerData: task,
      execArgv: threadOptions(process.execArgv),
      name: 'training',
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
    });
    const stop = (): void => void worker.terminate();
    signal.addEventListener('abort', stop);
    worker.on('message', (message: TaskMessage) => {
      if (message.kind === 'progress') onProgress(message.share, message.doing);
      else if (message.kind === 'problem') reject(new RefusedEvaluations(message.message));
      else resolve(message);
    });
    worker.on('error', (error: Error) =>
      reject(
        'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new RefusedEvaluations('the evaluations need more memory than a training may use')
          : error,
      ),
    );
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(
        new Error(
          signal.aborted ? 'the training was stopped' : 'the training thread ended unexpectedly',
        ),
      );
    });
  });
