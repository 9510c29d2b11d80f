// @ts-check
import { parentPort } from 'node:worker_threads';
import { runExtraction } from './run-extraction.js';

/* A thread for documents of strangers: it may be terminated in the middle of any of them. */

const port = parentPort;
port?.on('message', (/** @type {import('./task.js').ExtractionTask} */ task) => {
  void runExtraction(task, (message) => port.postMessage(message));
});
port?.postMessage({ kind: 'ready' });
