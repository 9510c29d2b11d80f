import { closestName } from '../../config/closest.js';
import type { Config } from '../../config/config.js';
import { knownModels } from '../../chooser/chooser.js';

/**
 * Warnings for models whose `ability` names a model that nobody knows: probably misspelt. The name
 * itself is not repeated.
 */
export function abilityWarnings({ models }: Pick<Config, 'models'>, at: number): string[] {
  const known = knownModels(at);
  return Object.entries(models).flatMap(([label, { ability }]) => {
    if (typeof ability !== 'string' || known.has(ability)) return [];
    // a name that only begins as the written one is as near as one with a wrong letter
    const longestFirst = [...known.names].sort((a, b) => b.length - a.length);
    const meant = closestName(ability.slice(ability.lastIndexOf('/') + 1), longestFirst);
    const hint = meant === null ? '' : `; did you mean ${meant}?`;
    return [
      `models.${label}.ability names a model that no table has, so it is judged by that name's family if it is known, else as if nothing were stated${hint}`,
    ];
  });
}
