import { asList } from '../../../text/is-object.js';
import { listIn } from '../../../text/json-values.js';
import { domainName } from '../domains.js';
import { startOfRecency } from '../published-at.js';
import { jsonRequests, type SearchDialect } from '../search-engine.js';

const maxResults = 100;
/** Of a page's text, where it is asked for; about the text of a long article. */
const maxTextLength = 20_000;

/** The excerpts that fit the query; without any, the start of the text. */
function snippetOf({ highlights, text }: Record<string, unknown>): unknown {
  const excerpts = asList(highlights).filter((one) => typeof one === 'string');
  return excerpts.length > 0 ? excerpts.join(' … ') : text;
}

/** Exa's search API (docs.exa.ai/reference/search, 2026-11). It tells excerpts only if asked. */
export const exa: SearchDialect = {
  ...jsonRequests('https://api.exa.ai/search', 'x-api-key', (query, engine) => {
    const { recency, country, allowedDomains, blockedDomains } = query;
    return {
      query: query.query,
      numResults: Math.min(maxResults, query.maxResults),
      contents: {
        highlights: true,
        ...(engine.content ? { text: { maxCharacters: maxTextLength } } : {}),
      },
      ...(recency ? { startPublishedDate: startOfRecency(recency, Date.now()) } : {}),
      ...(country ? { userLocation: country.toUpperCase() } : {}),
      ...(allowedDomains.length > 0 ? { includeDomains: allowedDomains.map(domainName) } : {}),
      ...(blockedDomains.length > 0 ? { excludeDomains: blockedDomains.map(domainName) } : {}),
    };
  }),
  readResults: (body) =>
    listIn(body, 'results')?.map((result) => ({
      title: result['title'],
      url: result['url'],
      snippet: snippetOf(result),
      content: result['text'],
      date: result['publishedDate'],
    })) ?? null,
};
