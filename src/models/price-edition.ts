import { messageOf } from '../errors.js';
import {
  calcPrice,
  type ConditionalPrice,
  type Provider,
  updatePrices,
  waitForUpdate,
} from '@pydantic/genai-prices';
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

type Model = Provider['models'][number];

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

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Longer names are not looked up, and slow to take apart. */
const maxNameLength = 200;

/** Checks all entries: the library reads them lazily, and would fail in the middle of a request. */
function* checkProvider(provider: Provider): Generator<unknown, void> {
  if (!isObject(provider) || typeof provider.id !== 'string' || !Array.isArray(provider.models))
    throw new Error('a provider of the price data has no id or no models');
  try {
    new RegExp(provider.api_pattern);
    for (const rule of [provider.model_match, provider.provider_match]) if (rule) checkRule(rule);
    if (!Array.isArray(provider.fallback_model_providers ?? []))
      throw new Error('fallback_model_providers is not a list');
    for (const model of provider.models) {
      checkModel(model);
      for (const { prices } of entriesOf(model)) pricesIn(provider, { ...model, prices });
      pricesIn(provider, model);
      yield;
    }
  } catch (error) {
    throw new Error(`${provider.id}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** What the type says of a model is not yet known. */
function checkModel(model: Model): void {
  const {
    id,
    match,
    context_window: length = null,
  }: { readonly [Field in keyof Model]: unknown } = model;
  if (typeof id !== 'string' || id.length > maxNameLength)
    throw new Error('a model has no id, or a very long one');
  checkRule(match);
  if (length !== null && !(typeof length === 'number' && length > 0))
    throw new Error(`the context window of ${id} is not a number of tokens`);
  const entries: readonly unknown[] = entriesOf(model);
  const isEntry = (one: unknown): boolean =>
    isObject(one) && 'prices' in one && isObject(one.prices);
  if (entries.length === 0 || !entries.every(isEntry))
    throw new Error(`the prices of ${id} are not an object`);
}

function checkRule(rule: unknown): void {
  if (!isObject(rule)) throw new Error('a rule of names is not an object');
  for (const [kind, value] of Object.entries(rule)) {
    if (kind !== 'or' && kind !== 'and') {
      if (typeof value !== 'string') throw new Error(`the rule ${kind} is not a text`);
      if (kind === 'regex') new RegExp(value);
    } else if (Array.isArray(value)) value.forEach(checkRule);
    else throw new Error(`the rule ${kind} is not a list`);
  }
}

/** A model's prices with the conditions under which they apply. */
const entriesOf = (model: Pick<Model, 'prices'>): readonly ConditionalPrice[] =>
  Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];

const beginOf = (when: NonNullable<ConditionalPrice['constraint']>): string =>
  'start_date' in when ? when.start_date : `${when.start_time} to ${when.end_time}`;

/** A model's prices now; other hours and dates to come are named after the charge, as are tiers. */
function pricesOf(provider: Provider, model: Model): Map<string, number> {
  const entries = entriesOf(model);
  const today = new Date().toISOString();
  // what stands before it never holds again
  const base = entries.findLastIndex(
    ({ constraint: when }) => !when || ('start_date' in when && when.start_date <= today),
  );
  const found = new Map<string, number>();
  for (const [at, { constraint, prices }] of entries.slice(Math.max(base, 0)).entries()) {
    const when = at === 0 || !constraint ? '' : ` from ${beginOf(constraint)}`;
    for (const [charge, price] of pricesIn(provider, { ...model, prices }))
      found.set(charge + when, price);
  }
  return found;
}

/** The prices of a model that has one entry, one for each tier. */
function pricesIn(provider: Provider, model: Model): Map<string, number> {
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
      const [from, to] = [priceIn(old, charge), priceIn(prices, charge)];
      if (from !== to) changed.push({ model, charge, from, to });
    }
  }
  return {
    added: [...after.keys()].filter((model) => !before.has(model)),
    removed: [...before.keys()].filter((model) => !after.has(model)),
    changed: changed.sort((one, other) => Number(isJump(other)) - Number(isJump(one))),
  };
}

/** What a charge costs: where it has no price for a tier, an hour or a date, what it costs else. */
const priceIn = (prices: Map<string, number> | undefined, charge: string): number | null =>
  prices?.get(charge) ?? prices?.get(charge.split(' ')[0]!) ?? null;

type PricesByModel = Map<string, Map<string, number>>;

function* pricesByModel(providers: readonly Provider[]): Generator<unknown, PricesByModel> {
  const found: PricesByModel = new Map();
  for (const provider of providers)
    for (const model of provider.models) {
      const name = `${provider.id}/${model.id}`;
      // of two with one name, the first is used
      if (!found.has(name)) found.set(name, pricesOf(provider, model));
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
