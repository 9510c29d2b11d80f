import { decodePredictor } from './predictor-file.js';
import { QualityPredictor } from './quality-predictor.js';
import { shippedWeights } from './weights-file.js';

let shipped: QualityPredictor | undefined;

/**
 * The shipped predictor, read once.
 * @throws Error if its file is missing, damaged or of another version
 */
export const shippedPredictor = (): QualityPredictor =>
  (shipped ??= new QualityPredictor(shippedWeights('config/router/router.bin', decodePredictor)));
