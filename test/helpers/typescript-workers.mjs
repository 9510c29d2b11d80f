import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// threads that the sources start import each other's compiled names; in the main thread the test
// runner sees to that
if (!isMainThread) register('./typescript-hooks.mjs', import.meta.url);
