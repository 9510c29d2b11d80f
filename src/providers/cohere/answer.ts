import {
  type CompletionMessage,
  type ToolCall,
  type UrlCitation,
  type Usage,
  makeUsage,
} from '../../completion.js';
import type { GatewayError } from '../../errors.js';
import type { CompletionAnswer } from '../adapter.js';
import { providerFailure } from '../failure.js';

/** A tool call as it stands in a body, and in pieces in a stream. */
export interface CohereToolCall {
  id?: string;
  function?: { name?: string; arguments?: string };
}

export interface CohereContent {
  type?: string;
  text?: string;
  thinking?: string;
}

export interface CohereCitation {
  start?: number;
  end?: number;
  /** `TEXT_CONTENT`, `THINKING_CONTENT` or `PLAN`: what the offsets count in. */
  type?: string;
  sources?:
    | { id?: string; document?: Record<string, unknown>; tool_output?: Record<string, unknown> }[]
    | null;
  [field: string]: unknown;
}

/** The log probabilities of one piece of text, which may be several tokens long. */
export interface CohereLogprob {
  text?: string;
  logprobs?: number[];
}

export interface CohereUsage {
  billed_units?: { input_tokens?: number; output_tokens?: number };
  tokens?: {
    input_tokens?: number;
    output_tokens?: number;
    reasoning_tokens?: number;
    image_tokens?: number;
  };
  cached_tokens?: number;
}

/** The body of an answer of `/v2/chat`. */
export interface CohereAnswer {
  id?: string;
  message?: {
    content?: CohereContent[] | null;
    tool_plan?: string | null;
    tool_calls?: CohereToolCall[] | null;
    citations?: CohereCitation[] | null;
  } | null;
  finish_reason?: string;
  logprobs?: CohereLogprob[] | null;
  usage?: CohereUsage | null;
}

/**
 * Usage in Signalbox's count, null where there is none. What is billed leaves out what Cohere itself adds to a prompt, so the
 * tokens count; images are counted beside the text.
 */
export function cohereUsage(usage: CohereUsage | null | undefined): Usage | null {
  const counted = usage?.tokens ?? usage?.billed_units;
  if (!usage || !counted) return null;
  return makeUsage({
    promptTokens: (counted.input_tokens ?? 0) + (usage.tokens?.image_tokens ?? 0),
    completionTokens: counted.output_tokens,
    reasoningTokens: usage.tokens?.reasoning_tokens,
    cachedTokens: usage.cached_tokens,
  });
}

const finishReasons: Record<string, string> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  ERROR_LIMIT: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
};

/** The finish reason in OpenAI's words. @throws GatewayError for an answer that ended in a fault of Cohere's, with the words given */
export function cohereFinishReason(
  provider: string,
  reason: string | null | undefined,
  words = '',
): string | null {
  if (reason === null || reason === undefined) return null;
  if (reason === 'TIMEOUT')
    throw providerFailure({
      provider,
      status: 504,
      reason: words || 'it ran out of time',
      code: 'upstream_timeout',
    });
  if (reason === 'ERROR' || reason === 'USER_CANCEL') throw endedInError(provider, words);
  return finishReasons[reason] ?? reason.toLowerCase();
}

function endedInError(provider: string, words: string): GatewayError {
  return providerFailure({
    provider,
    status: 500,
    reason: words || 'the answer ended in an error',
    code: 'upstream_error',
  });
}

/** A citation in OpenAI's shape: one entry for each of its sources that has an address; empty where none has. */
export function urlCitations(citation: CohereCitation): UrlCitation[] {
  const offsets =
    (citation.type ?? 'TEXT_CONTENT') === 'TEXT_CONTENT'
      ? { start_index: citation.start, end_index: citation.end }
      : {};
  return (citation.sources ?? []).flatMap((source): UrlCitation[] => {
    const document = source.document ?? source.tool_output ?? {};
    const { url, title } = document;
    if (typeof url !== 'string') return [];
    const content = document['snippet'] ?? document['text'];
    return [
      {
        type: 'url_citation',
        url_citation: {
          url,
          ...(typeof title === 'string' ? { title } : {}),
          ...(typeof content === 'string' ? { content } : {}),
          ...offsets,
        },
      },
    ];
  });
}

/** What a message carries of its citations: `annotations` for those that lead to an address, `citations` as they came for the others. */
export function citationFields(citations: readonly CohereCitation[]): {
  annotations?: UrlCitation[];
  citations?: CohereCitation[];
} {
  const annotations = citations.flatMap(urlCitations);
  const others = citations.filter((citation) => urlCitations(citation).length === 0);
  return {
    ...(annotations.length > 0 ? { annotations } : {}),
    ...(others.length > 0 ? { citations: others } : {}),
  };
}

/** Log probabilities in OpenAI's shape; a piece of several tokens is one entry, with the probability of the whole. */
export function cohereLogprobs(items: readonly CohereLogprob[]): { content: unknown[] } {
  return {
    content: items.map(({ text = '', logprobs = [] }) => ({
      token: text,
      logprob: logprobs.reduce((sum, logprob) => sum + logprob, 0),
      bytes: [...Buffer.from(text)],
      top_logprobs: [],
    })),
  };
}

/** Arguments as JSON text of an object: a call without any comes as an empty text or as `null`. */
export function callArguments(text: string | undefined): string {
  return text === undefined || text === '' || text === 'null' ? '{}' : text;
}

const toolCall = (call: CohereToolCall, index: number): ToolCall => ({
  id: call.id ?? `call_${index}`,
  type: 'function',
  function: { name: call.function?.name ?? '', arguments: callArguments(call.function?.arguments) },
});

/** A whole answer in the internal dialect. @throws GatewayError where it ended in an error */
export function cohereCompletion(
  provider: string,
  answer: CohereAnswer,
  model: string,
): CompletionAnswer {
  const finishReason = cohereFinishReason(provider, answer.finish_reason);
  const usage = cohereUsage(answer.usage);
  return {
    completion: {
      id: answer.id ?? '',
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model,
      choices: [
        {
          index: 0,
          message: cohereMessageOf(answer.message ?? {}),
          finish_reason: finishReason,
          ...(answer.logprobs?.length ? { logprobs: cohereLogprobs(answer.logprobs) } : {}),
        },
      ],
    },
    usage,
  };
}

function cohereMessageOf(message: NonNullable<CohereAnswer['message']>): CompletionMessage {
  const parts = message.content ?? [];
  const text = parts.map((part) => part.text ?? '').join('');
  const reasoning = (message.tool_plan ?? '') + parts.map((part) => part.thinking ?? '').join('');
  return {
    role: 'assistant',
    content: text === '' && message.tool_calls?.length ? null : text,
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(message.tool_calls?.length ? { tool_calls: message.tool_calls.map(toolCall) } : {}),
    ...citationFields(message.citations ?? []),
  };
}

/** One event of a stream of `/v2/chat`. What is a list in a body is one entry here. */
export interface CohereEvent {
  type: string;
  id?: string;
  index?: number;
  delta?: {
    message?: {
      content?: CohereContent;
      tool_plan?: string;
      tool_calls?: CohereToolCall | CohereToolCall[];
      citations?: CohereCitation | CohereCitation[];
    };
    finish_reason?: string;
    usage?: CohereUsage | null;
    error?: string;
  };
  logprobs?: CohereLogprob | null;
}
