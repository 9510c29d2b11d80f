import type { WebPage } from '../reading/page-reader.js';
import type { SearchResult } from '../search/search-engine.js';

/** What one search found. */
export interface WebFindings {
  /** Best first. */
  readonly results: readonly SearchResult[];
  /** At most the price of a search; null: unknown. */
  readonly costUsd: number | null;
}

/** How a research run reaches the web. */
export interface ResearchWeb {
  /** @throws GatewayError if the search fails, or the reason of the signal */
  search(query: string, signal: AbortSignal): Promise<WebFindings>;
  /** @throws if the page cannot be read */
  read(url: string, signal: AbortSignal): Promise<Omit<WebPage, 'contentType' | 'bytes'>>;
  /** What one search costs at most; null: unknown. */
  readonly searchPriceUsd: number | null;
}
