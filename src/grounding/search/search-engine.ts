import type { SearchEngineConfig } from '../../config/search-config.js';
import type { UpstreamHeaders } from '../../providers/adapter.js';
import type { ProviderFailure } from '../../providers/failure.js';

/** How old results may be. */
export type Recency = 'day' | 'week' | 'month' | 'year';

/** What to search for. */
export interface SearchQuery {
  readonly query: string;
  /** At least 1. An engine may find fewer. */
  readonly maxResults: number;
  readonly recency: Recency | null;
  /** Two letters (ISO 3166-1), in any case. */
  readonly country: string | null;
  /** Host names; each stands for its subdomains too. Empty: all. */
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
}

/** A page that an engine found: the same shape whichever engine it was. */
export interface SearchResult {
  /** Plain text on one line; the host's name where the engine gave none. */
  readonly title: string;
  /** http or https, without credentials. */
  readonly url: string;
  /** Plain text on one line; '' where the engine gave none. */
  readonly snippet: string;
  /** ISO 8601: a date, or date and time in UTC. Null: not said, or not understood. */
  readonly publishedAt: string | null;
  /** The page's text, or a long part of it, where the engine sends one. */
  readonly content?: string;
  /** The configured engine's name. */
  readonly engine: string;
}

/** A result as an engine wrote it. Everything may be missing or of a wrong type. */
export interface RawResult {
  readonly title?: unknown;
  readonly url?: unknown;
  readonly snippet?: unknown;
  /** ISO 8601, a date in English words, an HTTP date, or an age in English (`3 days ago`). */
  readonly date?: unknown;
  readonly content?: unknown;
}

/** The HTTP request of one search. */
export interface EngineRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; null for GET. */
  readonly body: string | null;
}

/** What a dialect needs: the address (null: the vendor's), and whether to ask for content. */
type EngineSettings = Pick<SearchEngineConfig, 'url' | 'content'>;

/** The answer with an error status, as a dialect explains it. */
export type EngineFailure = Pick<ProviderFailure, 'reason' | 'code' | 'retryAfterMs'>;

/**
 * One engine's API: translates to and from it, without I/O, as a provider's adapter does. It passes
 * on what the API can express; the caller filters domains and counts in every case.
 */
export interface SearchDialect {
  /** True: searches cost nothing unless a price is configured. */
  readonly isFree: boolean;
  /** False: the caller drops results that say they are too old. */
  readonly appliesRecency: boolean;
  buildRequest(query: SearchQuery, engine: EngineSettings, apiKey: string | null): EngineRequest;
  /**
   * @returns the results, best first; null if the body is not an answer of this engine
   * @throws GatewayError if the body says that the search failed
   */
  readResults(body: unknown, request: EngineRequest): readonly RawResult[] | null;
  /** Says more of a failure than its status and body do; null or absent: they are enough. */
  explainFailure?(status: number, headers: UpstreamHeaders, body: unknown): EngineFailure | null;
}

/** How vendors are asked that take JSON, at an address that the configuration may replace. */
export const jsonRequests = (
  address: string,
  keyHeader: 'authorization' | 'x-api-key',
  bodyOf: (query: SearchQuery, engine: EngineSettings) => object,
): Pick<SearchDialect, 'isFree' | 'appliesRecency' | 'buildRequest'> => ({
  isFree: false,
  appliesRecency: true,
  buildRequest(query, engine, apiKey) {
    const scheme = keyHeader === 'authorization' ? 'Bearer ' : '';
    return {
      method: 'POST',
      url: engine.url ?? address,
      headers: {
        'content-type': 'application/json',
        ...(apiKey === null ? {} : { [keyHeader]: `${scheme}${apiKey}` }),
      },
      body: JSON.stringify(bodyOf(query, engine)),
    };
  },
});

/** One configured search engine. Its address and headers are the operator's choice. */
export interface SearchEngine extends Omit<SearchEngineConfig, 'type' | 'custom'> {
  readonly dialect: SearchDialect;
}

/** What one search costs in USD by the configured price; null: unknown. */
export function searchPriceOf({ pricePerThousand, dialect }: SearchEngine): number | null {
  const price = pricePerThousand ?? (dialect.isFree ? 0 : null);
  return price === null ? null : price / 1_000;
}
