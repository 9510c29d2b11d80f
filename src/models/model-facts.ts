import type { ReasoningEffort } from '../completion.js';

/** USD per million tokens: one rate, or one that depends on the length of the prompt. */
export type TokenPrice = number | TieredPrice;

/** The whole prompt is charged at the highest tier whose `start` it exceeds, else at `standard`. */
interface TieredPrice {
  readonly standard: number;
  /** By `start`, ascending. */
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

/** The rates of one prompt by kind of token, in USD per million. Null: unknown. */
export interface Rates {
  readonly input: number | null;
  readonly output: number | null;
  /** For tokens that the provider has in its prompt cache. */
  readonly cachedInput: number | null;
  /** For reasoning tokens. Absent: as output. */
  readonly reasoning?: number;
  /** USD for each request, whatever its tokens. Absent: none. */
  readonly request?: number;
}

/**
 * An ability that an operator states: that of another model, by any of its names, or log odds on
 * the scale of abilities, where 0 is the usual model of 2024.
 */
export type StatedAbility = { readonly like: string } | { readonly value: number };

/** The prices of a model, without its other facts. Null: unknown. */
export interface Prices {
  readonly inputPrice: TokenPrice | null;
  readonly outputPrice: TokenPrice | null;
  /** Null: charged as input. The other special rates below: as input or output. */
  readonly cachedInputPrice: TokenPrice | null;
  readonly cacheWritePrice: TokenPrice | null;
  readonly reasoningPrice: TokenPrice | null;
  /** For cache writes that last an hour. Null: twice the rate of input. */
  readonly hourCacheWritePrice: TokenPrice | null;
  readonly audioInputPrice: TokenPrice | null;
  /** Of sound in the prompt cache. Null: as sound. */
  readonly cachedAudioPrice: TokenPrice | null;
  /** Of sound and pictures that the model makes. */
  readonly mediaOutputPrice: TokenPrice | null;
  /** Whether the price data lists charges beside tokens: for pictures, searches, requests, … */
  readonly hasOtherCharges: boolean;
  /** USD for each request, in addition to its tokens. */
  readonly requestPrice: number | null;
  /** USD for each web search that the model's provider runs for it. */
  readonly searchPrice: number | null;
  /** The configuration states some of them: they count, whatever a provider says that it charges. */
  readonly isConfigured: boolean;
}

/** All known facts about one provider's model. Null: unknown. */
export interface ModelFacts extends Prices {
  /** The name that identifies the model: the configured one, else the provider's own. */
  readonly knownAs: string;
  /** `<provider>/<model>`: the key of measurements of the model at this provider. */
  readonly offer: string;
  /** The rates for a prompt of any length; null: they depend on it. */
  readonly rates: Rates | null;
  /** Tokens of prompt and answer together. */
  readonly contextLength: number | null;
  readonly maxOutput: number | null;
  readonly tools: boolean | null;
  readonly images: boolean | null;
  /** As configured, 0..1. */
  readonly quality: number | null;
  /** As configured, seconds to the first token. */
  readonly latency: number | null;
  /** As configured: the effort for requests that name none. */
  readonly reasoningEffort: ReasoningEffort | null;
  /** The effort that the model's name demands; null: none. */
  readonly effortInName: ReasoningEffort | null;
  /** As stated, or of the model's family, 0..1; null for an unlisted family. */
  readonly ability: number | null;
  /** Null: nothing is stated, so measured abilities are used. */
  readonly abilityStated: StatedAbility | null;
}

/** The prices of a model whose prices are not known. */
export const noPrices: Prices = {
  inputPrice: null,
  outputPrice: null,
  cachedInputPrice: null,
  cacheWritePrice: null,
  reasoningPrice: null,
  hourCacheWritePrice: null,
  audioInputPrice: null,
  cachedAudioPrice: null,
  mediaOutputPrice: null,
  hasOtherCharges: false,
  requestPrice: null,
  searchPrice: null,
  isConfigured: false,
};

/**
 * What a configuration may state about a model; whatever it leaves out comes from the catalogue.
 * Prices in USD per million tokens, of searches in USD each.
 */
export interface ModelOverride
  extends
    Partial<Pick<ModelFacts, 'contextLength' | 'maxOutput' | 'tools' | 'images'>>,
    Partial<Pick<ModelFacts, 'quality' | 'latency' | 'reasoningEffort' | 'searchPrice'>> {
  readonly inputPrice?: number | null;
  readonly outputPrice?: number | null;
  readonly cachedInputPrice?: number | null;
  readonly cacheWritePrice?: number | null;
  /** The name of a model that is about as good, or log odds. */
  readonly ability?: string | number | null;
}

/** The rate for a prompt of that many tokens. */
export function rateAt(price: TokenPrice, promptTokens: number): number {
  if (typeof price === 'number') return price;
  let rate = price.standard;
  for (const tier of price.tiers) if (promptTokens > tier.start) rate = tier.price;
  return rate;
}

/**
 * One price for two rates, at three input tokens for each output token. If only one rate is known,
 * it is the price; null if neither is.
 */
export function blendedPrice(input: number | null, output: number | null): number | null {
  if (input === null) return output;
  return output === null ? input : (3 * input + output) / 4;
}

/** Larger figures are ignored, so that products and sums stay finite. */
const maxFigure = 1e12;

/** A usable figure: a number from 0 to 10^12; null for anything else. */
export const figure = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= maxFigure ? value : null;

type Listed = Pick<
  Prices,
  'inputPrice' | 'outputPrice' | 'cachedInputPrice' | 'reasoningPrice' | 'requestPrice'
>;

/** The rates for a prompt with a given number of tokens, by a list of prices. */
export function ratesAt(prices: Listed, promptTokens: number): Rates {
  const at = (price: TokenPrice | null): number | null =>
    price === null ? null : figure(rateAt(price, promptTokens));
  const input = at(prices.inputPrice);
  const reasoning = at(prices.reasoningPrice),
    request = figure(prices.requestPrice);
  return {
    input,
    output: at(prices.outputPrice),
    cachedInput: at(prices.cachedInputPrice) ?? input,
    ...(reasoning === null ? {} : { reasoning }),
    ...(request === null ? {} : { request }),
  };
}

const isTiered = (price: TokenPrice | null): boolean => price !== null && typeof price !== 'number';

/** The rates that hold for a prompt of any length; null if some depend on it. */
export function flatRates(prices: Listed): Rates | null {
  const { inputPrice, outputPrice, cachedInputPrice, reasoningPrice } = prices;
  return [inputPrice, outputPrice, cachedInputPrice, reasoningPrice].some(isTiered)
    ? null
    : Object.freeze(ratesAt(prices, 0));
}
