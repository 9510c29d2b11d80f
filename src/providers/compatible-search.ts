import type { FoundPage } from '../completion.js';
import type { NativeSearch } from './adapter.js';
import { parseJson } from './json.js';
import type { SearchReader } from './openai-compatible/search-reader.js';
import { pagesIn, searchBlockOf } from './web-search/search-findings.js';
import type { SearchRequest } from './web-search/search-options.js';
import {
  asList,
  type Fields,
  isObject,
  type Json,
  present,
  table,
  textIn,
} from '../text/is-object.js';

/**
 * The search of a provider that speaks OpenAI's chat API. Not in this file, because their chat APIs
 * (2026-11) give no search with sources: xAI's answers 410 to `search_parameters` and searches in
 * its Responses API; Mistral searches in its agents' API; Moonshot's `$web_search` and Alibaba's
 * `enable_search` name no sources.
 */
export interface CompatibleSearch {
  /** What the search of a model can do, by its name at the provider. */
  ability(model: string): NativeSearch | null;
  /** Asks for it in place of `web_search_options`; absent: the provider takes OpenAI's field. */
  ask?(body: Fields, asked: SearchRequest): void;
  /** Absent: answers have OpenAI's annotations and nothing else. */
  reader?: SearchReader;
}

/** The chat API has no search but for models that search each time. */
const searchModel = /search-(preview|api)/i;

/** OpenAI and Azure. */
export const openaiSearch: CompatibleSearch = {
  ability: (model) =>
    searchModel.test(model)
      ? { withTools: false, always: true, forced: true, bounded: true }
      : null,
};

const perplexityPages = { url: 'url', snippet: 'snippet', date: 'date' };

function perplexityFound({ search_results: results, citations }: Json) {
  const pages = pagesIn(results, perplexityPages);
  if (!Array.isArray(citations)) return pages.length > 0 ? { pages, numbered: pages } : {};
  const byUrl = new Map(pages.map((page) => [page.url, page]));
  const numbered = (citations as unknown[]).map((url): FoundPage => {
    const address = textIn(url);
    return byUrl.get(address) ?? { url: address, title: '' };
  });
  return { pages: [...pages, ...numbered], numbered };
}

/** Every model but the offline ones searches for each request; deep research several times. */
export const perplexitySearch: CompatibleSearch = {
  ability: (model) =>
    /^r1-/i.test(model)
      ? null
      : {
          withTools: false,
          always: true,
          forced: true,
          bounded: !/deep-research/i.test(model),
          stoppable: true,
        },
  ask(body, asked) {
    if (asked.isOff) {
      // the fee of a request stays the same (documentation, 2026-11)
      body['disable_search'] = true;
      return;
    }
    const domains =
      asked.allowedDomains ?? asked.blockedDomains?.map((domain) => `-${domain}`) ?? undefined;
    body['search_domain_filter'] ??= domains;
    body['search_recency_filter'] ??= asked.recency;
    const { timezone: _timezone, ...place } = asked.location ?? {};
    const options = present({
      search_context_size: asked.contextSize,
      // without the level that OpenAI has between
      user_location: asked.location && place,
    });
    if (Object.keys(options).length > 0) body['web_search_options'] = options;
  },
  reader: { field: 'search_results', marks: true, read: perplexityFound },
};

function groqFound(_body: Json, { executed_tools: tools }: Json) {
  const ran = asList(tools).filter(isObject);
  const results = ran.flatMap(({ search_results: found }) =>
    asList(isObject(found) ? found['results'] : found),
  );
  const queries = ran.flatMap(({ type, arguments: args }) => {
    const input = type === 'search' && typeof args === 'string' ? parseJson(args) : null;
    return isObject(input) && typeof input['query'] === 'string' ? [input['query']] : [];
  });
  return { pages: pagesIn(results, { url: 'url', snippet: 'content' }), queries };
}

/** The compound systems search when they think fit, and take no tools of the client's. */
export const groqSearch: CompatibleSearch = {
  ability: (model) =>
    /(^|\/)compound/i.test(model)
      ? { withTools: false, always: true, forced: false, bounded: false }
      : null,
  ask(body, { allowedDomains, blockedDomains }) {
    const settings = present({ include_domains: allowedDomains, exclude_domains: blockedDomains });
    if (Object.keys(settings).length > 0) body['search_settings'] ??= settings;
  },
  reader: { read: groqFound },
};

/** OpenRouter's results of a search that is not the model's own come as citations of no place. */
function openrouterFound(_body: Json, { annotations }: Json) {
  const citations = asList(annotations).flatMap((each) => {
    const citation = isObject(each) ? each['url_citation'] : null;
    return isObject(citation) && citation['start_index'] === citation['end_index']
      ? [citation]
      : [];
  });
  return { pages: pagesIn(citations, { url: 'url', snippet: 'content' }) };
}

/**
 * OpenRouter searches for any model: by its server tool where the model is to decide, by its older
 * plugin, which searches once for each request, where it must. It charges by engine and result.
 */
export const openrouterSearch: CompatibleSearch = {
  ability: (model) => ({
    withTools: true,
    always: /^perplexity\/|:online(?![a-z])/i.test(model),
    forced: true,
    bounded: false,
  }),
  ask(body, asked) {
    const place = asked.location && { type: 'approximate', ...asked.location };
    if (asked.required) {
      const plugin = present({
        id: 'web',
        max_uses: asked.maxUses,
        include_domains: asked.allowedDomains,
        exclude_domains: asked.blockedDomains,
        user_location: place,
      });
      body['plugins'] = [...asList(body['plugins']), plugin];
      return;
    }
    const parameters = present({
      max_uses: asked.maxUses,
      search_context_size: asked.contextSize,
      allowed_domains: asked.allowedDomains,
      excluded_domains: asked.blockedDomains,
      user_location: place,
    });
    body['tools'] = [...asList(body['tools']), { type: 'openrouter:web_search', parameters }];
  },
  reader: { read: openrouterFound },
};

/** OpenRouter checks reasoning details, and does not know blocks of another provider's search. */
export function dropSearchBlocks(body: Fields): void {
  if (!Array.isArray(body['messages'])) return;
  body['messages'] = (body['messages'] as unknown[]).map((message) => {
    const details = isObject(message) ? message['reasoning_details'] : null;
    if (!isObject(message) || !Array.isArray(details)) return message;
    const kept = (details as unknown[]).filter((detail) => searchBlockOf(detail) === null);
    return kept.length === details.length ? message : { ...message, reasoning_details: kept };
  });
}

const zaiRecencies: Readonly<Record<string, string>> = table({
  day: 'oneDay',
  week: 'oneWeek',
  month: 'oneMonth',
  year: 'oneYear',
});

/** GLM searches once, before it answers. Which of its domain filters works is not documented. */
export const zaiSearch: CompatibleSearch = {
  ability: (model) =>
    /^glm-[4-9](?!.*(\dv|voice|ocr))/i.test(model)
      ? { withTools: false, always: false, forced: true, bounded: false }
      : null,
  ask(body, asked) {
    const search = present({
      enable: true,
      search_engine: 'search_pro_jina',
      search_result: true,
      require_search: asked.required ? true : undefined,
      search_recency_filter: zaiRecencies[asked.recency ?? ''],
    });
    body['tools'] = [...asList(body['tools']), { type: 'web_search', web_search: search }];
  },
  reader: {
    field: 'web_search',
    read: ({ web_search: results }) => ({
      pages: pagesIn(results, { url: 'link', snippet: 'content', date: 'publish_date' }),
    }),
  },
};
