import type { EngineType } from '../../src/grounding/search/engine-types.js';
import type { SearchEngine } from '../../src/grounding/search/engine-client.js';
import { customDialect, type CustomEngine } from '../../src/grounding/search/engines/custom.js';
import { searchDialects } from '../../src/grounding/search/engines/configured-engines.js';
import type { SearchQuery } from '../../src/grounding/search/search-engine.js';

/** A query with nothing but words. */
export const queryFor = (query: string, more: Partial<SearchQuery> = {}): SearchQuery => ({
  query,
  maxResults: 5,
  recency: null,
  country: null,
  language: null,
  allowedDomains: [],
  blockedDomains: [],
  ...more,
});

/** An engine of a known type at an address of ours. */
export const engineAt = (
  type: Exclude<EngineType, 'custom'>,
  url: string,
  more: Partial<SearchEngine> & { content?: boolean } = {},
): SearchEngine => {
  const { content = false, ...rest } = more;
  return {
    name: type,
    dialect: searchDialects[type],
    settings: { url, headers: {}, content },
    apiKeys: type === 'searxng' ? [] : ['secret-key-1'],
    pricePerThousand: null,
    timeoutMs: 20_000,
    ...rest,
  };
};

/** An engine that is described by an address or a body, and pointers. */
export const customEngineAt = (
  engine: Partial<CustomEngine> & { url: string },
  more: Partial<SearchEngine> = {},
): SearchEngine => ({
  name: 'custom',
  dialect: customDialect({
    body: null,
    results: '/items',
    title: '/name',
    link: '/href',
    snippet: '/text',
    date: null,
    content: null,
    ...engine,
  }),
  settings: { url: null, headers: {}, content: false },
  apiKeys: [],
  pricePerThousand: null,
  timeoutMs: 20_000,
  ...more,
});
