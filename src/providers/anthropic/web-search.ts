import { type ChatRequest, pausedTurn } from '../../completion.js';
import type { NativeSearch } from '../adapter.js';
import { parseJson } from '../json.js';
import {
  type FoundFields,
  pagesIn,
  searchBlockDetail,
  searchBlockOf,
  SearchFindings,
} from '../web-search/search-findings.js';
import { searchRequestOf } from '../web-search/search-options.js';
import type { AnswerBlock } from './answer.js';
import { releaseOf } from './claude-rules.js';
import { isObject, present } from '../../text/is-object.js';

/** The version of the tool that every Claude with a search takes (2026-11). */
const toolType = 'web_search_20250305';
const toolName = 'web_search';

// it refuses a forced tool while thinking, so the search cannot be forced for every request
const search: NativeSearch = { withTools: true, always: false, forced: false, bounded: true };

/**
 * Claude 3.5 and later have the tool (documentation, 2026-11), and so has a Claude of unknown
 * release; other vendors' models behind the same API do not. Bedrock does not offer it.
 */
export const claudeSearch = (model: string): NativeSearch | null =>
  releaseOf(model) >= 305 ? search : null;

/**
 * The tool that `web_search_options` asks for; null if the request asks for none or the model has
 * none. It takes allowed or blocked domains, but not how recent pages are to be.
 */
export function claudeSearchTool(request: ChatRequest, model: string): object | null {
  const asked = searchRequestOf(request);
  if (!asked || !claudeSearch(model)) return null;
  return present({
    type: toolType,
    name: toolName,
    max_uses: asked.maxUses,
    allowed_domains: asked.allowedDomains,
    blocked_domains: asked.blockedDomains,
    user_location: asked.location && { type: 'approximate', ...asked.location },
  });
}

/** Whether a block is one of the model's own searches, or what it found. */
export const isSearchBlock = ({ type, name }: AnswerBlock): boolean =>
  type === 'web_search_tool_result' || (type === 'server_tool_use' && name === toolName);

/** Reads the blocks of the model's own searches in one answer. */
export class SearchBlocks {
  private readonly findings = new SearchFindings();

  /** @param asked whether the gateway asked for the search, and so returns its blocks */
  constructor(private readonly asked: boolean) {}

  /**
   * What a block brings; empty for one of another kind. A search that failed brings nothing: its
   * result is an error that the model has read.
   * @param json the input, where it came in pieces
   */
  read(raw: AnswerBlock, json = ''): FoundFields & { reasoning_details?: unknown[] } {
    if (!isSearchBlock(raw)) return {};
    const block = json === '' ? raw : { ...raw, input: parseJson(json) ?? {} };
    const { input, content } = block;
    const query = isObject(input) ? input['query'] : undefined;
    return {
      ...this.findings.add(
        pagesIn(content, { url: 'url', date: 'page_age' }),
        typeof query === 'string' ? [query] : [],
      ),
      ...(this.asked ? { reasoning_details: [searchBlockDetail(block)] } : {}),
    };
  }

  /** Whether the provider paused a turn that the gateway can go on with. */
  hasPaused(stopReason: unknown): boolean {
    return this.asked && stopReason === pausedTurn;
  }
}

/** The block of a search in an entry of `reasoning_details`; empty if it holds none. */
export function returnedBlock(detail: unknown): { type: string }[] {
  const block = searchBlockOf(detail);
  return block && isSearchBlock(block) ? [block as { type: string }] : [];
}
