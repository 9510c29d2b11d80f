// @ts-check
import { parentPort, workerData } from 'node:worker_threads';
import { readPublishedEvaluations } from './fit/published-evaluations.js';
import { executePlan } from './tasks.js';

/* A thread that holds published evaluations and carries out one task of `tasks.ts` after the other: minutes of arithmetic. */

const evaluations = readPublishedEvaluations(/** @type {{ folder: string }} */ (workerData).folder);

parentPort?.on(
  'message',
  (
    /** @type {{ kind: import('./tasks.js').Kind, given: import('./tasks.js').Given[import('./tasks.js').Kind] }} */ {
      kind,
      given,
    },
  ) => {
    executePlan(evaluations, kind, given).then(
      (outcome) => parentPort?.postMessage({ outcome }),
      (error) =>
        parentPort?.postMessage({
          problem: error instanceof Error ? error.message : String(error),
        }),
    );
  },
);
