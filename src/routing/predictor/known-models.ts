import { LRUCache } from 'lru-cache';
import { canonicalName, undatedName } from '../model-name.js';
import { readModelTable } from '../model-tables.js';

/**
 * Finds the measured model that a candidate's name refers to, whatever its provider; -1 if it was
 * not measured.
 */
export type FindModel = (name: string) => number;

/** Longer names are not looked up, since clients can send anything. */
const maxNameLength = 200;
const maxCachedNames = 4000;

/** Names that would become another model's if their date or packaging were cut off. */
const separateFamilies = readModelTable('aliases').families.map(({ pattern, family }) => ({
  name: new RegExp(`^${pattern}$`),
  family,
}));

/** The name that all versions of a model share. */
const familyOf = (canonical: string): string =>
  separateFamilies.find(({ name }) => name.test(canonical))?.family ??
  undatedName(canonical.replace(/-0-\d(?=-hf$|$)/, ''));

/** Endings of chat models: a bare name, such as `llama3.1:8b`, refers to the chat model. */
const conversing = ['-instruct', '-it', '-chat'];

/**
 * A canonical name changed so that versions sort by age: among dates without a year, 0125 belongs
 * to another year.
 */
const byAge = (canonical: string): string => canonical.replace(/-0125(?=-|$)/, '-2024-01-25');

/** The name of a fine-tuned model; null for other models. */
const tunedName = (model: string): string | null => /(?:^|\/)(ft:.*)$/.exec(model)?.[1] ?? null;

/**
 * Matches names to measured models: `openai/gpt-4o-2024-08-06`, `gpt-4o`, `azure/gpt-4o` and
 * `gpt-4o-2024-11-20` all refer to GPT-4o. Prefers the same version, then the newest of the other
 * versions. A fine-tuned model that was not measured counts as its base model.
 */
export function createFindModel(models: readonly string[]): FindModel {
  const exact = new Map<string, number>(),
    undated = new Map<string, number>();
  models.forEach((model, place) => {
    const tuned = tunedName(model);
    // its results say nothing about its base model
    if (tuned !== null) return void exact.set(tuned, place);
    const name = canonicalName(model),
      family = familyOf(name);
    exact.set(name, place);
    const rival = undated.get(family);
    if (rival === undefined || byAge(canonicalName(models[rival]!)) < byAge(name))
      undated.set(family, place);
  });
  const exactly = (canonical: string): number | undefined =>
    exact.get(
      conversing
        .map((ending) => canonical + ending)
        .find((name) => exact.has(name) && familyOf(name) === familyOf(canonical)) ?? canonical,
    );
  const kept = new LRUCache<string, number>({ max: maxCachedNames });
  return (name) => {
    if (name.length > maxNameLength) return -1;
    let place = kept.get(name);
    if (place === undefined) {
      const canonical = canonicalName(name);
      place =
        exact.get(tunedName(name) ?? '') ??
        exactly(canonical) ??
        undated.get(familyOf(canonical)) ??
        -1;
      kept.set(name, place);
    }
    return place;
  };
}
