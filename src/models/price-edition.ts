import { messageOf } from '../errors.js';
import { calcPrice, type Provider, updatePrices, waitForUpdate } from '@pydantic/genai-prices';
import { forgetIndexes } from './price-list.js';

/** A larger file is no price data: the bundled one has 0.5 MB. */
export const maxPriceEditionBytes = 4 * 1024 * 1024;
/** A change beyond this factor is more often a wrong unit than a new price. */
const maxFactor = 10;

/** The changes by new price data. Models as `<provider>/<model>`. */
export interface PriceDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Changes by more than ten times come first. */
  readonly changed: readonly PriceChange[];
}

/** A changed price in USD, per million tokens or per the unit of the charge. */
export interface PriceChange {
  readonly model: string;
  readonly charge: string;
  /** Null: there was no such price; as `to`: there is none any more. */
  readonly from: number | null;
  readonly to: number | null;
}

let bundled: readonly Provider[] = [];
let inForce: readonly Provider[] | null = null;
// not awaited, which takes no time here: a CommonJS host cannot require a package that awaits
waitForUpdate().then(
  (providers) => (bundled = providers ?? []),
  () => undefined,
);

/**
 * Reads price data in the format of genai-prices: a list of providers with their models. All of
 * them take 100 ms, so it yields after each model.
 * @throws Error that says what is wrong, with the provider
 */
export function* readPriceEdition(text: string): Generator<unknown, readonly Provider[]> {
  const data: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
  if (!Array.isArray(data) || data.length === 0)
    throw new Error('price data must be a list of providers');
  const providers = data as Provider[];
  for (const provider of providers) yield* checkProvider(provider);
  return providers;
}

/** Checks all entries: the library reads them lazily, and would fail in the middle of a request. */
function* checkProvider(provider: Provider): Generator<unknown, void> {
  if (typeof provider.id !== 'string' || !Array.isArray(provider.models))
    throw new Error('a provider of the price data has no id or no models');
  try {
    new RegExp(provider.api_pattern);
    checkRules([provider.model_match, provider.provider_match]);
    for (const model of provider.models) {
      if (typeof model.id !== 'string') throw new Error('a model has no id');
      checkRules([model.match]);
      for (const { prices } of Array.isArray(model.prices) ? model.prices : [model])
        currentPrices(provider, { ...model, prices });
      currentPrices(provider, model);
      yield;
    }
  } catch (error) {
    throw new Error(`${provider.id}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function checkRules(rules: readonly unknown[]): void {
  for (const rule of rules) {
    if (rule === undefined || rule === null) continue;
    if (typeof rule !== 'object') throw new Error('a rule of names is not an object');
    for (const [kind, value] of Object.entries(rule)) {
      if (Array.isArray(value)) checkRules(value);
      else if (typeof value !== 'string') throw new Error(`the rule ${kind} is not a text`);
      else if (kind === 'regex') new RegExp(value);
    }
  }
}

/** The prices of a model now, one for each tier. */
function currentPrices(provider: Provider, model: Provider['models'][number]): Map<string, number> {
  const only = { ...provider, models: [{ ...model, match: { equals: model.id.toLowerCase() } }] };
  const found = calcPrice({}, model.id, { provider: only })?.model_price ?? {};
  const prices = new Map<string, number>();
  for (const [charge, price] of Object.entries(found)) {
    if (typeof price === 'number') prices.set(charge, price);
    if (typeof price !== 'object') continue;
    prices.set(charge, price.base);
    for (const tier of price.tiers) prices.set(`${charge} above ${tier.start}`, tier.price);
  }
  return prices;
}

/** Compares price data with what is in force; yields after each model, as it takes 160 ms. */
export function* priceDifference(next: readonly Provider[]): Generator<unknown, PriceDifference> {
  const [before, after] = [yield* pricesByModel(inForce ?? bundled), yield* pricesByModel(next)];
  const changed: PriceChange[] = [];
  for (const [model, prices] of after) {
    const old = before.get(model);
    for (const charge of old ? new Set([...old.keys(), ...prices.keys()]) : []) {
      const [from, to] = [old?.get(charge) ?? null, prices.get(charge) ?? null];
      if (from !== to) changed.push({ model, charge, from, to });
    }
  }
  return {
    added: [...after.keys()].filter((model) => !before.has(model)),
    removed: [...before.keys()].filter((model) => !after.has(model)),
    changed: changed.sort((one, other) => Number(isJump(other)) - Number(isJump(one))),
  };
}

type PricesByModel = Map<string, Map<string, number>>;

function* pricesByModel(providers: readonly Provider[]): Generator<unknown, PricesByModel> {
  const found: PricesByModel = new Map();
  for (const provider of providers)
    for (const model of provider.models) {
      found.set(`${provider.id}/${model.id}`, currentPrices(provider, model));
      yield;
    }
  return found;
}

/** Whether a price changes by more than ten times, or to or from free. */
export const isJump = ({ from, to }: PriceChange): boolean =>
  from !== null && to !== null && (to > from * maxFactor || from > to * maxFactor);

/** Puts price data in force for this process; null: the data of this package. */
export function usePriceEdition(providers: readonly Provider[] | null): void {
  const next = [...(providers ?? bundled)];
  inForce = next;
  updatePrices(({ setProviderData }: { setProviderData: (data: Provider[]) => void }) =>
    setProviderData(next),
  );
  forgetIndexes();
}
