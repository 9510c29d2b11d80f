import { modelIdentity } from '../../models/model-identity.js';
import { canonicalName } from '../../models/model-name.js';
import { NameCache } from '../../models/name-cache.js';
import { readModelTable } from '../../models/model-tables.js';

/** Finds the measured model that a name refers to, whatever its provider; -1: none. */
export type FindModel = (name: string) => number;

/** Longer names are not looked up, since clients can send anything. */
const maxNameLength = 200;
const maxCachedNames = 4000;

const { namesOf2024 } = readModelTable('aliases');
const earlierNames = new Map(Object.entries(namesOf2024));

/** Endings of chat models: a bare name, such as `llama3.1:8b`, refers to the chat model. */
const conversing = ['-instruct', '-it', '-chat'];
const converses = (canonical: string): boolean => /-(?:instruct|it|chat)(?=-|$)/.test(canonical);

/** A canonical name changed so that versions sort by age: without a year, 0125 means 2024. */
const byAge = (canonical: string): string => canonical.replace(/-0125(?=-|$)/, '-2024-01-25');

/** The name of a fine-tuned model; null for other models. */
const tunedName = (model: string): string | null => /(?:^|\/)(ft:.*)$/.exec(model)?.[1] ?? null;

/** Whether one version of a model stands for the model rather than another version. */
const isBetter = (canonical: string, rival: string): boolean =>
  converses(canonical) === converses(rival)
    ? byAge(canonical) > byAge(rival)
    : converses(canonical);

/**
 * Matches names to measured models: `openai/gpt-4o-2024-08-06`, `gpt-4o`, `azure/gpt-4o` and
 * `gpt-4o-2024-11-20` all refer to GPT-4o. Prefers the same version, then the newest of the other
 * versions of the same product; see `modelIdentity` for what is a product. A fine-tuned model that
 * was not measured counts as its base model.
 */
export function createFindModel(models: readonly string[]): FindModel {
  const exact = new Map<string, number>(),
    byIdentity = new Map<string, number>();
  models.forEach((model, place) => {
    const tuned = tunedName(model);
    // its results say nothing about its base model
    if (tuned !== null) return void exact.set(tuned, place);
    const name = canonicalName(model),
      // names with a provider come from an account's own evaluations of today
      identity = modelIdentity((model.includes('/') ? null : earlierNames.get(name)) ?? model);
    exact.set(name, place);
    const rival = byIdentity.get(identity);
    if (rival === undefined || isBetter(name, canonicalName(models[rival]!)))
      byIdentity.set(identity, place);
  });
  const exactly = (canonical: string): number | undefined => {
    // it was another product then
    if (earlierNames.has(canonical)) return undefined;
    const chat = conversing.map((ending) => canonical + ending).find((name) => exact.has(name));
    return exact.get(chat ?? canonical);
  };
  const kept = new NameCache<number>(maxCachedNames);
  const find = (name: string): number =>
    exact.get(tunedName(name) ?? '') ??
    exactly(canonicalName(name)) ??
    byIdentity.get(modelIdentity(name)) ??
    -1;
  return (name) => (name.length > maxNameLength ? -1 : kept.of(name, find));
}
