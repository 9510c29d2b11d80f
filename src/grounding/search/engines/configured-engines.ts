import type { SearchEngineConfig } from '../../../config/search-config.js';
import type { SearchEngine } from '../engine-client.js';
import type { SearchDialect } from '../search-engine.js';
import { customDialect } from './custom.js';
import type { EngineType } from '../engine-types.js';
import { brave } from './brave.js';
import { exa } from './exa.js';
import { perplexity } from './perplexity.js';
import { searxng } from './searxng.js';
import { serper } from './serper.js';
import { tavily } from './tavily.js';

/** The search engines of a configuration, in its order. */
export const configuredEngines = (engines: readonly SearchEngineConfig[]): SearchEngine[] =>
  engines.map((engine) => {
    const { name, url, headers, content, apiKeys, pricePerThousand, timeoutMs } = engine;
    const settings = { url, headers, content };
    const dialect = dialectOf(engine);
    return { name, dialect, settings, apiKeys, pricePerThousand, timeoutMs };
  });

function dialectOf({ type, url, custom }: SearchEngineConfig): SearchDialect {
  if (type !== 'custom') return searchDialects[type];
  if (url === null || custom === null) throw new Error('a custom engine has an address');
  const { text, ...pointers } = custom;
  return customDialect({ url, content: text, ...pointers });
}

/** The dialects of known engines, by their type. */
export const searchDialects: Readonly<Record<Exclude<EngineType, 'custom'>, SearchDialect>> = {
  searxng,
  brave,
  tavily,
  exa,
  serper,
  perplexity,
};
