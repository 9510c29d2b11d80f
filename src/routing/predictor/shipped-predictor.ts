import { readFileSync } from 'node:fs';
import { decodeRouter } from './predictor-file.js';
import { denseNames } from './features/features.js';
import { Router } from './quality-predictor.js';
import { misfitOf } from './predictor-weights.js';

/** Where the weights stand: beside `src` and beside `dist`. */
const file = new URL('../../../config/router/router.bin', import.meta.url);

let shipped: Router | undefined;

/**
 * The router that is shipped, read once.
 * @throws Error where its file is missing, damaged or of another version
 */
export function shippedRouter(): Router {
  shipped ??= readRouter();
  return shipped;
}

function readRouter(): Router {
  const weights = decodeRouter(readFileSync(file));
  const misfit = misfitOf(weights, denseNames);
  if (misfit !== null) throw new Error(`the router in ${file.pathname} cannot be used: ${misfit}`);
  return new Router(weights);
}
