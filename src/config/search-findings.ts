import { engineNameOf } from './fill-search.js';
import type { Finding } from './findings.js';
import type { WrittenEngine } from './search-config.js';
import type { WrittenConfig } from './shape.js';
import { parseUrl } from '../text/parse-url.js';

/** What only a custom engine has. */
const customSettings = ['body', 'results', 'title', 'link', 'snippet', 'date', 'text'] as const;
const neededByCustom = ['url', 'results', 'title', 'link'] as const;
const placeholders = ['query', 'count', 'recency', 'country', 'language'];

/** What is wrong with the search engines, beyond their schema. */
export function searchFindings({ search = {} }: WrittenConfig): Finding[] {
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
  const { type, url, apiKey, apiKeys } = engine;
  if (type === 'searxng' && url === undefined) return [{ field: 'url', reason: 'is required' }];
  // one at another address, such as a proxy, may need none
  if (type !== 'searxng' && url === undefined && apiKey === undefined && apiKeys === undefined)
    return [{ field: 'apiKey', reason: 'is required' }];
  return url === undefined || parseUrl(url) ? [] : [{ field: 'url', reason: 'is no address' }];
}

function customProblems(engine: WrittenEngine): Problem[] {
  const missing = neededByCustom.filter((setting) => engine[setting] === undefined);
  if (missing.length > 0) return missing.map((field) => ({ field, reason: 'is required' }));
  const { url = '', body } = engine;
  const sent = JSON.stringify(body ?? null);
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
