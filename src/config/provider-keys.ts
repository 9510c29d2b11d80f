import { isObject } from '../text/is-object.js';

/** Removes white space around keys: secrets often come from files that end in a line break. */
export function trimKeys(value: unknown): unknown {
  if (!isObject(value)) return value;
  const providers = mapValues(value.providers, withTrimmedKeys);
  const search =
    isObject(value.search) && Array.isArray(value.search.engines)
      ? { ...value.search, engines: value.search.engines.map(withTrimmedKeys) }
      : value.search;
  const auth =
    isObject(value.auth) && Array.isArray(value.auth.keys)
      ? {
          ...value.auth,
          keys: value.auth.keys.map((entry: unknown) =>
            isObject(entry) && 'key' in entry ? { ...entry, key: trim(entry.key) } : entry,
          ),
        }
      : value.auth;
  return {
    ...value,
    ...(providers === undefined ? {} : { providers }),
    ...(auth === undefined ? {} : { auth }),
    ...(search === undefined ? {} : { search }),
  };
}

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

function withTrimmedKeys(value: unknown): unknown {
  if (!isObject(value)) return value;
  return {
    ...value,
    ...(value.apiKey === undefined ? {} : { apiKey: trim(value.apiKey) }),
    ...(Array.isArray(value.apiKeys) ? { apiKeys: value.apiKeys.map(trim) } : {}),
  };
}

/**
 * The providers whose keys are all empty, which are skipped. A provider without `apiKey` needs
 * none.
 */
export function providersWithoutKey(value: unknown): Set<string> {
  const providers =
    isObject(value) && isObject(value.providers) ? Object.entries(value.providers) : [];
  return new Set(
    providers
      .filter(([, provider]) => isObject(provider) && hasOnlyBlankKeys(provider))
      .map(([name]) => name),
  );
}

/** The search engines whose keys are all empty, which are skipped, by their place in the list. */
export function enginesWithoutKey(value: unknown): Set<string> {
  const search = isObject(value) ? value.search : undefined;
  const engines = isObject(search) && Array.isArray(search.engines) ? search.engines : [];
  const places = (engines as unknown[]).map((engine, place) =>
    isObject(engine) && hasOnlyBlankKeys(engine) ? [String(place)] : [],
  );
  return new Set(places.flat());
}

/** Whether keys are written, and none of them has a value. */
export function hasOnlyBlankKeys({
  apiKey,
  apiKeys,
}: {
  readonly apiKey?: unknown;
  readonly apiKeys?: unknown;
}): boolean {
  const keys = [
    ...(apiKey === undefined ? [] : [apiKey]),
    ...(Array.isArray(apiKeys) ? (apiKeys as unknown[]) : []),
  ];
  return keys.length > 0 && keys.every((key) => key === '');
}

function mapValues(value: unknown, change: (item: unknown) => unknown): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]))
    : value;
}

function trim(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}
