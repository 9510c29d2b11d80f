import { readFileSync } from 'node:fs';
import { decodePredictor } from './predictor-file.js';
import { denseNames } from './features/features.js';
import { QualityPredictor } from './quality-predictor.js';
import { misfitOf } from './predictor-weights.js';

/** Where the weights stand: beside `src` and beside `dist`. */
const file = new URL('../../../config/router/router.bin', import.meta.url);

let shipped: QualityPredictor | undefined;

/**
 * The router that is shipped, read once.
 * @throws Error where its file is missing, damaged or of another version
 */
export function shippedPredictor(): QualityPredictor {
  shipped ??= readPredictor();
  return shipped;
}

function readPredictor(): QualityPredictor {
  const weights = decodePredictor(readFileSync(file));
  const misfit = misfitOf(weights, denseNames);
  if (misfit !== null)
    throw new Error(`the predictor weights in ${file.pathname} cannot be used: ${misfit}`);
  return new QualityPredictor(weights);
}
