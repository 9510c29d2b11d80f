import type { PageReader } from '../../grounding/reading/page-reader.js';
import type { Toolkits } from '../../grounding/toolkits/toolkits.js';
import type { WebSearch } from '../../grounding/search/web-search.js';

/** What a configuration offers to completions beside models. */
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
