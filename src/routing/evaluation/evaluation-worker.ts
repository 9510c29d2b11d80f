import { parentPort, workerData as given } from 'node:worker_threads';
import { readPublishedEvaluations } from '../training/published-evaluations.js';
import { carryOut, type Given, type Kind } from './tasks.js';

const evaluations = readPublishedEvaluations((given as { folder: string }).folder);

parentPort?.on('message', ({ kind, task }: { kind: Kind; task: Given[Kind] }) => {
  carryOut(evaluations, kind, task).then((outcome) => parentPort?.postMessage({ outcome }), (error: unknown) => parentPort?.postMessage({ problem: error instanceof Error ? error.message : String(error) }));
});
