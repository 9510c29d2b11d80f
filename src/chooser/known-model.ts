import { makerOf } from '../models/price-list.js';
import { shippedAbilities } from './outlook/model-abilities.js';

/**
 * The models that the tables have: those with published results, by `names` in one spelling; `has`
 * knows also those with their maker's price.
 * @param at ms since 1970
 */
export function knownModels(at: number): {
  readonly names: readonly string[];
  has(name: string): boolean;
} {
  const abilities = shippedAbilities();
  return {
    names: abilities.names,
    has: (name) =>
      abilities.measured(name) !== null ||
      makerOf(name.slice(name.lastIndexOf('/') + 1), at) !== null,
  };
}
