import { apiKeysOf, hasOnlyBlankKeys } from './provider-keys.js';
import type {
  CustomEngineConfig,
  SearchConfig,
  SearchEngineConfig,
  WrittenEngine,
} from './search-config.js';
import type { WrittenConfig } from './shape.js';

/** Fills the defaults into the settings of search, without engines whose keys are all empty. */
export function fillSearch(
  input: NonNullable<WrittenConfig['search']>,
  defaults: Omit<SearchConfig, 'engines'> & { readonly timeoutMs: number },
): SearchConfig {
  const timeoutMs = input.timeoutMs ?? defaults.timeoutMs;
  return {
    engines: (input.engines ?? [])
      .filter((engine) => !hasOnlyBlankKeys(engine))
      .map((engine) => fillEngine(engine, timeoutMs)),
    allowPrivateHosts: input.allowPrivateHosts ?? defaults.allowPrivateHosts,
    ports: input.ports ?? defaults.ports,
    obeyRobots: input.obeyRobots ?? defaults.obeyRobots,
    maxUses: input.maxUses ?? defaults.maxUses,
    maxResults: input.maxResults ?? defaults.maxResults,
    cacheMs: input.cacheMs ?? defaults.cacheMs,
  };
}

/** The name under which an engine is known. */
export const engineNameOf = ({ name, type }: WrittenEngine): string => name ?? type;

function fillEngine(engine: WrittenEngine, timeoutMs: number): SearchEngineConfig {
  return {
    name: engineNameOf(engine),
    type: engine.type,
    url: engine.url ?? null,
    apiKeys: apiKeysOf(engine),
    headers: engine.headers ?? {},
    content: engine.content ?? false,
    pricePerThousand: engine.pricePerThousand ?? null,
    timeoutMs: engine.timeoutMs ?? timeoutMs,
    custom: engine.type === 'custom' ? customOf(engine) : null,
  };
}

/** The findings have refused an engine without the pointers that it needs. */
function customOf(engine: WrittenEngine): CustomEngineConfig {
  const { body, results = '', title = '', link = '', snippet, date, text } = engine;
  return {
    body: body ?? null,
    results,
    title,
    link,
    snippet: snippet ?? null,
    date: date ?? null,
    text: text ?? null,
  };
}
