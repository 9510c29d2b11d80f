import { type UrlCitation, type Usage, usageOfAnswer, withCounts } from '../../completion.js';
import { objectsIn } from '../../text/is-object.js';
import { urlCitation } from '../answer-chunks.js';

/** The fields of an answer's content block that are read. */
export interface AnswerBlock {
  type?: string;
  text?: string;
  citations?: AnthropicCitation[] | null;
  thinking?: string;
  signature?: string;
  data?: string;
  id?: string;
  name?: string;
  input?: object | null;
  /** Of a result of one of Anthropic's own tools. */
  content?: unknown;
}

/** A passage of a web page, of a search result or of a document in the request. */
export interface AnthropicCitation {
  url?: string;
  title?: string | null;
  cited_text?: string;
  /** For a search result in the request: usually its address. */
  source?: string;
  document_index?: number;
  document_title?: string | null;
  start_page_number?: number;
}

/** Anthropic's usage: `input_tokens` without cached tokens, `output_tokens` with thinking. */
export interface AnthropicUsage {
  input_tokens?: number | null;
  output_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  /** The cache-written tokens by how long they are kept. */
  cache_creation?: { ephemeral_1h_input_tokens?: number | null } | null;
  server_tool_use?: { web_search_requests?: number | null } | null;
  output_tokens_details?: { thinking_tokens?: number | null } | null;
  /** The samplings of one request. The counts above leave out those of type `compaction`. */
  iterations?: readonly (AnthropicUsage & { type?: string })[] | null;
}

/** The fields of a whole answer that are read. */
export interface AnthropicAnswer {
  type?: string;
  id?: string;
  model?: string;
  content?: AnswerBlock[];
  stop_reason?: string | null;
  stop_sequence?: string | null;
  stop_details?: { explanation?: string | null } | null;
  usage?: AnthropicUsage | null;
}

/** Translates usage; null if none is reported. */
export function readAnthropicUsage(reported: AnthropicUsage | null | undefined): Usage | null {
  const usage = withCounts(reported);
  if (!usage) return null;
  const compactions = objectsIn(usage.iterations).filter(({ type }) => type === 'compaction');
  const all = [usage, ...compactions];
  const sum = (count: (one: AnthropicUsage) => number | null | undefined): number =>
    all.reduce((total, one) => total + (count(one) ?? 0), 0);
  const cachedTokens = sum((one) => one.cache_read_input_tokens);
  const cacheWriteTokens = sum((one) => one.cache_creation_input_tokens);
  return usageOfAnswer({
    promptTokens: sum((one) => one.input_tokens) + cachedTokens + cacheWriteTokens,
    completionTokens: sum((one) => one.output_tokens),
    reasoningTokens: usage.output_tokens_details?.thinking_tokens,
    cachedTokens,
    cacheWriteTokens,
    hourCacheWriteTokens: usage.cache_creation?.ephemeral_1h_input_tokens,
    webSearches: usage.server_tool_use?.web_search_requests,
  });
}

/**
 * A thinking block as an entry of `reasoning_details`, for the next turn; null for an empty block.
 */
export function reasoningDetail(block: AnswerBlock): Record<string, unknown> | null {
  const format = 'anthropic-claude-v1';
  if (block.type === 'redacted_thinking')
    return { type: 'reasoning.encrypted', data: block.data ?? '', format };
  if (!block.thinking && !block.signature) return null;
  return {
    type: 'reasoning.text',
    text: block.thinking ?? '',
    signature: block.signature ?? null,
    format,
  };
}

/**
 * The citations of one text block. They apply to the whole block, so the offsets are the block's
 * own. A document of the request has no address: its url is `document:<index>`, with the page if
 * known.
 * @param start,end the block's offsets in the answer's text
 */
export const toAnnotations = (
  citations: readonly AnthropicCitation[],
  start: number,
  end: number,
): UrlCitation[] =>
  objectsIn(citations).flatMap((citation) => {
    const url: unknown = citation.url ?? citation.source ?? documentUrl(citation);
    if (typeof url !== 'string') return [];
    const title = citation.title ?? citation.document_title;
    return [urlCitation({ url, title, content: citation.cited_text }, start, end)];
  });

function documentUrl(citation: AnthropicCitation): string | null {
  if (typeof citation.document_index !== 'number') return null;
  return `document:${citation.document_index}${citation.start_page_number ? `#page=${citation.start_page_number}` : ''}`;
}
