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
  /** Of the cached tokens, those of sound; absent: it is not told. */
  cachedAudioTokens?: number;
  /** Of the completion's tokens, those of sound and pictures; absent: none. */
  mediaTokens?: number;
  /** Of the prompt's tokens, those that the provider does not charge for; absent: none. */
  freePromptTokens?: number;
  /** The same of the completion's tokens. */
  freeCompletionTokens?: number;
  /** Web searches that the provider ran and charges for; absent: it does not tell. */
  webSearches?: number;
  /** USD that the provider says it charges for all of this; absent: it does not say. */
  costUsd?: number;
  /** True if the provider reported nothing and the numbers are estimates. */
  estimated: boolean;
}

const count = (value: number | null | undefined): number =>
  typeof value === 'number' && value > 0 && value < 2 ** 53 ? Math.round(value) : 0;

/**
 * Reported usage with its counts as numbers, which some servers write as text, and without nulls;
 * undefined if none. The same object where all is right: a copy costs some µs.
 */
export function withCounts<Reported extends object>(
  usage: Reported | null | undefined,
): Reported | undefined {
  if (!isObject(usage)) return undefined;
  let read: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(usage)) {
    const plain = isObject(value) ? withCounts(value) : plainCount(value);
    if (plain !== value) (read ??= { ...usage })[name] = plain;
  }
  return (read ?? usage) as Reported;
}

function plainCount(value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return value ?? undefined;
  return Number.isNaN(Number(value)) ? value : Number(value);
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
  for (const name of rare) if (parts[name]) usage[name] = count(parts[name]);
  if (typeof parts.cachedAudioTokens === 'number')
    usage.cachedAudioTokens = count(parts.cachedAudioTokens);
  if (typeof parts.webSearches === 'number') usage.webSearches = count(parts.webSearches);
  // some servers say 0 where they know no price
  if (parts.costUsd && parts.costUsd > 0 && parts.costUsd < maxCostUsd)
    usage.costUsd = parts.costUsd;
  return usage;
}

const rare = ['audioTokens', 'mediaTokens', 'freePromptTokens', 'freeCompletionTokens'] as const;

/** No call costs as much. */
const maxCostUsd = 1e6;

/** The same of an answer; null for counts of 0: no answer uses no tokens, so none were told. */
export function usageOfAnswer(parts: ReportedCounts): Usage | null {
  const usage = makeUsage(parts);
  return usage.promptTokens + usage.completionTokens > 0 ? usage : null;
}

/** The tokens of two calls together: an estimate if one of them is. */
export function usageOfBoth(first: Usage, second: Usage): Usage {
  const { costUsd: _firstUsd, ...total } = first;
  const { estimated, costUsd: _secondUsd, ...counts } = second;
  total.estimated ||= estimated;
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
