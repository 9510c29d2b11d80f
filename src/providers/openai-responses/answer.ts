import { type UrlCitation, type Usage, usageOfAnswer, withCounts } from '../../completion.js';
import type { GatewayError } from '../../errors.js';
import { objectsIn } from '../../text/is-object.js';
import { urlCitation } from '../answer-chunks.js';
import { openAIFailureUnder200 } from '../openai-compatible/failure.js';
import { statedCostUsd } from '../openai-compatible/usage.js';
import { reasoningFormat } from './input.js';
import { citationTitle, type SearchAction } from './web-search.js';

/** A citation; offsets count within its content part. */
export interface ResponsesAnnotation {
  type?: string;
  url?: string;
  title?: string;
  start_index?: number;
  end_index?: number;
}

/** A content part of a message or of reasoning. */
export interface ResponsesPart {
  type?: string;
  text?: string;
  refusal?: string;
  annotations?: ResponsesAnnotation[] | null;
  logprobs?: unknown[] | null;
}

/** An output item: `message`, `reasoning`, `function_call`, or the trace of a provider's tool. */
export interface ResponsesItem {
  type?: string;
  id?: string;
  content?: ResponsesPart[] | null;
  summary?: ResponsesPart[] | null;
  encrypted_content?: string | null;
  call_id?: string;
  namespace?: string;
  name?: string;
  arguments?: string;
  /** Of a custom tool's call: its text. */
  input?: string;
  /** Of a `web_search_call`. */
  action?: SearchAction | null;
}

/** The error in a body or an event. */
export interface ResponsesError {
  code?: string | null;
  type?: string;
  message?: string;
}

/** The body of an answer; streams contain it at their start and end. */
export interface ResponsesAnswer {
  id?: string;
  /** Seconds since 1970. */
  created_at?: number;
  model?: string;
  /** `completed`, `incomplete`, `failed`, `cancelled`, … */
  status?: string;
  incomplete_details?: { reason?: string } | null;
  error?: ResponsesError | string | null;
  output?: ResponsesItem[] | null;
  usage?: {
    input_tokens?: number;
    output_tokens?: number;
    input_tokens_details?: {
      cached_tokens?: number;
      cache_write_tokens?: number;
      cache_write_tokens_details?: { ttl_12h_tokens?: number } | null;
    } | null;
    output_tokens_details?: { reasoning_tokens?: number } | null;
  } | null;
}

/** Translates usage; null if there is none. */
export function responsesUsage(reported: ResponsesAnswer['usage']): Usage | null {
  const usage = withCounts(reported);
  if (!usage) return null;
  return usageOfAnswer({
    promptTokens: usage.input_tokens,
    completionTokens: usage.output_tokens,
    reasoningTokens: usage.output_tokens_details?.reasoning_tokens,
    cachedTokens: usage.input_tokens_details?.cached_tokens,
    cacheWriteTokens: usage.input_tokens_details?.cache_write_tokens,
    hourCacheWriteTokens: usage.input_tokens_details?.cache_write_tokens_details?.ttl_12h_tokens,
    costUsd: statedCostUsd(usage),
  });
}

/** The chat API's finish reason. @param type of the event that ended the answer, if one did */
export function responsesFinishReason(
  { status, incomplete_details: cut }: ResponsesAnswer,
  type = '',
): string {
  if (status !== 'incomplete' && type !== 'response.incomplete' && !cut?.reason) return 'stop';
  return cut?.reason === 'content_filter' ? 'content_filter' : 'length';
}

/** Codes of errors sent with status 200 that are caused by the request. */
const requestErrorCode =
  /^(invalid_|image_|empty_image|unsupported_|failed_to_download_image|\w+_policy)/;

/** The failure of an answer or event with an error: `{error: {code, message}}`, or the error. */
export function responsesFailure(
  provider: string,
  holder: { error?: ResponsesError | string | null } & ResponsesError,
): GatewayError {
  const error =
    typeof holder.error === 'string' ? { message: holder.error } : (holder.error ?? holder);
  return openAIFailureUnder200(provider, {
    error: requestErrorCode.test(error.code ?? '') ? { ...error, status: 400 } : error,
  });
}

const failed = /^(?:response\.)?(?:failed|cancelled)$/;

/** @throws GatewayError for an event of a stream that tells a failure */
export function checkEvent(
  provider: string,
  event: ResponsesError & Pick<ResponsesAnswer, 'error'> & { response?: ResponsesAnswer },
): void {
  const { type = '', error, response } = event;
  if (type === 'error' || error) throw responsesFailure(provider, event);
  const isFailed = failed.test(type) || failed.test(response?.status ?? '');
  if (isFailed || response?.error) throw failureOf(provider, response ?? {});
}

/** No request is in the background. */
const unfinished = /^(?:failed|cancelled|queued|in_progress)$/;

/** @throws GatewayError for a whole answer that tells a failure */
export function checkWhole(provider: string, answer: ResponsesAnswer): void {
  if (answer.error || unfinished.test(answer.status ?? '')) throw failureOf(provider, answer);
}

const failureOf = (provider: string, { error, status = 'failed' }: ResponsesAnswer): GatewayError =>
  responsesFailure(provider, { error: error ?? { message: `the answer is ${status}` } });

/**
 * Translates a citation; an empty list where it has no address.
 * @param start the offset of its content part in the answer's text
 */
export function responsesCitation(
  annotation: ResponsesAnnotation | undefined,
  start: number,
): UrlCitation[] {
  if (annotation?.type !== 'url_citation' || typeof annotation.url !== 'string') return [];
  const { url, title, start_index: from, end_index: to } = annotation;
  const [first, last] = [from, to].map((at) => (typeof at === 'number' ? start + at : undefined));
  return [urlCitation({ url, title: citationTitle(title) }, first, last)];
}

const joined = (parts: readonly ResponsesPart[] | null | undefined, between: string): string =>
  objectsIn(parts)
    .map((part) => part.text ?? '')
    .join(between);

/** The readable text of an item of reasoning: its summary, or the reasoning of open models. */
export const reasoningText = (item: ResponsesItem): string =>
  joined(item.summary, '\n\n') || joined(item.content, '');

/** An item of reasoning as `reasoning_details`, for the next turn; empty if it is not encrypted. */
export function reasoningDetails(provider: string, item: ResponsesItem): unknown[] {
  if (!item.encrypted_content) return [];
  const summary = joined(item.summary, '\n\n');
  return [
    {
      type: 'reasoning.encrypted',
      id: item.id,
      data: item.encrypted_content,
      ...(summary ? { summary } : {}),
      format: reasoningFormat,
      provider,
    },
  ];
}

/** Whether an item calls a tool of the client. */
export const isCall = (item: ResponsesItem): boolean =>
  item.type === 'function_call' || item.type === 'custom_tool_call';

/** Whether an item is the trace of the model's own web search. */
export const isSearch = (item: ResponsesItem): boolean => item.type === 'web_search_call';
