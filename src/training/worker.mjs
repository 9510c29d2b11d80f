// @ts-check
import { parentPort, workerData } from 'node:worker_threads';
import { runTask } from './task.js';

/* The thread that reads evaluations and learns from them: minutes of work that no request may wait for. */

runTask(/** @type {import('./task.js').Task} */ (workerData), (message) =>
  parentPort?.postMessage(message),
);
