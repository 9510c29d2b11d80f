import { type Prices, rateAt, type Rates, type TokenPrice } from './model-facts.js';

/** Larger figures are ignored, so that products and sums stay finite. */
const maxFigure = 1e12;

/** A usable figure: a number from 0 to 10^12; null for anything else. */
export function figure(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= maxFigure ? value : null;
}

type Listed = Pick<
  Prices,
  'inputPrice' | 'outputPrice' | 'cachedInputPrice' | 'reasoningPrice' | 'requestPrice'
>;

/** What a prompt of so many tokens costs by a list of prices. */
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
