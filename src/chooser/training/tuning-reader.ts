import type { ReadTuning } from './preference-cache.js';
import { decodeCustom } from '../predictor/custom-weights.js';
import { createTuning } from '../predictor/custom-tuning.js';
import { shippedPredictor } from '../predictor/shipped-predictor.js';
import type { Tuning } from '../predictor/tuning.js';

/** A tuning, or why the weights cannot be used. */
type Read = { readonly tuning: Tuning } | { readonly why: string };

function read(weights: string): Read {
  try {
    const tuning = createTuning(decodeCustom(weights), shippedPredictor());
    return tuning ? { tuning } : { why: 'it was fitted on another router: train it again' };
  } catch (error) {
    return { why: `it cannot be used: ${error instanceof Error ? error.message : 'unknown'}` };
  }
}

/**
 * Reads stored weights as tunings of the shipped predictor. Weights that cannot be used are ignored
 * with a warning, and requests continue without them.
 */
export function tuningReader(warn: (warning: string) => void): ReadTuning {
  return (weights, preferenceId) => {
    const found = read(weights);
    if ('tuning' in found) return found.tuning;
    warn(`the trained router of preference ${preferenceId} is ignored: ${found.why}`);
    return null;
  };
}

/** Why these stored weights are ignored, in a few words; null if they are used. */
export function whyPassedOver(weights: string): string | null {
  const found = read(weights);
  return 'tuning' in found ? null : found.why;
}
