import type { Recency } from '../search/search-engine.js';

/** What a request allows of web search: its own wishes, within what the configuration allows. */
export interface WebSettings {
  /** Only this engine is asked; null: all, in order. */
  readonly engine: string | null;
  /** Searches that one request may make; as many pages again may be read for each. */
  readonly maxUses: number;
  readonly maxResults: number;
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
  readonly recency: Recency | null;
  /** Two letters; null: not said. */
  readonly country: string | null;
}
