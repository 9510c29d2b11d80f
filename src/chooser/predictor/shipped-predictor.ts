import { readFileSync } from 'node:fs';
import { packageFile } from '../../package-files.js';
import { decodePredictor } from './predictor-file.js';
import { denseNames } from './features/features.js';
import { QualityPredictor } from './quality-predictor.js';

/** The file of weights. */
const file = packageFile('config/router/router.bin');

let shipped: QualityPredictor | undefined;

/**
 * The shipped predictor, read once.
 * @throws Error if its file is missing, damaged or of another version
 */
export function shippedPredictor(): QualityPredictor {
  shipped ??= readPredictor();
  return shipped;
}

function readPredictor(): QualityPredictor {
  const weights = decodePredictor(readFileSync(file));
  if (weights.denseNames.join() !== denseNames.join())
    throw new Error(`the weights in ${file} cannot be used: they are for other features`);
  return new QualityPredictor(weights);
}
