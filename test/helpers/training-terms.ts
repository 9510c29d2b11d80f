import { defaults } from '../../src/config/fill.js';
import type { TrainingTerms } from '../../src/chooser/training/custom/custom-rows.js';

/** What a training takes from a configuration that states nothing. */
export const plainTerms: TrainingTerms = {
  tolerance: defaults.routing.tolerance,
  economy: defaults.routing.economy,
  overrides: {},
  priceIds: {},
};
