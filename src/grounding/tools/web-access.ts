import { inTurns } from '../../async/turns.js';
import { GatewayError } from '../../errors.js';
import { PageError } from '../reading/page-error.js';
import type { PageReader, WebPage } from '../reading/page-reader.js';
import { uniqueResults } from '../search/read-results.js';
import type { Recency } from '../search/search-engine.js';
import type { WebSearch } from '../search/web-search.js';
import { ObservedWeb, type PageObserver, type WebSettings } from './observed-web.js';
import type { ReadSource, RequestSources } from './request-sources.js';

/** What happens on the web for a request, and what is found there. */
export interface WebObserver extends PageObserver {
  searching(query: string): void;
  found(source: ReadSource): void;
  /** @param sources what a search found; null: it failed */
  searchEnded(query: string, sources: readonly ReadSource[] | null): void;
}

/** The most pages that are read for each search that a request may make. */
const pagesPerSearch = 3;

/** The web as one request sees it: searches and pages within its settings, and their sources. */
export class WebAccess {
  private searches = 0;
  private pages = 0;
  private readonly opened = new Map<string, Promise<WebPage>>();
  private readonly web: ObservedWeb;

  constructor(
    web: { readonly search: WebSearch; readonly reader: PageReader },
    readonly sources: RequestSources,
    readonly settings: WebSettings,
    private readonly observer: WebObserver,
  ) {
    this.web = new ObservedWeb(web, settings, observer);
  }

  get searchesLeft(): number {
    return this.settings.maxUses - this.searches;
  }

  get pagesLeft(): number {
    return this.settings.maxUses * pagesPerSearch - this.pages;
  }

  /**
   * The sources that a search finds, best first.
   * @param charge receives what each call of an engine costs in USD; null: unknown
   * @throws GatewayError as `WebSearch.search`
   */
  async search(
    { query, recency }: { readonly query: string; readonly recency: Recency | null },
    signal: AbortSignal,
    charge: (costUsd: number | null) => void,
  ): Promise<ReadSource[]> {
    const { observer, sources } = this;
    this.searches++;
    observer.searching(query);
    let found: ReadSource[] | null = null;
    try {
      const results = await this.web.search(query, recency, signal, charge);
      return (found = uniqueResults(results).flatMap((result) => {
        const before = sources.count();
        const source = sources.addResult(result);
        if (source && source.id > before) observer.found(source);
        return source ?? [];
      }));
    } finally {
      observer.searchEnded(query, found);
    }
  }

  /**
   * Reads a page that was found or named before.
   * @throws PageError also where the request may not open it
   */
  async read(url: string, signal: AbortSignal): Promise<{ page: WebPage; source: ReadSource }> {
    const known = this.sources.openable(url);
    if (known === null)
      throw new PageError(
        'forbidden_url',
        'only addresses from search results, from the conversation and from pages that were read can be opened',
      );
    if (!this.web.isAllowed(known))
      throw new PageError('forbidden_url', 'the request excludes pages of this host');
    const page = await this.open(known, signal);
    await inTurns(this.sources.mention(page.text));
    const before = this.sources.count();
    const source = this.sources.addPage(page, known);
    if (!source) throw new PageError('too_large', 'this request has read as much as it may');
    if (source.id > before) this.observer.found(source);
    return { page, source };
  }

  /** A page is read once in a request. */
  private open(url: string, signal: AbortSignal): Promise<WebPage> {
    let page = this.opened.get(url);
    if (!page) {
      this.pages++;
      page = this.web.read(url, signal);
      this.opened.set(url, page);
    }
    return page;
  }
}

/** Why a search or a page failed, in words that a model can act on. */
export function failureText(error: unknown): string {
  if (error instanceof PageError || error instanceof GatewayError) return error.message;
  return 'it failed';
}
