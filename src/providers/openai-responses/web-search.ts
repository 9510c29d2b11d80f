import type { ChatRequest, FoundPage, Usage } from '../../completion.js';
import type { NativeSearch } from '../adapter.js';
import { SearchFindings, type FoundFields, pagesIn } from '../web-search/search-findings.js';
import { type SearchRequest, searchRequestOf } from '../web-search/search-options.js';
import { isObject, asList, present } from '../../text/is-object.js';

/** Whose tool a model has; the name tells it, because each maker has its own fields. */
type Maker = 'openai' | 'xai';

/**
 * Models that OpenAI's and xAI's documentation gives the tool (2026-11): GPT-4o, 4.1 (not nano) and
 * later, o3, o4; Grok 4 and later. Their variants for sound, pictures and the chat API's own search
 * have none. DeepSeek's models search too, but name no sources (recorded 2026-08).
 */
const openaiModel = /^(gpt-(4o|4\.1(?!-nano)|[5-9](?!\d))|o(3(?!-mini)|[4-9]))/;
const xaiModel = /^grok-[4-9]/;
const otherUse = /audio|realtime|transcribe|tts|image|search|imagine|voice|deep-research|oss/;

const abilities: Readonly<Record<Maker, NativeSearch>> = {
  // max_tool_calls bounds the calls of all of its tools
  openai: { withTools: true, always: false, forced: true, bounded: true },
  // accepts no tool_choice for its own tools
  xai: { withTools: true, always: false, forced: false, bounded: false },
};

function makerOf(model: string): Maker | null {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  if (otherUse.test(name)) return null;
  if (xaiModel.test(name)) return 'xai';
  return openaiModel.test(name) ? 'openai' : null;
}

/**
 * What the search of a model can do; null if it has none.
 * @param names ours and the provider's: either may be one that tells nothing of the model
 */
export function responsesSearch(names: readonly string[]): NativeSearch | null {
  const maker = makerIn(names);
  return maker && abilities[maker];
}

const makerIn = (names: readonly string[]): Maker | null =>
  names.map(makerOf).find((maker) => maker !== null) ?? null;

function domainFields(
  maker: Maker | null,
  { allowedDomains, blockedDomains }: SearchRequest,
): object {
  if (maker === 'xai')
    return present({ allowed_domains: allowedDomains, excluded_domains: blockedDomains });
  const filters = present({ allowed_domains: allowedDomains, blocked_domains: blockedDomains });
  return Object.keys(filters).length > 0 ? { filters } : {};
}

/** The fields of a body that have the model search. */
export interface SearchFields {
  tool?: object;
  /** Makes it search. */
  choice?: object;
  maxCalls?: number;
  include?: readonly string[];
}

/**
 * Translates `web_search_options`. The tool has no field for how recent pages are.
 * @param names as `responsesSearch`
 */
export function searchFields(request: ChatRequest, names: readonly string[]): SearchFields {
  const asked = searchRequestOf(request);
  if (!asked) return {};
  const maker = makerIn(names);
  // other fields of the client's could make it another tool, at another price
  const tool = present({
    type: 'web_search',
    search_context_size: asked.contextSize,
    user_location: asked.location && { type: 'approximate', ...asked.location },
    ...domainFields(maker, asked),
  });
  if (maker !== 'openai') return { tool };
  const isFree = (request.tool_choice ?? 'auto') === 'auto';
  return {
    tool,
    ...(asked.required && isFree ? { choice: { type: 'web_search' } } : {}),
    ...(asked.maxUses === undefined ? {} : { maxCalls: asked.maxUses }),
    include: ['web_search_call.action.sources'],
  };
}

/** The trace of a search. Pages that the model opened itself count as found. */
export interface SearchAction {
  type?: string;
  query?: string | null;
  queries?: unknown;
  url?: string | null;
  sources?: unknown;
}

/** What one `web_search_call` brought. */
function readSearchCall(action: SearchAction | null | undefined): {
  pages: FoundPage[];
  queries: string[];
  /** OpenAI charges for searches, not for opening a page or looking within one. */
  searches: number;
} {
  if (!isObject(action)) return { pages: [], queries: [], searches: 1 };
  const { type, query, queries, sources } = action as SearchAction;
  const opened = typeof action['url'] === 'string' ? [{ url: action['url'] }] : [];
  return {
    pages: pagesIn([...asList(sources), ...opened], { url: 'url' }),
    queries: [query, ...asList(queries)].filter(isQuery),
    searches: type === undefined || type === 'search' ? 1 : 0,
  };
}

/** DeepSeek lists the id of the call among the queries. */
const isQuery = (query: unknown): query is string =>
  typeof query === 'string' && query !== '' && !query.startsWith('ws_call_id=');

/** Usage beside tokens, as OpenAI and xAI report it. */
interface ToolCounts {
  tool_usage?: { web_search?: { num_requests?: unknown } | null } | null;
  usage?: { server_side_tool_usage_details?: { web_search_calls?: unknown } | null } | null;
}

/** Reads the searches of one answer. */
export class SearchCalls {
  private readonly findings = new SearchFindings();
  private count: number | undefined;

  /** @returns what the call brought that is new */
  read(action: SearchAction | null | undefined): FoundFields {
    const { pages, queries, searches } = readSearchCall(action);
    this.count = (this.count ?? 0) + searches;
    return this.findings.add(pages, queries);
  }

  /** Adds how many searches there were: as the provider counts them, else as read. */
  counted(usage: Usage | null, answer: object): Usage | null {
    const { tool_usage: tools, usage: reported } = answer as ToolCounts;
    const told =
      tools?.web_search?.num_requests ?? reported?.server_side_tool_usage_details?.web_search_calls;
    const count = this.count !== undefined && typeof told === 'number' ? told : this.count;
    return usage && count !== undefined ? { ...usage, webSearches: count } : usage;
  }
}

/** xAI numbers its citations in the field of the title. */
export const citationTitle = (title = ''): string => (/^\d*$/.test(title) ? '' : title);
