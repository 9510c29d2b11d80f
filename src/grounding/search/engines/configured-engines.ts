import type { SearchEngineConfig } from '../../../config/search-config.js';
import type { SearchEngine } from '../engine-client.js';
import type { SearchDialect } from '../search-engine.js';
import { customDialect } from './custom.js';
import { searchDialects } from './index.js';

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
