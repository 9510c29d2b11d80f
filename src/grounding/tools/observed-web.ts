import { PageError } from '../reading/page-error.js';
import type { PageReader, WebPage } from '../reading/page-reader.js';
import { isAllowedPage } from '../search/domains.js';
import type { Recency, SearchQuery, SearchResult } from '../search/search-engine.js';
import type { SearchAttempt, WebSearch } from '../search/web-search.js';

/** What a request allows of web search: its own wishes, within what the configuration allows. */
export interface WebSettings extends Omit<SearchQuery, 'query'> {
  /** Only this engine is asked; null: all, in order. */
  readonly engine: string | null;
  /** Searches that one request may make; as many pages again may be read for each. */
  readonly maxUses: number;
}

/** What happens on the web for a request, as it is measured and shown. */
export interface PageObserver {
  searched(attempt: SearchAttempt): void;
  reading(url: string): void;
  read(outcome: 'ok' | PageError['code'], ms: number): void;
}

/** Searches and pages within the settings of a request; each is reported. */
export class ObservedWeb {
  constructor(
    private readonly web: { readonly search: WebSearch; readonly reader: PageReader },
    private readonly settings: Omit<WebSettings, 'maxUses'>,
    private readonly observer: PageObserver,
  ) {}

  /**
   * @param charge receives what each call of an engine costs in USD; null: unknown
   * @throws GatewayError as `WebSearch.search`
   */
  async search(
    query: string,
    recency: Recency | null,
    signal: AbortSignal,
    charge: (costUsd: number | null) => void,
  ): Promise<readonly SearchResult[]> {
    const { engine, maxResults, country, allowedDomains, blockedDomains } = this.settings;
    const age = recency ?? this.settings.recency;
    const { results } = await this.web.search.search(
      { query, maxResults, recency: age, country, allowedDomains, blockedDomains },
      {
        signal,
        engine,
        continuesOnEmpty: true,
        onAttempt: (attempt) => {
          charge(attempt.costUsd);
          this.observer.searched(attempt);
        },
      },
    );
    return results;
  }

  /** Whether the request allows pages of the address's host. */
  isAllowed(url: string): boolean {
    const { allowedDomains, blockedDomains } = this.settings;
    return isAllowedPage(url, allowedDomains, blockedDomains);
  }

  /** @throws PageError */
  async read(url: string, signal: AbortSignal): Promise<WebPage> {
    const startedAt = performance.now();
    this.observer.reading(url);
    const report = (outcome: 'ok' | PageError['code']): void =>
      this.observer.read(outcome, performance.now() - startedAt);
    try {
      const page = await this.web.reader.read(url, {
        signal: AbortSignal.any([signal]),
        allowed: ({ href }) => this.isAllowed(href),
      });
      report('ok');
      return page;
    } catch (error) {
      report(error instanceof PageError ? error.code : 'unreadable');
      throw error;
    }
  }
}
