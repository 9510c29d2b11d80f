import { shippedAbilities } from './outlook/model-abilities.js';
import { makerOf } from '../models/price-list.js';

/**
 * Whether the tables have just the model that a name stands for: published results of it, or its
 * maker's price.
 * @param at ms since 1970
 */
export function isKnownModel(name: string, at: number): boolean {
  const bare = name.slice(name.lastIndexOf('/') + 1);
  return shippedAbilities().measured(name) !== null || makerOf(bare, at) !== null;
}

/** The names of the models of which there are published results, in one spelling. */
export const measuredModels = (): string[] => shippedAbilities().names;
