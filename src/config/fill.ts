import { isObject } from '../text/is-object.js';
import { apiKeysOf, hasOnlyBlankKeys } from './provider-keys.js';
import { childSchema, type JsonSchema, readSchema } from './schema/compile-schema.js';
import { engineConfig } from './search-config.js';
import type {
  Config,
  FilledConfig,
  FilledProvider,
  ProviderConfig,
  WrittenConfig,
  WrittenProvider,
} from './shape.js';
import { toolkitConfig } from './toolkit-config.js';

const schema = readSchema('config');

/** The settings where nothing is written. */
export const defaults = filled({}, schema) as FilledConfig;

/** Fills in the schema's defaults and what other settings decide; drops what has no key. */
export function fillDefaults(input: WrittenConfig): Omit<Config, 'file' | 'warnings'> {
  const written = filled(input, schema) as FilledConfig;
  const { listen, requestLog, search, proxy } = written;
  const { timeoutMs, ...searching } = search;
  const providers = Object.entries(written.providers)
    .filter(([, provider]) => !hasOnlyBlankKeys(provider))
    .map(([name, provider]) => [name, fillProvider(name, provider)] as const);
  return {
    ...written,
    surfaces: Object.fromEntries(
      Object.entries(written.surfaces ?? {}).map(([name, listener]) => [
        name,
        { host: listen.host, ...listener },
      ]),
    ),
    publicUrl: written.publicUrl?.replace(/\/+$/, '') ?? null,
    retention: { sessionDays: requestLog.keepDays, ...written.retention },
    providers: recordOf(providers),
    models: recordOf(Object.entries(written.models)),
    aliases: aliasTargets(written.aliases),
    search: {
      ...searching,
      engines: search.engines
        .filter((engine) => !hasOnlyBlankKeys(engine))
        .map((engine) => engineConfig(engine, timeoutMs)),
    },
    toolkits: Object.entries(written.toolkits).map(([name, toolkit]) =>
      toolkitConfig(name, toolkit),
    ),
    proxy: { ...proxy, forwardHeaders: proxy.forwardHeaders.map((name) => name.toLowerCase()) },
  };
}

/** Fills the defaults into one provider's settings. */
export function fillProvider(name: string, input: WrittenProvider): ProviderConfig {
  const ofProvider = childSchema(childSchema(schema, 'providers', schema), name, schema);
  const { apiKey: _apiKey, ...provider } = filled(input, ofProvider) as FilledProvider;
  return { ...provider, name, apiKeys: apiKeysOf(input) };
}

/** The targets of each alias as a list. */
export const aliasTargets = (aliases: FilledConfig['aliases']): Config['aliases'] =>
  recordOf(Object.entries(aliases).map(([name, targets]) => [name, [targets].flat()]));

/** A copy with a schema's defaults, in its order. An absent section gets those of its settings. */
function filled(value: unknown, part: JsonSchema | undefined): unknown {
  const own = value === undefined ? part?.default : value;
  const inner = (item: unknown, key: string) => filled(item, childSchema(part, key, schema));
  if (Array.isArray(own)) return own.map((item) => inner(item, 'items'));
  if (own !== undefined && !isObject(own)) return own;
  const declared = isObject(part?.properties) ? Object.keys(part.properties) : [];
  const entries = [...new Set([...declared, ...Object.keys(own ?? {})])]
    .map((key) => [key, inner(own?.[key], key)] as const)
    .filter(([, setting]) => setting !== undefined);
  return own === undefined && entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** An object without a prototype: a request for a provider named `constructor` finds nothing. */
function recordOf<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  const record = Object.create(null) as Record<string, T>;
  for (const [key, value] of entries) record[key] = value;
  return record;
}
