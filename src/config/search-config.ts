import { parseUrl } from '../text/parse-url.js';
import type { ConfigInput } from './config-input.js';
import type { Finding } from './problem.js';
import { apiKeysOf } from './provider-keys.js';

/** A search engine as written. */
export type WrittenEngine = NonNullable<NonNullable<ConfigInput['search']>['engines']>[number];

/** A search engine's settings with their defaults. */
export type FilledEngine = Omit<Required<WrittenEngine>, Undefaulted> &
  Pick<WrittenEngine, Undefaulted>;
type Undefaulted = 'name' | 'apiKey' | 'apiKeys' | 'timeoutMs' | 'results' | 'title' | 'link';

/** What only a custom engine has. */
const customSettings = ['body', 'results', 'title', 'link', 'snippet', 'date', 'text'] as const;
const neededByCustom = ['url', 'results', 'title', 'link'] as const;
const placeholders = ['query', 'count', 'recency', 'country', 'language'];

/** How an engine of the type `custom` is asked and read; pointers are null where there is none. */
export type CustomEngineConfig = Pick<Required<WrittenEngine>, (typeof customSettings)[number]>;

/** The settings of one search engine. */
export interface SearchEngineConfig extends Omit<
  Required<WrittenEngine>,
  'apiKey' | keyof CustomEngineConfig
> {
  /** Null unless the type is `custom`. */
  readonly custom: CustomEngineConfig | null;
}

/** The settings of an engine whose own time-out, if it has none, is `timeoutMs`. */
export function engineConfig(engine: FilledEngine, timeoutMs: number): SearchEngineConfig {
  const { body, results = '', title = '', link = '', snippet, date, text } = engine;
  const { type, url, headers, content, pricePerThousand } = engine;
  return {
    name: engineNameOf(engine),
    type,
    url,
    apiKeys: apiKeysOf(engine),
    headers,
    content,
    pricePerThousand,
    timeoutMs: engine.timeoutMs ?? timeoutMs,
    custom: type === 'custom' ? { body, results, title, link, snippet, date, text } : null,
  };
}

const engineNameOf = ({ name, type }: Pick<WrittenEngine, 'name' | 'type'>): string => name ?? type;

/** What is wrong with the search engines, beyond their schema. */
export function searchFindings({ search = {} }: Pick<ConfigInput, 'search'>): Finding[] {
  const engines = search.engines ?? [];
  const names = engines.map(engineNameOf);
  return engines.flatMap((engine, place) => {
    const isTaken = names.indexOf(names[place]!) < place;
    const taken = `is the same as an earlier one; give one of them another name`;
    const problems: readonly Problem[] = isTaken
      ? [{ field: 'name', reason: taken }]
      : engine.type === 'custom'
        ? customProblems(engine)
        : vendorProblems(engine);
    return problems.map(({ field, reason }) => ({
      path: ['search', 'engines', String(place), field],
      reason,
    }));
  });
}

interface Problem {
  readonly field: string;
  readonly reason: string;
}

function vendorProblems(engine: WrittenEngine): Problem[] {
  const foreign = customSettings.find((setting) => engine[setting] !== undefined);
  if (foreign !== undefined) return [{ field: foreign, reason: 'is only for the type custom' }];
  const { type, url = null, apiKey, apiKeys } = engine;
  if (type === 'searxng' && url === null) return [{ field: 'url', reason: 'is required' }];
  // one at another address, such as a proxy, may need none
  if (type !== 'searxng' && url === null && apiKey === undefined && apiKeys === undefined)
    return [{ field: 'apiKey', reason: 'is required' }];
  return url === null || parseUrl(url) ? [] : [{ field: 'url', reason: 'is no address' }];
}

function customProblems(engine: WrittenEngine): Problem[] {
  const missing = neededByCustom.filter((setting) => engine[setting] === undefined);
  if (missing.length > 0) return missing.map((field) => ({ field, reason: 'is required' }));
  const url = engine.url ?? '';
  const sent = JSON.stringify(engine.body ?? null);
  const unknown = [
    ...[...url.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => ({ field: 'url', name })),
    // elsewhere in a text braces may be part of a query language
    ...[...sent.matchAll(/"\{(\w+)\}"/g)].map(([, name]) => ({ field: 'body', name })),
  ].find(({ name = '' }) => !placeholders.includes(name));
  if (unknown !== undefined) {
    const known = placeholders.map((name) => `{${name}}`).join(', ');
    return [{ field: unknown.field, reason: `has an unknown placeholder; there are ${known}` }];
  }
  if (!parseUrl(url.replace(/\{\w+\}/g, 'x'))) return [{ field: 'url', reason: 'is no address' }];
  if (url.includes('{query}') || sent.includes('{query}')) return [];
  return [{ field: 'url', reason: 'must have the placeholder {query}, or `body` must' }];
}
