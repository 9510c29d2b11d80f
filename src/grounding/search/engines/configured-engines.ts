import type { SearchEngineConfig } from '../../../config/search-config.js';
import type { SearchDialect, SearchEngine } from '../search-engine.js';
import { brave } from './brave.js';
import { customDialect } from './custom.js';
import { exa } from './exa.js';
import { perplexity } from './perplexity.js';
import { searxng } from './searxng.js';
import { serper } from './serper.js';
import { tavily } from './tavily.js';

/** The dialects of known engines, by their type. */
export const searchDialects = { searxng, brave, tavily, exa, serper, perplexity };

/** The search engines of a configuration, in its order. */
export const configuredEngines = (engines: readonly SearchEngineConfig[]): SearchEngine[] =>
  engines.map(({ type, custom, ...engine }) => ({
    ...engine,
    dialect: dialectOf(type, engine.url, custom),
  }));

function dialectOf(
  type: SearchEngineConfig['type'],
  url: string | null,
  custom: SearchEngineConfig['custom'],
): SearchDialect {
  if (type !== 'custom') return searchDialects[type];
  if (url === null || custom === null) throw new Error('a custom engine has an address');
  return customDialect(url, custom);
}
