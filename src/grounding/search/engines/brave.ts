import type { UpstreamHeaders } from '../../../providers/adapter.js';
import { decodeEntities } from '../../../text/decode-entities.js';
import { asList, isObject, nameSet, textIn } from '../../../text/is-object.js';
import { jsonFields, listIn } from '../../../text/json-values.js';
import { cutQuery, withSiteOperators } from '../domains.js';
import type { SearchDialect } from '../search-engine.js';

// the limits of `q` and `count` (api-dashboard.search.brave.com/api-reference, 2026-11)
const maxQueryLength = 400;
const maxQueryWords = 50;
const maxCount = 20;
/** A request for fewer results costs the same. */
const minCount = 10;

const freshness = { day: 'pd', week: 'pw', month: 'pm', year: 'py' } as const;

/** Another value of `country` is refused with 422. */
const countries = nameSet(`
  AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE
  CH TW TR GB US
`);
/** `ALL` for a country that it does not know, rather than its default, which is the USA. */
function countryOf(country: string | null): string | null {
  const code = country?.toUpperCase();
  return code === undefined ? null : countries.has(code) ? code : 'ALL';
}

const numbersIn = (header: string | string[] | undefined): number[] =>
  String(header ?? '')
    .split(',')
    .map((part) => Number.parseFloat(part));

/**
 * The wait until every used-up window begins anew. The headers have a value for each window, the
 * shortest first: `X-RateLimit-Remaining: 0, 1500` with `X-RateLimit-Reset: 1, 1419704` is one
 * second.
 */
function waitOf(headers: UpstreamHeaders): number | null {
  const limits = numbersIn(headers['x-ratelimit-limit']);
  const remaining = numbersIn(headers['x-ratelimit-remaining']);
  const seconds = numbersIn(headers['x-ratelimit-reset'])
    // a limit of 0 stands for none
    .filter((_, index) => remaining[index] === 0 && limits[index] !== 0)
    .filter((wait) => Number.isFinite(wait));
  return seconds.length === 0 ? null : Math.max(...seconds) * 1_000;
}

/** Snippets and titles are HTML: a few tags that mark words, and entities. */
const plain = (html: unknown): unknown =>
  typeof html === 'string'
    ? decodeEntities(html.replace(/<\/?(?:strong|b|em|i|mark)>/gi, ''))
    : html;

/** Brave's web search API (api-dashboard.search.brave.com/api-reference/web/search, 2026-11). */
export const brave: SearchDialect = {
  isFree: false,
  appliesRecency: true,
  buildRequest(query, engine, apiKey) {
    const url = new URL(engine.url ?? 'https://api.search.brave.com/res/v1/web/search');
    const asked = cutQuery(query.query, maxQueryLength, maxQueryWords);
    const text = withSiteOperators(
      asked,
      query.allowedDomains,
      query.blockedDomains,
      maxQueryLength,
    );
    const country = countryOf(query.country);
    const parameters = {
      q: text.split(' ').length > maxQueryWords ? asked : text,
      count: String(Math.min(maxCount, Math.max(minCount, query.maxResults))),
      result_filter: 'web',
      text_decorations: 'false',
      ...(query.recency ? { freshness: freshness[query.recency] } : {}),
      ...(country ? { country } : {}),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const headers: Record<string, string> = apiKey ? { 'x-subscription-token': apiKey } : {};
    return { method: 'GET', url: url.href, headers, body: null };
  },
  readResults(body) {
    if (!isObject(body) || body['type'] !== 'search') return null;
    // without a single page there is no `web`
    return (listIn(body['web'], 'results') ?? []).map((result) => {
      const snippets = [result['description'], ...asList(result['extra_snippets'])];
      return {
        title: plain(result['title']),
        url: result['url'],
        snippet: plain(snippets.filter((text) => typeof text === 'string').join(' … ')),
        date: result['page_age'] ?? result['age'],
      };
    });
  },
  explainFailure(status, headers, body) {
    const error = jsonFields(jsonFields(body)['error']);
    const reason = textIn(error['detail']);
    // 422 is also the status of a wrong key
    if (error['code'] === 'SUBSCRIPTION_TOKEN_INVALID') return { reason, code: 'provider_auth' };
    return status === 429 ? { reason, retryAfterMs: waitOf(headers) } : null;
  },
};
