import {
  type CompletionChunk,
  makeUsage,
  type OpenAIUsage,
  toOpenAIUsage,
  type Usage,
} from '../../completion.js';
import { isObject } from '../../text/is-object.js';

type CompatibleUsage = OpenAIUsage & {
  /** DeepSeek */
  prompt_cache_hit_tokens?: number | null;
  /** Moonshot, and older versions of other providers */
  cached_tokens?: number | null;
  /** Perplexity */
  reasoning_tokens?: number | null;
  /** Servers that name usage as the Responses API does. */
  input_tokens?: number | null;
  output_tokens?: number | null;
  /** OpenRouter */
  server_tool_use_details?: { web_search_requests?: number | null } | null;
  /** Perplexity's deep research */
  num_search_queries?: number | null;
};

/**
 * Reads usage in the variants of the providers that speak OpenAI's chat API; null if there is
 * none. xAI does not count reasoning tokens in `completion_tokens`, as its total shows.
 */
export function readOpenAIUsage(usage: OpenAIUsage | null | undefined): Usage | null {
  if (usage === null || usage === undefined || typeof usage !== 'object') return null;
  const loose: CompatibleUsage = usage;
  const prompt = countIn(loose.prompt_tokens ?? loose.input_tokens);
  const completion = countIn(loose.completion_tokens ?? loose.output_tokens);
  if (prompt === undefined && completion === undefined) return null;
  const reasoning =
    loose.completion_tokens_details?.reasoning_tokens || loose.reasoning_tokens || 0;
  const isLeftOut =
    reasoning > 0 && loose.total_tokens === (prompt ?? 0) + (completion ?? 0) + reasoning;
  return makeUsage({
    promptTokens: prompt,
    completionTokens: isLeftOut ? (completion ?? 0) + reasoning : completion,
    reasoningTokens: reasoning,
    cachedTokens:
      loose.prompt_tokens_details?.cached_tokens ||
      loose.prompt_cache_hit_tokens ||
      loose.cached_tokens,
    cacheWriteTokens: loose.prompt_tokens_details?.cache_write_tokens,
    audioTokens: loose.prompt_tokens_details?.audio_tokens,
    webSearches: loose.server_tool_use_details?.web_search_requests ?? loose.num_search_queries,
  });
}

/** A count, which some servers write as text. Undefined for anything else, as for -1. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof count === 'number' && count >= 0 ? count : undefined;
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const countFields = ['prompt_tokens', 'completion_tokens', 'total_tokens'];
const detailFields = ['prompt_tokens_details', 'completion_tokens_details'];

/** Brings usage that SDKs would refuse into OpenAI's shape, in place. @returns whether it did */
export function mendUsage(holder: { [field: string]: unknown }): boolean {
  const { usage } = holder as { usage?: unknown };
  if (usage === undefined || usage === null) return false;
  const isRight =
    isObject(usage) &&
    countFields.every((field) => isCount(usage[field] ?? 0)) &&
    detailFields.every((field) => {
      const details = usage[field] ?? {};
      return isObject(details) && Object.values(details).every((count) => isCount(count ?? 0));
    });
  if (isRight) return false;
  const read = readOpenAIUsage(usage as OpenAIUsage);
  holder['usage'] = read && toOpenAIUsage(read);
  return true;
}

type UsageHolder = { usage?: CompletionChunk['usage'] } | null | undefined;

/** Usage is at the top level; Groq also sends it under `x_groq`, Moonshot in the choice. */
export const readChunkUsage = (chunk: CompletionChunk): Usage | null =>
  readOpenAIUsage(
    chunk.usage ??
      (chunk['x_groq'] as UsageHolder)?.usage ??
      (chunk.choices[0] as UsageHolder)?.usage,
  );
