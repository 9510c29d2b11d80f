import { type UrlCitation, type Usage, usageOfAnswer, withCounts } from '../../completion.js';
import type { GatewayError } from '../../errors.js';
import { type Fields, objectsIn, textIn } from '../../text/is-object.js';
import { urlCitation } from '../answer-chunks.js';
import { providerFailure } from '../failure.js';

/** A tool call in a body, or a piece of one in a stream. */
export interface CohereToolCall {
  id?: string;
  function?: { name?: string; arguments?: string };
}

/** A content part. */
export interface CohereContent {
  type?: string;
  text?: string;
  thinking?: string;
}

/** A citation, whose sources may or may not have an address. */
export interface CohereCitation {
  start?: number;
  end?: number;
  /** `TEXT_CONTENT`, `THINKING_CONTENT` or `PLAN`: the text that the offsets refer to. */
  type?: string;
  sources?: { id?: string; document?: Fields; tool_output?: Fields }[] | null;
  [field: string]: unknown;
}

/** The log probabilities of one piece of text, which may be several tokens long. */
export interface CohereLogprob {
  text?: string;
  logprobs?: number[];
}

/** Token counts; `tokens` includes what Cohere adds to a prompt, `billed_units` does not. */
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
 * Translates usage; null if there is none. Counts `tokens`, image tokens added to the text's. What
 * Cohere adds to a prompt itself is free: `billed_units` leave it out.
 */
export function cohereUsage(reported: CohereUsage | null | undefined): Usage | null {
  const usage = withCounts(reported);
  const counted = usage?.tokens ?? usage?.billed_units;
  if (!usage || !counted) return null;
  const { tokens, billed_units: billed } = usage;
  const promptTokens = (counted.input_tokens ?? 0) + (tokens?.image_tokens ?? 0);
  const completionTokens = counted.output_tokens ?? 0;
  return usageOfAnswer({
    promptTokens,
    completionTokens,
    reasoningTokens: tokens?.reasoning_tokens,
    cachedTokens: usage.cached_tokens,
    freePromptTokens: promptTokens - (billed?.input_tokens ?? promptTokens),
    freeCompletionTokens: completionTokens - (billed?.output_tokens ?? completionTokens),
  });
}

/**
 * @param message Cohere's error message, where it sent one
 * @throws GatewayError for an answer that ended in an error of Cohere's
 */
export function checkCohereReason(provider: string, reason: unknown, message = ''): void {
  if (reason === 'TIMEOUT')
    throw providerFailure({
      provider,
      status: 504,
      reason: message || 'the answer timed out',
      code: 'upstream_timeout',
    });
  if (reason === 'ERROR' || reason === 'USER_CANCEL') throw endedInError(provider, message);
}

const endedInError = (provider: string, message: string): GatewayError =>
  providerFailure({
    provider,
    status: null,
    reason: message || 'the answer ended in an error',
    code: 'upstream_error',
  });

/** Translates a citation: one entry for each of its sources that has an address. */
function cohereCitations(citation: CohereCitation): UrlCitation[] {
  const { type = 'TEXT_CONTENT', start, end } = citation;
  const place = type === 'TEXT_CONTENT' ? [start, end] : [];
  return objectsIn(citation.sources).flatMap((source): UrlCitation[] => {
    const { url, title, snippet, text } = source.document ?? source.tool_output ?? {};
    if (typeof url !== 'string') return [];
    const page = { url, title: textIn(title), content: textIn(snippet ?? text) };
    return [urlCitation(page, ...place)];
  });
}

/** A message's citations: `annotations` of those with an address, `citations` of others. */
export function citationFields(citations: readonly CohereCitation[]): {
  annotations?: UrlCitation[];
  citations?: CohereCitation[];
} {
  const annotations = citations.flatMap(cohereCitations);
  const others = citations.filter((citation) => cohereCitations(citation).length === 0);
  return {
    ...(annotations.length > 0 ? { annotations } : {}),
    ...(others.length > 0 ? { citations: others } : {}),
  };
}

/** Translates log probabilities; a text of several tokens becomes one entry with their sum. */
export const cohereLogprobs = (items: readonly CohereLogprob[]): { content: unknown[] } => ({
  content: items.map(({ text = '', logprobs = [] }) => ({
    token: text,
    logprob: logprobs.reduce((sum, logprob) => sum + logprob, 0),
    bytes: [...Buffer.from(text)],
    top_logprobs: [],
  })),
});

/** One event of a stream of `/v2/chat`. Where a body has a list, an event has one entry. */
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
