// @ts-check
import { parentPort, workerData } from 'node:worker_threads';
import { readPublishedEvaluations } from './fit/published-evaluations.js';
import { performTask } from './tasks.js';

/* A thread that holds the published evaluations and runs the tasks of `tasks.ts`, one at a time. */

/** @typedef {import('./tasks.js').TaskKind} TaskKind */

const evaluations = readPublishedEvaluations(/** @type {{ folder: string }} */ (workerData).folder);

parentPort?.on(
  'message',
  (/** @type {{ kind: TaskKind, input: import('./tasks.js').TaskInputs[TaskKind] }} */ message) => {
    performTask(evaluations, message.kind, message.input).then(
      (result) => parentPort?.postMessage({ result }),
      (error) =>
        parentPort?.postMessage({
          problem: error instanceof Error ? error.message : String(error),
        }),
    );
  },
);
