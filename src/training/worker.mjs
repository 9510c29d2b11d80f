// @ts-check
import { parentPort, workerData } from 'node:worker_threads';
import { executePlan } from './task.js';

/* The thread that reads evaluations and learns from them: minutes of work that no request may wait for. */

executePlan(/** @type {import('./task.js').Task} */ (workerData), (news) =>
  parentPort?.postMessage(news),
);
