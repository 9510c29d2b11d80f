// @ts-check
import { parentPort, workerData } from 'node:worker_threads';
import { runTask } from './task.js';

/* The training thread: minutes of work, which requests must not wait for. */

runTask(/** @type {import('./task.js').Task} */ (workerData), (message) =>
  parentPort?.postMessage(message),
);
