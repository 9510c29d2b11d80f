import {
  type CompletionChunk,
  type OpenAIUsage,
  toOpenAIUsage,
  type Usage,
  usageOfAnswer,
} from '../../completion.js';
import { type Fields, isObject } from '../../text/is-object.js';

/** The paths of fields, from a list of words. */
const at = (list: string) => list.split(' ').map((path) => path.split('.'));

/** Where servers have their counts: OpenAI, then DeepSeek, Moonshot, LiteLLM, Responses, New API. */
const places = {
  promptTokens: at('prompt_tokens input_tokens'),
  completionTokens: at('completion_tokens output_tokens'),
  // the last: Perplexity
  reasoningTokens: at(
    'completion_tokens_details.reasoning_tokens output_tokens_details.reasoning_tokens reasoning_tokens',
  ),
  cachedTokens: at(
    'prompt_tokens_details.cached_tokens prompt_cache_hit_tokens cached_tokens cache_read_input_tokens input_tokens_details.cached_tokens',
  ),
  cacheWriteTokens: at(
    'prompt_tokens_details.cache_write_tokens prompt_tokens_details.cache_creation_tokens cache_creation_input_tokens prompt_tokens_details.cached_creation_tokens',
  ),
  audioTokens: at('prompt_tokens_details.audio_tokens'),
  mediaTokens: at('completion_tokens_details.audio_tokens completion_tokens_details.image_tokens'),
  // OpenRouter; Perplexity's deep research
  webSearches: at('server_tool_use_details.web_search_requests num_search_queries'),
  // OpenRouter; Perplexity; DeepInfra
  costUsd: at('cost cost.total_cost estimated_cost'),
};

/** The count of a kind: the first that is not 0, else the first. */
function countOf(usage: Fields, kind: keyof typeof places): number | undefined {
  let first: number | undefined;
  for (const [field = '', inner] of places[kind]) {
    const holder = usage[field];
    const count = countIn(inner === undefined ? holder : isObject(holder) ? holder[inner] : null);
    if (count) return count;
    first ??= count;
  }
  return first;
}

/**
 * Reads usage in the variants of the providers that speak OpenAI's chat API; null if there is
 * none. xAI does not count reasoning tokens in `completion_tokens`, nor does Gemini, which counts
 * them nowhere but in the total; some leave cached tokens out of `prompt_tokens`.
 */
export function readOpenAIUsage(usage: OpenAIUsage | null | undefined): Usage | null {
  if (!isObject(usage)) return null;
  const promptTokens = countOf(usage, 'promptTokens') ?? 0;
  const completionTokens = countOf(usage, 'completionTokens') ?? 0;
  const cachedTokens = countOf(usage, 'cachedTokens') ?? 0;
  const cacheWriteTokens = countOf(usage, 'cacheWriteTokens') ?? 0;
  const cached = cachedTokens + cacheWriteTokens;
  const rest = (countIn(usage.total_tokens) ?? 0) - promptTokens - completionTokens;
  // Anthropic's names come with its habits
  const isAnthropics =
    usage['cache_read_input_tokens'] !== undefined && !('prompt_tokens' in usage);
  // without a total, more cached than there is prompt tells it; Azure's total says otherwise
  const isMore = !countIn(usage.total_tokens) && cached > promptTokens;
  const isApart = cached > 0 && (rest === cached || isMore || isAnthropics);
  const uncounted = isApart ? 0 : Math.max(0, rest);
  // each field by its name: objects of names that are found one by one cost several µs
  return usageOfAnswer({
    promptTokens: promptTokens + (isApart ? cached : 0),
    completionTokens: completionTokens + uncounted,
    reasoningTokens: countOf(usage, 'reasoningTokens') || (completionTokens > 0 ? uncounted : 0),
    cachedTokens,
    cacheWriteTokens,
    audioTokens: countOf(usage, 'audioTokens'),
    mediaTokens: countOf(usage, 'mediaTokens'),
    webSearches: countOf(usage, 'webSearches'),
    costUsd: statedCostUsd(usage),
  });
}

/**
 * What a provider says that it charges, in USD; undefined if it does not say. Where OpenRouter calls
 * with a key of the user's own, the price at that provider comes on top of its fee; xAI counts in
 * ten-billionths.
 */
export function statedCostUsd(usage: unknown): number | undefined {
  if (!isObject(usage)) return undefined;
  const { is_byok: isOwnKey, cost_details: details, cost_in_usd_ticks: ticks } = usage;
  const upstream = isOwnKey === true && isObject(details) ? details['upstream_inference_cost'] : 0;
  const cost = countOf(usage, 'costUsd');
  if (cost !== undefined) return cost + (countIn(upstream) ?? 0);
  return ticks === undefined ? undefined : (countIn(ticks) ?? 0) / 1e10;
}

/** A count, which some servers write as text. Undefined for anything else, as for -1 or 1e300. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof count === 'number' && count >= 0 && count < 2 ** 53 ? count : undefined;
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
    countFields.every((field) => isCount(usage[field])) &&
    detailFields.every((field) => {
      const details = usage[field] ?? {};
      return isObject(details) && Object.values(details).every((count) => isCount(count ?? 0));
    });
  if (isRight) return false;
  const read = readOpenAIUsage(usage as OpenAIUsage);
  holder['usage'] = read && toOpenAIUsage(read);
  return true;
}

type UsageHolder = { usage?: CompletionChunk['usage']; delta?: UsageHolder } | null | undefined;

/**
 * Usage is at the top level; Groq also sends it under `x_groq`, Moonshot in the choice.
 * @param told at the top level, as the provider sent it
 * @param known what it has told before: counts of 1 that some relays put behind it are left out
 */
export function readChunkUsage(
  chunk: CompletionChunk,
  told = chunk.usage,
  known: Usage | null = null,
): Usage | null {
  const choice = chunk.choices[0] as UsageHolder;
  const usage = readOpenAIUsage(
    told ?? (chunk['x_groq'] as UsageHolder)?.usage ?? choice?.usage ?? choice?.delta?.usage,
  );
  const most = (one: Usage | null): number =>
    one ? Math.max(one.promptTokens, one.completionTokens) : 0;
  if (!(told ?? usage) || most(usage) > 1 || most(known) <= 1) return usage;
  chunk.usage = undefined;
  return null;
}
