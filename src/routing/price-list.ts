import type { ModelFacts, ModelOverride, TokenPrice } from './model-facts.js';

/** The prices of a model, without the rest of its facts. */
export type Prices = Pick<
  ModelFacts,
  | 'inputPrice'
  | 'outputPrice'
  | 'cachedInputPrice'
  | 'cacheWritePrice'
  | 'reasoningPrice'
  | 'requestPrice'
>;

type ListedPrice =
  | number
  | { readonly base: number; readonly tiers: readonly { start: number; price: number }[] }
  | undefined;

/** Nobody knows. */
export const noPrices: Prices = {
  inputPrice: null,
  outputPrice: null,
  cachedInputPrice: null,
  cacheWritePrice: null,
  reasoningPrice: null,
  requestPrice: null,
};

const nothing: Prices = { ...noPrices, inputPrice: 0, outputPrice: 0 };

function tokenPrice(listed: ListedPrice): TokenPrice | null {
  if (listed === undefined || typeof listed === 'number') return listed ?? null;
  return { standard: listed.base, tiers: [...listed.tiers].sort((a, b) => a.start - b.start) };
}

/**
 * Reads one entry of the price data. An empty entry means that the list knows no price, except for a `:free` variant,
 * which costs nothing (OpenRouter's word for it).
 */
export function readPrices(
  entry: Readonly<Record<string, ListedPrice>> | null,
  model: string,
): Prices {
  if (model.endsWith(':free')) return nothing;
  if (!entry) return noPrices;
  const perThousand = entry['requests_kcount'];
  return {
    inputPrice: tokenPrice(entry['input_mtok']),
    outputPrice: tokenPrice(entry['output_mtok']),
    cachedInputPrice: tokenPrice(entry['cache_read_mtok']),
    cacheWritePrice: tokenPrice(entry['cache_write_mtok']),
    reasoningPrice: tokenPrice(entry['output_reasoning_mtok']),
    requestPrice: typeof perThousand === 'number' ? perThousand / 1000 : null,
  };
}

/**
 * Prices as the configuration states them. Where it gives a price for input or output, the list's special rates no longer
 * fit and only those that it restates count.
 */
export function overridePrices(listed: Prices, override: ModelOverride): Prices {
  const {
    inputPrice = null,
    outputPrice = null,
    cachedInputPrice = null,
    cacheWritePrice = null,
  } = override;
  const rest = inputPrice === null && outputPrice === null ? listed : noPrices;
  return {
    inputPrice: inputPrice ?? listed.inputPrice,
    outputPrice: outputPrice ?? listed.outputPrice,
    cachedInputPrice: cachedInputPrice ?? rest.cachedInputPrice,
    cacheWritePrice: cacheWritePrice ?? rest.cacheWritePrice,
    reasoningPrice: rest.reasoningPrice,
    requestPrice: rest.requestPrice,
  };
}
