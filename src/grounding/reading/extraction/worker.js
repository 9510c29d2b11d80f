// @ts-check
import { parentPort } from 'node:worker_threads';
import { runExtraction } from './run-extraction.js';

/* A thread for documents of strangers: it may be terminated in the middle of any of them. */

// the parsers' warnings quote the documents, and would stand between the lines of the log; a stream
// of its own would keep the process alive
for (const method of /** @type {const} */ (['log', 'info', 'warn', 'error', 'debug', 'trace']))
  console[method] = () => undefined;

const port = parentPort;
port?.on('message', (/** @type {import('./task.js').ExtractionTask} */ task) => {
  void runExtraction(task, (message) => port.postMessage(message));
});
port?.postMessage({ kind: 'ready' });
