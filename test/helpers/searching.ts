import type { CustomEngineConfig } from '../../src/config/search-config.js';
import { customDialect } from '../../src/grounding/search/engines/custom.js';
import { searchDialects } from '../../src/grounding/search/engines/configured-engines.js';
import type { SearchEngine, SearchQuery } from '../../src/grounding/search/search-engine.js';

/** A query with nothing but words. */
export const queryFor = (query: string, more: Partial<SearchQuery> = {}): SearchQuery => ({
  query,
  maxResults: 5,
  recency: null,
  country: null,
  allowedDomains: [],
  blockedDomains: [],
  ...more,
});

/** An engine of a known type at an address of ours. */
export const engineAt = (
  type: keyof typeof searchDialects,
  url: string,
  more: Partial<SearchEngine> = {},
): SearchEngine => ({
  name: type,
  dialect: searchDialects[type],
  url,
  headers: {},
  content: false,
  apiKeys: type === 'searxng' ? [] : ['secret-key-1'],
  pricePerThousand: null,
  timeoutMs: 20_000,
  ...more,
});

/** An engine that is described by an address or a body, and pointers. */
export const customEngineAt = (
  { url, ...custom }: Partial<CustomEngineConfig> & { url: string },
  more: Partial<SearchEngine> = {},
): SearchEngine => ({
  name: 'custom',
  dialect: customDialect(url, {
    body: null,
    results: '/items',
    title: '/name',
    link: '/href',
    snippet: '/text',
    date: null,
    text: null,
    ...custom,
  }),
  url,
  headers: {},
  content: false,
  apiKeys: [],
  pricePerThousand: null,
  timeoutMs: 20_000,
  ...more,
});
