/** USD per million tokens: one rate, or a rate that depends on how many tokens the prompt has. */
export type TokenPrice = number | TieredPrice;

/** The whole prompt is charged at the rate of the highest tier whose `start` it exceeds, else at the `standard` one. */
export interface TieredPrice {
  readonly standard: number;
  /** By `start`, ascending. */
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

/** All that is known of one provider's model. Null: nobody knows. */
export interface ModelFacts {
  readonly inputPrice: TokenPrice | null;
  readonly outputPrice: TokenPrice | null;
  /** Absent classes are charged as input or output. */
  readonly cachedInputPrice: TokenPrice | null;
  readonly cacheWritePrice: TokenPrice | null;
  readonly reasoningPrice: TokenPrice | null;
  /** USD for each request, whatever its tokens. */
  readonly requestPrice: number | null;
  /** Tokens that prompt and answer may have together. */
  readonly contextLength: number | null;
  readonly maxOutput: number | null;
  readonly tools: boolean | null;
  readonly images: boolean | null;
  /** Stated in the configuration, 0..1. */
  readonly quality: number | null;
  /** Stated in the configuration, seconds to the first token. */
  readonly latency: number | null;
  /** Predicted from the model's family, 0..1; null for a family that nobody measured. */
  readonly ability: number | null;
}

/** The prices of a model, without its other facts. */
export type Prices = Pick<
  ModelFacts,
  | 'inputPrice'
  | 'outputPrice'
  | 'cachedInputPrice'
  | 'cacheWritePrice'
  | 'reasoningPrice'
  | 'requestPrice'
>;

/** The prices of a model whose prices are not known. */
export const noPrices: Prices = {
  inputPrice: null,
  outputPrice: null,
  cachedInputPrice: null,
  cacheWritePrice: null,
  reasoningPrice: null,
  requestPrice: null,
};

/** What a configuration may say of a model; what it leaves out stays as the catalogue has it. Prices in USD per million tokens. */
export interface ModelOverride {
  readonly inputPrice?: number | null;
  readonly outputPrice?: number | null;
  readonly cachedInputPrice?: number | null;
  readonly cacheWritePrice?: number | null;
  readonly contextLength?: number | null;
  readonly maxOutput?: number | null;
  readonly tools?: boolean | null;
  readonly images?: boolean | null;
  readonly quality?: number | null;
  readonly latency?: number | null;
}

/** The rate for a prompt of that many tokens. */
export function rateAt(price: TokenPrice, promptTokens: number): number {
  if (typeof price === 'number') return price;
  let rate = price.standard;
  for (const tier of price.tiers) if (promptTokens > tier.start) rate = tier.price;
  return rate;
}

/**
 * One figure for two rates, as three tokens are read for each one written; where only one is known it stands for both.
 * Null where neither is.
 */
export function blendedPrice(input: number | null, output: number | null): number | null {
  if (input === null) return output;
  return output === null ? input : (3 * input + output) / 4;
}
