import { LRUCache } from 'lru-cache';
import { canonicalName, undatedName } from '../model-name.js';

/** Finds the measured model that a candidate's name stands for, whoever serves it; -1 where it was not measured. */
export type FindModel = (name: string) => number;

/** The longest name that is looked at: what a client typed may be anything. */
const longestName = 200;
const mostKept = 4000;

/**
 * Matches names to measured models: `openai/gpt-4o-2024-08-06`, `gpt-4o`, `azure/gpt-4o` and `gpt-4o-2024-11-20` are all GPT-4o. The same
 * version is found first; of other versions under one name, the newest.
 */
export function createFindModel(models: readonly string[]): FindModel {
  const exact = new Map<string, number>(), undated = new Map<string, number>();
  models.forEach((model, place) => {
    const name = canonicalName(model);
    exact.set(name, place);
    const rival = undated.get(undatedName(name));
    if (rival === undefined || canonicalName(models[rival]!) < name) undated.set(undatedName(name), place);
  });
  const kept = new LRUCache<string, number>({ max: mostKept });
  return (name) => {
    if (name.length > longestName) return -1;
    let place = kept.get(name);
    if (place === undefined) {
      const canonical = canonicalName(name);
      place = exact.get(canonical) ?? undated.get(undatedName(canonical)) ?? -1;
      kept.set(name, place);
    }
    return place;
  };
}
