import { isObject } from './text/is-object.js';

/** Token usage with OpenAI's field names. */
export interface OpenAIUsage {
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  total_tokens?: number | null;
  prompt_tokens_details?: {
    cached_tokens?: number | null;
    cache_write_tokens?: number | null;
    audio_tokens?: number | null;
    [field: string]: unknown;
  } | null;
  completion_tokens_details?: { reasoning_tokens?: number | null; [field: string]: unknown } | null;
  [field: string]: unknown;
}

/**
 * Token usage, counted alike for all providers: `promptTokens` includes cached and cache-written
 * tokens, `completionTokens` includes reasoning tokens. Whole numbers, never negative.
 */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  /** Of the cache-written tokens, those kept for an hour or longer; absent if it is not told. */
  hourCacheWriteTokens?: number;
  /** Of the prompt's tokens, those of sound; absent: none. */
  audioTokens?: number;
  /** Web searches that the provider ran and charges for; absent: it does not tell. */
  webSearches?: number;
  /** True if the provider reported nothing and the numbers are estimates. */
  estimated: boolean;
}

const count = (value: number | null | undefined): number =>
  typeof value === 'number' && value > 0 && value < 2 ** 53 ? Math.round(value) : 0;

/** Reported usage with its counts as numbers, which some servers write as text; undefined if none. */
export function withCounts<Reported extends object>(
  usage: Reported | null | undefined,
): Reported | undefined {
  if (!isObject(usage)) return undefined;
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(usage))
    if (isObject(value)) read[name] = withCounts(value);
    else if (value !== null)
      read[name] =
        typeof value === 'string' && value !== '' && !Number.isNaN(Number(value))
          ? Number(value)
          : value;
  return read as Reported;
}

/** The token counts of `Usage`, as a provider may have reported them. */
type ReportedCounts = {
  [Count in Exclude<keyof Usage, 'estimated'>]?: number | null;
};

/** Converts what a provider reported to whole, non-negative numbers; absent counts are 0. */
export function makeUsage(parts: ReportedCounts & { estimated?: boolean }): Usage {
  const usage: Usage = {
    promptTokens: count(parts.promptTokens),
    completionTokens: count(parts.completionTokens),
    reasoningTokens: count(parts.reasoningTokens),
    cachedTokens: count(parts.cachedTokens),
    cacheWriteTokens: count(parts.cacheWriteTokens),
    estimated: parts.estimated ?? false,
  };
  if (typeof parts.hourCacheWriteTokens === 'number')
    usage.hourCacheWriteTokens = count(parts.hourCacheWriteTokens);
  if (parts.audioTokens) usage.audioTokens = count(parts.audioTokens);
  if (typeof parts.webSearches === 'number') usage.webSearches = count(parts.webSearches);
  return usage;
}

/** The usage of two calls together: an estimate if one of them is. */
export function usageOfBoth(first: Usage, second: Usage): Usage {
  const total: Usage = { ...first, estimated: first.estimated || second.estimated };
  const { estimated: _estimated, ...counts } = second;
  for (const [name, tokens] of Object.entries(counts) as [keyof typeof counts, number][])
    total[name] = (total[name] ?? 0) + tokens;
  return total;
}

/** Usage with OpenAI's field names; estimates are marked `estimated: true`. */
export const toOpenAIUsage = (usage: Usage): OpenAIUsage => ({
  prompt_tokens: usage.promptTokens,
  completion_tokens: usage.completionTokens,
  total_tokens: usage.promptTokens + usage.completionTokens,
  prompt_tokens_details: {
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
  },
  completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  ...(usage.estimated ? { estimated: true } : {}),
});
