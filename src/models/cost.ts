import type { Usage } from '../completion.js';
import { type Prices, rateAt, type TokenPrice } from './model-facts.js';

/**
 * USD. The first three are null if a price of tokens is unknown: an unknown cost is never 0. The
 * total includes the cost of searches, if that is known.
 */
export interface Costs {
  input_tokens_cost: number | null;
  output_tokens_cost: number | null;
  total_tokens_cost: number | null;
  /** The cost of the model's own web searches; absent where the provider does not count them. */
  web_search_cost?: number | null;
}

const unknown = (): Costs => ({
  input_tokens_cost: null,
  output_tokens_cost: null,
  total_tokens_cost: null,
});

/** Rounds to whole picodollars, to remove errors of binary fractions. */
const round = (usd: number): number => Math.round(usd * 1e12) / 1e12;

/** USD for a number of tokens; 0 for no tokens, even if the price is unknown. */
function charge(tokens: number, price: TokenPrice | null, promptTokens: number): number | null {
  if (tokens <= 0) return 0;
  return price === null ? null : (tokens * rateAt(price, promptTokens)) / 1e6;
}

function sum(...parts: (number | null)[]): number | null {
  let total = 0;
  for (const part of parts) {
    if (part === null) return null;
    total += part;
  }
  return total;
}

/** What the model's own searches cost; null: unknown. Absent if they were not counted. */
function searchCost(
  { webSearches }: Usage,
  { searchPrice }: Prices,
): Pick<Costs, 'web_search_cost'> {
  if (webSearches === undefined) return {};
  if (webSearches === 0) return { web_search_cost: 0 };
  return { web_search_cost: searchPrice === null ? null : round(webSearches * searchPrice) };
}

/** The costs of two calls together; unknown if one of them is. */
export const addCosts = (first: Costs, second: Costs): Costs => ({
  input_tokens_cost: rounded(sum(first.input_tokens_cost, second.input_tokens_cost)),
  output_tokens_cost: rounded(sum(first.output_tokens_cost, second.output_tokens_cost)),
  total_tokens_cost: rounded(sum(first.total_tokens_cost, second.total_tokens_cost)),
  ...(first.web_search_cost === undefined && second.web_search_cost === undefined
    ? {}
    : { web_search_cost: rounded(sum(first.web_search_cost ?? 0, second.web_search_cost ?? 0)) }),
});

const rounded = (usd: number | null): number | null => (usd === null ? null : round(usd));

/**
 * What a prompt cache saved, in USD: the cost of the whole prompt as plain input, minus its actual
 * cost. Negative: writing to the cache cost more than reading saved. Null: a price is unknown.
 */
export function cacheSavingOf(usage: Usage, facts: Prices): number | null {
  if (usage.cachedTokens === 0 && usage.cacheWriteTokens === 0) return 0;
  const uncached = { ...usage, cachedTokens: 0, cacheWriteTokens: 0, hourCacheWriteTokens: 0 };
  const plain = costOf(uncached, facts).input_tokens_cost;
  const paid = costOf(usage, facts).input_tokens_cost;
  return plain === null || paid === null ? null : round(plain - paid);
}

/**
 * The cost of a call. Tokens of other kinds than text (cached, cache-written, sound, pictures,
 * reasoning) are charged at their own rates if there are any, else as input or output. Tiers depend
 * on the length of the whole prompt. A fee for each request is part of the total only. Where the
 * provider says what it charges, that is the total, unless the configuration states prices.
 */
export function costOf(usage: Usage, facts: Prices): Costs {
  const { inputPrice, outputPrice } = facts;
  const search = searchCost(usage, facts);
  const stated = facts.isConfigured ? undefined : usage.costUsd;
  const withoutPrices = (): Costs => ({
    ...unknown(),
    total_tokens_cost: stated ?? null,
    ...search,
  });
  if (inputPrice === null && outputPrice === null) return withoutPrices();
  const promptTokens = Math.max(0, usage.promptTokens - (usage.freePromptTokens ?? 0));
  const completionTokens = Math.max(0, usage.completionTokens - (usage.freeCompletionTokens ?? 0));
  // if it is not told which tokens are cached: those of text, because those of audio cost more
  const sound = Math.min(usage.audioTokens ?? 0, promptTokens);
  const cachedSound = Math.min(usage.cachedAudioTokens ?? 0, usage.cachedTokens, sound);
  const audio = sound - cachedSound;
  const cached = Math.min(usage.cachedTokens - cachedSound, promptTokens - sound);
  const written = Math.min(usage.cacheWriteTokens, promptTokens - sound - cached);
  const forHour = Math.min(usage.hourCacheWriteTokens ?? 0, written);
  const reasoning = Math.min(usage.reasoningTokens, completionTokens);
  const media = Math.min(usage.mediaTokens ?? 0, completionTokens - reasoning);
  const input = sum(
    charge(promptTokens - sound - cached - written, inputPrice, promptTokens),
    charge(audio, facts.audioInputPrice ?? inputPrice, promptTokens),
    charge(
      cachedSound,
      facts.cachedAudioPrice ?? facts.audioInputPrice ?? inputPrice,
      promptTokens,
    ),
    charge(cached, facts.cachedInputPrice ?? inputPrice, promptTokens),
    charge(written - forHour, facts.cacheWritePrice ?? inputPrice, promptTokens),
    facts.hourCacheWritePrice === null
      ? charge(2 * forHour, facts.inputPrice, promptTokens)
      : charge(forHour, facts.hourCacheWritePrice, promptTokens),
  );
  const output = sum(
    charge(completionTokens - reasoning - media, outputPrice, promptTokens),
    charge(media, facts.mediaOutputPrice ?? outputPrice, promptTokens),
    charge(reasoning, facts.reasoningPrice ?? outputPrice, promptTokens),
  );
  if (input === null || output === null) return withoutPrices();
  const beside = (facts.requestPrice ?? 0) + (search.web_search_cost ?? 0);
  return {
    input_tokens_cost: round(input),
    output_tokens_cost: round(output),
    total_tokens_cost: round(stated ?? input + output + beside),
    ...search,
  };
}
