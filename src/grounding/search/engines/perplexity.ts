import { domainName } from '../domains.js';
import { listIn } from '../../../text/json-values.js';
import { jsonRequests, type SearchDialect, type SearchQuery } from '../search-engine.js';

const maxResults = 20;
const maxDomains = 20;
/** Of each page, in a result's snippet: an excerpt, or most of an article. */
const tokensPerPage = { excerpt: 512, content: 4_096 };

/** Allowed domains, or blocked ones with a `-`; the two cannot be mixed. */
function domainFilter({ allowedDomains, blockedDomains }: SearchQuery): string[] {
  const filter =
    allowedDomains.length > 0
      ? allowedDomains.map(domainName)
      : blockedDomains.map((domain) => `-${domainName(domain)}`);
  // an incomplete list of allowed domains would hide the others
  return allowedDomains.length > maxDomains ? [] : filter.slice(0, maxDomains);
}

/**
 * Perplexity's Search API (docs.perplexity.ai/api-reference/search-post, 2026-11), whose shape
 * LiteLLM's `/v1/search/<search tool>` has too.
 */
export const perplexity: SearchDialect = {
  ...jsonRequests('https://api.perplexity.ai/search', 'authorization', (query, engine) => {
    const domains = domainFilter(query);
    return {
      query: query.query,
      max_results: Math.min(maxResults, query.maxResults),
      max_tokens_per_page: engine.content ? tokensPerPage.content : tokensPerPage.excerpt,
      ...(query.recency ? { search_recency_filter: query.recency } : {}),
      ...(query.country ? { country: query.country.toUpperCase() } : {}),
      ...(domains.length > 0 ? { search_domain_filter: domains } : {}),
    };
  }),
  readResults: (body) =>
    listIn(body, 'results')?.map(({ title, url, snippet, date, last_updated: updated }) => ({
      title,
      url,
      snippet,
      date: date ?? updated,
    })) ?? null,
};
