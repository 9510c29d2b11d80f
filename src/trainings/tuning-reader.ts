import type { ReadTuning } from '../accounts/preference-book.js';
import { decodeCustom } from '../routing/learned/custom-weights.js';
import { createTuning } from '../routing/learned/custom-tuning.js';
import { shippedRouter } from '../routing/learned/shipped-router.js';

/** Reads stored weights as tunings of the shipped router. What cannot be used is passed over, with a warning: requests go on without it. */
export function tuningReader(warn: (warning: string) => void): ReadTuning {
  return (weights, preferenceId) => {
    try {
      const tuning = createTuning(decodeCustom(weights), shippedRouter());
      if (!tuning) warn(`the trained router of preference ${preferenceId} was fitted on another router and is passed over: train it again`);
      return tuning;
    } catch (error) {
      warn(`the trained router of preference ${preferenceId} cannot be used: ${error instanceof Error ? error.message : 'unknown'}`);
      return null;
    }
  };
}
