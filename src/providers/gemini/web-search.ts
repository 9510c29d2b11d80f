import type { ChatRequest, Usage } from '../../completion.js';
import type { NativeSearch } from '../adapter.js';
import { asList, objectsIn, present } from '../../text/is-object.js';
import { SearchFindings, type FoundFields, pagesIn } from '../web-search/search-findings.js';
import { searchRequestOf } from '../web-search/search-options.js';
import type { GroundingMetadata } from './wire.js';

/** Which filter of the search the API takes: the Gemini API the one, Vertex AI the other. */
export type SearchFilter = 'time' | 'domains';

/**
 * Models with Google Search (documentation, 2026-11): Gemini 2 and later except 2.0 Flash-Lite, and
 * the older ones under another name of the tool. Models for pictures, sound and live sessions, and
 * Google's open models, count as having none.
 */
const searching = /(^|\/)gemini-/;
const otherUse =
  /2\.0-flash-lite|embedding|image|tts|live|audio|computer-use|robotics|deep-research/;
const before2 = /gemini-(1\.|pro(-vision)?$|ultra)/;
const before3 = /gemini-2[.-]/;

// Google refuses its search beside functions, but for Gemini 3, which then wants the calls of its
// own tools back in each turn (2026-11)
const ability = { withTools: false, always: false, forced: false };
/** Before Gemini 3, Google charges for the prompt, however many queries it takes. */
const perPrompt: NativeSearch = { ...ability, bounded: true };
const perQuery: NativeSearch = { ...ability, bounded: false };

const isPerPrompt = (model: string): boolean => before2.test(model) || before3.test(model);

/** What the search of a model can do, by its name at the provider; null if it has none. */
export function geminiSearch(model: string): NativeSearch | null {
  const name = model.toLowerCase();
  if (!searching.test(name) || otherUse.test(name)) return null;
  return isPerPrompt(name) ? perPrompt : perQuery;
}

const dayMs = 24 * 60 * 60 * 1000;
const daysOf: ReadonlyMap<string, number> = new Map([
  ['day', 1],
  ['week', 7],
  ['month', 31],
  ['year', 366],
]);

function timeRange(recency: string | undefined): object | undefined {
  const days = daysOf.get(recency ?? '');
  if (days === undefined) return undefined;
  const now = Date.now();
  return {
    startTime: new Date(now - days * dayMs).toISOString(),
    endTime: new Date(now).toISOString(),
  };
}

/**
 * The tool that `web_search_options` asks for; empty if the request asks for none. It takes no
 * place, no number of searches and no allowed domains.
 */
export function googleSearchTool(
  request: ChatRequest,
  model: string,
  filter: SearchFilter,
): object[] {
  const asked = searchRequestOf(request);
  if (!asked) return [];
  if (before2.test(model.toLowerCase())) return [{ googleSearchRetrieval: {} }];
  const filters =
    filter === 'time'
      ? { timeRangeFilter: timeRange(asked.recency) }
      : { excludeDomains: asked.blockedDomains };
  return [{ googleSearch: present(filters) }];
}

/** Reads what the searches of one candidate found. */
export class GroundingReader {
  private readonly findings = new SearchFindings();
  private queries = 0;

  /** @returns what is new */
  read({ groundingChunks, webSearchQueries }: GroundingMetadata): FoundFields {
    const pages = objectsIn(groundingChunks).flatMap(({ web }) => web ?? []);
    const queries = asList(webSearchQueries).filter((query) => typeof query === 'string');
    const found = this.findings.add(pagesIn(pages, { url: 'uri' }), queries);
    this.queries += found.search_queries?.length ?? 0;
    return found;
  }

  /** How many searches Google charges for. */
  searches(model: string): number {
    return isPerPrompt(model.toLowerCase()) ? Math.min(1, this.queries) : this.queries;
  }
}

/** Adds the number of searches, where there were any. */
export const withSearches = (usage: Usage | null, searches: number): Usage | null =>
  usage && searches > 0 ? { ...usage, webSearches: searches } : usage;
