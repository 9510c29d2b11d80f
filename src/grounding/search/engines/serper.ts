import { isObject, textIn } from '../../../text/is-object.js';
import { jsonFields, listIn } from '../../../text/json-values.js';
import { withSiteOperators } from '../domains.js';
import { jsonRequests, type SearchDialect } from '../search-engine.js';

const maxQueryLength = 2_000;
/** More than ten results cost two credits; fewer cost the same as ten. */
const minResults = 10;
const maxResults = 100;

const period = { day: 'qdr:d', week: 'qdr:w', month: 'qdr:m', year: 'qdr:y' } as const;

/** Serper's Google search API (serper.dev, 2026-11). It knows Google's operators. */
export const serper: SearchDialect = {
  ...jsonRequests('https://google.serper.dev/search', 'x-api-key', (query) => {
    const { allowedDomains, blockedDomains, recency, country } = query;
    return {
      q: withSiteOperators(query.query, allowedDomains, blockedDomains, maxQueryLength),
      num: Math.min(maxResults, Math.max(minResults, query.maxResults)),
      ...(recency ? { tbs: period[recency] } : {}),
      ...(country ? { gl: country.toLowerCase() } : {}),
    };
  }),
  readResults(body) {
    // a search that finds nothing has `searchParameters`, and may have no `organic`
    if (!isObject(body) || !('organic' in body || 'searchParameters' in body)) return null;
    return (listIn(body, 'organic') ?? []).map(({ title, link, snippet, date }) => ({
      title,
      url: link,
      snippet,
      date,
    }));
  },
  explainFailure(status, _headers, body) {
    const reason = textIn(jsonFields(body)['message']);
    // `{"message": "Not enough credits", "statusCode": 400}`
    return status === 400 && /credits/i.test(reason) ? { reason, code: 'provider_auth' } : null;
  },
};
