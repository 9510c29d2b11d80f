import { GatewayError } from '../../../errors.js';
import { asList } from '../../../text/is-object.js';
import { jsonFields, listIn } from '../../../text/json-values.js';
import { withSiteOperators } from '../domains.js';
import type { SearchDialect } from '../search-engine.js';

/** What is sent to the engines behind an instance; some of them refuse longer queries. */
const maxQueryLength = 2_000;

/** `<address>/search`, whether the configured address ends with it or not. */
function searchUrl(address: string): URL {
  const url = new URL(address);
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/search$/, '') + '/search';
  return url;
}

/**
 * SearXNG's search API (docs.searxng.org/dev/search_api, 2026-11). It passes operators such as
 * `site:` on to the engines behind it, of which not all know them; it takes no number of results.
 */
export const searxng: SearchDialect = {
  isFree: true,
  appliesRecency: true,
  buildRequest({ query, recency, allowedDomains, blockedDomains }, engine) {
    const url = searchUrl(engine.url ?? 'http://127.0.0.1:8888');
    url.searchParams.set('format', 'json');
    url.searchParams.set(
      'q',
      withSiteOperators(query, allowedDomains, blockedDomains, maxQueryLength),
    );
    if (recency) url.searchParams.set('time_range', recency);
    return { method: 'GET', url: url.href, headers: {}, body: null };
  },
  readResults(body) {
    const results = listIn(body, 'results');
    const silent = asList(jsonFields(body)['unresponsive_engines'])
      .map((entry) => asList(entry)[0])
      .filter((name) => typeof name === 'string')
      .slice(0, 10);
    if (results?.length === 0 && silent.length > 0)
      throw new GatewayError(
        'upstream_overloaded',
        `found nothing because engines behind it did not answer: ${silent.join(', ')}`,
      );
    return (
      results?.map(({ title, url, content, publishedDate }) => ({
        title,
        url,
        snippet: content,
        date: publishedDate,
      })) ?? null
    );
  },
  explainFailure(status) {
    if (status === 403)
      return {
        code: 'not_configured',
        reason:
          'its settings.yml does not allow JSON; add `- json` to `search.formats` there and restart it',
      };
    if (status === 429)
      return {
        reason:
          "its limiter refuses the gateway; add the gateway's address to `pass_ip` in its limiter.toml, or set `server.limiter` to false in its settings.yml",
      };
    return null;
  },
};
