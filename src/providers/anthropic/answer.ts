import {
  type CompletionMessage,
  makeUsage,
  type ToolCall,
  toOpenAIUsage,
  type UrlCitation,
  type Usage,
} from '../../completion.js';
import type { CompletionAnswer } from '../adapter.js';
import { unreadable } from '../failure.js';
import { type FoundFields, joinFound } from '../web-search/search-findings.js';
import { anthropicFailureUnder200 } from './failure.js';
import { SearchBlocks } from './web-search.js';

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
  input?: unknown;
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

/**
 * Usage as Anthropic counts it: `input_tokens` excludes cached tokens, `output_tokens` includes
 * thinking.
 */
export interface AnthropicUsage {
  input_tokens?: number | null;
  output_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  /** The cache-written tokens by how long they are kept. */
  cache_creation?: { ephemeral_1h_input_tokens?: number | null } | null;
  server_tool_use?: { web_search_requests?: number | null } | null;
  output_tokens_details?: { thinking_tokens?: number | null } | null;
}

/** Why Anthropic refused to answer. */
export interface StopDetails {
  explanation?: string | null;
}

/** The fields of a whole answer that are read. */
export interface AnthropicAnswer {
  type?: string;
  id?: string;
  model?: string;
  content?: AnswerBlock[];
  stop_reason?: string | null;
  stop_details?: StopDetails | null;
  usage?: AnthropicUsage | null;
}

const finishReasons: Record<string, string> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

/**
 * A stop reason in the internal dialect; `stop` unless it is an abnormal end or a tool call, so
 * also for `pause_turn`.
 */
export function finishReasonOf(stopReason: string | null | undefined): string | null {
  return stopReason ? (finishReasons[stopReason] ?? 'stop') : null;
}

/** Translates usage; null if none is reported. */
export function readAnthropicUsage(usage: AnthropicUsage | null | undefined): Usage | null {
  if (typeof usage?.input_tokens !== 'number' && typeof usage?.output_tokens !== 'number')
    return null;
  const cachedTokens = usage.cache_read_input_tokens ?? 0;
  const cacheWriteTokens = usage.cache_creation_input_tokens ?? 0;
  return makeUsage({
    promptTokens: (usage.input_tokens ?? 0) + cachedTokens + cacheWriteTokens,
    completionTokens: usage.output_tokens,
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
export function toAnnotations(
  citations: readonly AnthropicCitation[],
  start: number,
  end: number,
): UrlCitation[] {
  return citations.flatMap((citation) => {
    const url = citation.url ?? citation.source ?? documentUrl(citation);
    if (url === null) return [];
    const title = citation.title ?? citation.document_title;
    return [
      {
        type: 'url_citation' as const,
        url_citation: {
          url,
          ...(title ? { title } : {}),
          ...(citation.cited_text ? { content: citation.cited_text } : {}),
          start_index: start,
          end_index: end,
        },
      },
    ];
  });
}

function documentUrl(citation: AnthropicCitation): string | null {
  if (typeof citation.document_index !== 'number') return null;
  return `document:${citation.document_index}${citation.start_page_number ? `#page=${citation.start_page_number}` : ''}`;
}

/** The JSON text of a tool call's arguments that arrived whole. */
export const toolArguments = (input: unknown): string => JSON.stringify(input ?? {});

function readContent(blocks: readonly AnswerBlock[], searches: SearchBlocks): CompletionMessage {
  let text = '';
  let reasoning = '';
  const details: unknown[] = [];
  const calls: ToolCall[] = [];
  const annotations: UrlCitation[] = [];
  const found: FoundFields[] = [];
  for (const block of blocks) {
    if (block.type === 'text') {
      annotations.push(
        ...toAnnotations(
          block.citations ?? [],
          text.length,
          text.length + (block.text ?? '').length,
        ),
      );
      text += block.text ?? '';
    } else if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      reasoning += block.thinking ?? '';
      details.push(reasoningDetail(block));
    } else if (block.type === 'tool_use') {
      calls.push({
        id: block.id ?? '',
        type: 'function',
        function: { name: block.name ?? '', arguments: toolArguments(block.input) },
      });
    } else {
      // Anthropic itself ran the server tools; only what its searches found is of use
      const { reasoning_details: blocks = [], ...fields } = searches.read(block);
      details.push(...blocks);
      found.push(fields);
    }
  }
  const signed = details.filter((detail) => detail !== null);
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(signed.length > 0 ? { reasoning_details: signed } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(annotations.length > 0 ? { annotations } : {}),
    ...joinFound(found),
  };
}

/**
 * Translates a whole answer that is already parsed.
 * @throws GatewayError for an answer of type `error`, `unreadable_answer` for anything but an
 *   answer
 */
export function fromAnthropicAnswer(
  provider: string,
  body: unknown,
  searches = new SearchBlocks(false),
): CompletionAnswer {
  const answer = body as AnthropicAnswer | null;
  if (answer?.type === 'error') throw anthropicFailureUnder200(provider, body);
  if (!Array.isArray(answer?.content))
    throw unreadable(provider, 'the body is not a message of the Messages API');
  const usage = readAnthropicUsage(answer.usage);
  const message = readContent(answer.content, searches);
  if (answer.stop_reason === 'refusal' && answer.stop_details?.explanation)
    message.refusal = answer.stop_details.explanation;
  return {
    completion: {
      id: answer.id ?? '',
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: answer.model ?? '',
      choices: [
        {
          index: 0,
          message,
          finish_reason: searches.finishReason(
            answer.stop_reason,
            finishReasonOf(answer.stop_reason),
          ),
          logprobs: null,
        },
      ],
      ...(usage ? { usage: toOpenAIUsage(usage) } : {}),
    },
    usage,
  };
}
