import { asList, isObject } from '../text/is-object.js';

/** The keys of a provider or a search engine, without empty and repeated ones. */
export function apiKeysOf({
  apiKey,
  apiKeys = [],
}: {
  readonly apiKey?: string;
  readonly apiKeys?: readonly string[];
}): string[] {
  const written = apiKey === undefined ? apiKeys : [apiKey, ...apiKeys];
  return [...new Set(written.filter((key) => key !== ''))];
}

/** The paths of providers and engines that are skipped: they have keys, and all are empty. */
export function pathsWithoutKey(settings: unknown): readonly (readonly string[])[] {
  const { providers, search } = isObject(settings) ? settings : {};
  const engines = isObject(search) ? search.engines : undefined;
  const skipped = (start: readonly string[], all: unknown): string[][] =>
    Object.entries(all ?? {})
      .filter(([, settings]) => isObject(settings) && hasOnlyBlankKeys(settings))
      .map(([name]) => [...start, name]);
  return [...skipped(['providers'], providers), ...skipped(['search', 'engines'], engines)];
}

/** Whether keys are written, and none of them has a value. */
export function hasOnlyBlankKeys({
  apiKey,
  apiKeys,
}: {
  readonly apiKey?: unknown;
  readonly apiKeys?: unknown;
}): boolean {
  const keys = [apiKey, ...asList(apiKeys)].filter((key) => key !== undefined);
  return keys.length > 0 && keys.every((key) => key === '');
}
