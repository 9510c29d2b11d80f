import { createImageReader, PageReader } from '../../grounding/reading/page-reader.js';
import type { ImageSource } from '../../dispatch/inline-images.js';
import { Toolkits } from '../../grounding/toolkits/toolkits.js';
import { searchPriceOf } from '../../grounding/search/search-engine.js';
import { WebSearch } from '../../grounding/search/web-search.js';
import type { Config } from '../../config/config.js';
import { configuredEngines } from '../../grounding/search/engines/configured-engines.js';

/** Search, pages, toolkits and research, as a configuration offers them to completions. */
export interface GroundingParts {
  /** Null: no search engine is configured. */
  readonly search: WebSearch | null;
  readonly reader: PageReader;
  /** USD for one search by each engine; null: unknown. */
  readonly enginePrices: ReadonlyMap<string, number | null>;
  readonly toolkits: Toolkits;
  /** The model that reads pages in research; null: the cheapest of the request. */
  readonly researchReader: string | null;
  readonly limits: GroundingLimits;
}

/** What one request may ask for at most. */
export interface GroundingLimits {
  readonly maxUses: number;
  readonly maxResults: number;
  readonly maxToolSteps: number;
  readonly research: { readonly maxCostUsd: number; readonly maxSeconds: number };
}

/** Builds the grounding parts of a configuration; nothing connects yet. */
export function buildGrounding(
  { search, research, toolkits, limits }: Config,
  warn: (message: string) => void,
): GroundingParts {
  const engines = configuredEngines(search.engines);
  const { allowPrivateHosts, ports, obeyRobots, maxUses, maxResults, cacheMs } = search;
  return {
    search: engines.length === 0 ? null : new WebSearch({ engines, cacheMs }),
    reader: new PageReader({ allowPrivateHosts, ports, obeyRobots }),
    toolkits: new Toolkits(toolkits, warn),
    enginePrices: new Map(engines.map((engine) => [engine.name, searchPriceOf(engine)])),
    researchReader: research.reader,
    limits: { maxUses, maxResults, maxToolSteps: limits.maxToolSteps, research },
  };
}

/** Reads images for providers that do not, by the rules for pages; null if it is switched off. */
export function imageSourceOf({ search, limits }: Config): ImageSource | null {
  const { allowPrivateHosts, ports, obeyRobots } = search;
  const { maxFetchedImages: maxImages } = limits;
  if (maxImages === 0) return null;
  return { maxImages, ...createImageReader({ allowPrivateHosts, ports, obeyRobots }) };
}

/** Hands on cooldowns and unchanged toolkits; other connections end by their idle timeouts. */
export function inheritGrounding(earlier: GroundingParts, next: GroundingParts): void {
  if (earlier.search) next.search?.inheritRests(earlier.search);
  next.toolkits.inheritFrom(earlier.toolkits);
}

/** Cancels running work, and closes all connections. */
export async function closeGrounding({ search, reader, toolkits }: GroundingParts): Promise<void> {
  reader.close();
  await Promise.all([search?.close(), toolkits.close()]);
}
