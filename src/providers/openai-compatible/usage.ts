import { makeUsage, type OpenAIUsage, type Usage } from '../../completion.js';

type Loose = OpenAIUsage & {
  /** DeepSeek */
  prompt_cache_hit_tokens?: number | null;
  /** Moonshot, older ones of others */
  cached_tokens?: number | null;
  /** Perplexity */
  reasoning_tokens?: number | null;
  /** Servers that spell usage as the Responses API does. */
  input_tokens?: number | null;
  output_tokens?: number | null;
};

/**
 * Reads usage as OpenAI and its relatives spell it; null where there is none.
 * xAI alone leaves reasoning tokens out of `completion_tokens`: its total tells.
 */
export function readOpenAIUsage(usage: OpenAIUsage | null | undefined): Usage | null {
  if (usage === null || usage === undefined || typeof usage !== 'object') return null;
  const loose = usage as Loose;
  const prompt = loose.prompt_tokens ?? loose.input_tokens;
  const completion = loose.completion_tokens ?? loose.output_tokens;
  if (typeof prompt !== 'number' && typeof completion !== 'number') return null;
  const reasoning =
    loose.completion_tokens_details?.reasoning_tokens || loose.reasoning_tokens || 0;
  const leftOut =
    reasoning > 0 && loose.total_tokens === (prompt ?? 0) + (completion ?? 0) + reasoning;
  return makeUsage({
    promptTokens: prompt,
    completionTokens: leftOut ? (completion ?? 0) + reasoning : completion,
    reasoningTokens: reasoning,
    cachedTokens:
      loose.prompt_tokens_details?.cached_tokens ||
      loose.prompt_cache_hit_tokens ||
      loose.cached_tokens,
    cacheWriteTokens: loose.prompt_tokens_details?.cache_write_tokens,
  });
}
