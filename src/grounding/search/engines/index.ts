import type { EngineType } from '../engine-types.js';
import type { SearchDialect } from '../search-engine.js';
import { brave } from './brave.js';
import { exa } from './exa.js';
import { perplexity } from './perplexity.js';
import { searxng } from './searxng.js';
import { serper } from './serper.js';
import { tavily } from './tavily.js';

/** The dialects of known engines, by their type. */
export const searchDialects: Readonly<Record<Exclude<EngineType, 'custom'>, SearchDialect>> = {
  searxng,
  brave,
  tavily,
  exa,
  serper,
  perplexity,
};
