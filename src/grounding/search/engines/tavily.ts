import { nameSet } from '../../../text/is-object.js';
import { listIn } from '../../../text/json-values.js';
import { cutQuery, domainName } from '../domains.js';
import { jsonRequests, type SearchDialect } from '../search-engine.js';

// a longer query is refused with 400 (docs.tavily.com, 2026-11)
const maxQueryLength = 400;
const maxResults = 20;
const maxAllowedDomains = 300;
const maxBlockedDomains = 150;

/** The countries that `country` takes; another one is refused with 400. */
const countries = nameSet(`
  AF AL DZ AD AO AR AM AU AT AZ BS BH BD BB BY BE BZ BJ BT BO BA BW BR BN BG BF BI KH CM CA CV
  CF TD CL CN CO KM CG CR HR CU CY CZ DK DJ DO EC EG SV GQ ER EE ET FJ FI FR GA GM GE DE GH GR
  GT GN HT HN HU IS IN ID IR IQ IE IL IT JM JP JO KZ KE KW KG LV LB LS LR LY LI LT LU MG MW MY
  MV ML MT MR MU MX MD MC MN ME MA MZ MM NA NP NL NZ NI NE NG KP MK NO OM PK PA PG PY PE PH PL
  PT QA RO RU RW SA SN RS SG SK SI SO ZA KR SS ES LK SD SE CH SY TW TJ TZ TH TG TT TN TR TM UG
  UA AE GB US UY UZ VE VN YE ZM ZW
`);
/** Where its name is not the English one of Unicode. */
const countryNames: Readonly<Record<string, string>> = {
  BA: 'bosnia and herzegovina',
  CG: 'congo',
  CV: 'cape verde',
  CZ: 'czech republic',
  MM: 'myanmar',
  TR: 'turkey',
  TT: 'trinidad and tobago',
};

/** A country's English name in lower case; null for one that it does not know. */
function countryOf(country: string | null): string | null {
  const code = country?.toUpperCase() ?? '';
  if (!countries.has(code)) return null;
  const names = new Intl.DisplayNames('en', { type: 'region' });
  return countryNames[code] ?? names.of(code)?.toLowerCase() ?? null;
}

/** Tavily's search API (docs.tavily.com/documentation/api-reference/endpoint/search, 2026-11). */
export const tavily: SearchDialect = {
  ...jsonRequests('https://api.tavily.com/search', 'authorization', (query, engine) => {
    const country = countryOf(query.country);
    const allowed = query.allowedDomains.slice(0, maxAllowedDomains).map(domainName);
    const blocked = query.blockedDomains.slice(0, maxBlockedDomains).map(domainName);
    return {
      query: cutQuery(query.query, maxQueryLength),
      max_results: Math.min(maxResults, query.maxResults),
      ...(query.recency ? { time_range: query.recency } : {}),
      ...(country ? { country } : {}),
      ...(allowed.length > 0 ? { include_domains: allowed } : {}),
      ...(blocked.length > 0 ? { exclude_domains: blocked } : {}),
      ...(engine.content ? { include_raw_content: 'text' } : {}),
    };
  }),
  readResults: (body) =>
    listIn(body, 'results')?.map((result) => ({
      title: result['title'],
      url: result['url'],
      snippet: result['content'],
      content: result['raw_content'],
      date: result['published_date'],
    })) ?? null,
  explainFailure(status) {
    // its own statuses for a plan's limit and a pay-as-you-go limit: the key does not serve any more
    return status === 432 || status === 433
      ? { reason: "the key's usage limit is reached", code: 'provider_auth' }
      : null;
  },
};
