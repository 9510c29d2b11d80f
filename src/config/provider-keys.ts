/** Removes white space around keys: secrets often come from files that end in a line break. */
export function trimKeys(value: unknown): unknown {
  if (!isObject(value)) return value;
  const providers = mapValues(value.providers, (provider) =>
    !isObject(provider)
      ? provider
      : {
          ...provider,
          ...(provider.apiKey === undefined ? {} : { apiKey: trim(provider.apiKey) }),
          ...(Array.isArray(provider.apiKeys) ? { apiKeys: provider.apiKeys.map(trim) } : {}),
        },
  );
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

function hasOnlyBlankKeys({ apiKey, apiKeys }: Record<string, unknown>): boolean {
  const keys = [
    ...(apiKey === undefined ? [] : [apiKey]),
    ...(Array.isArray(apiKeys) ? (apiKeys as unknown[]) : []),
  ];
  return keys.length > 0 && keys.every((key) => key === '');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(value: unknown, change: (item: unknown) => unknown): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]))
    : value;
}

function trim(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}
