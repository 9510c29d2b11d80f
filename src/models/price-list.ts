import { calcPrice, findProvider, type PriceCalculation } from '@pydantic/genai-prices';
import { noPrices, type Prices, type TokenPrice } from './model-facts.js';
import { modelIdentity } from './model-identity.js';
import { canonicalName, isMovingName, spellings, undatedName } from './model-name.js';
import { type ListedPrice, readModelTable } from './model-tables.js';

/** The prices of a model that costs nothing. */
export const freePrices: Prices = { ...noPrices, inputPrice: 0, outputPrice: 0 };

interface ListedModel {
  readonly id: string;
  readonly context_window?: number;
  readonly deprecated?: boolean;
  readonly match: object;
}

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const { groups: additions, closed, sameAsOlder } = readModelTable('prices');
const added = new Map(additions.map(({ group, rules }) => [group, rules]));
const closedNames = whole(closed.join('|'));
const asOlder = whole(sameAsOlder.join('|'));
const { sources: contextSources, models: contexts } = readModelTable('context-lengths');
const statedContexts = new Map(Object.entries(contexts));

/** Whether only its maker and clouds serve a product: any other server relays it from them. */
export const isClosed = (model: string): boolean => closedNames.test(modelIdentity(model));

/** What is added to the price data for a provider's model; null: nothing. */
export function addedEntry(
  priceId: string,
  model: string,
): Readonly<Record<string, ListedPrice>> | null {
  const product = modelIdentity(model);
  return added.get(priceId)?.find(({ pattern }) => whole(pattern).test(product))?.prices ?? null;
}

const providerAliases = new Map(Object.entries(readModelTable('aliases').providers));

/** A provider's id in the price data, by any spelling of its name; null if it is not listed. */
export function priceIdOf(provider: string): string | null {
  const name = provider.toLowerCase();
  const id = providerAliases.get(name) ?? name;
  return findProvider({ providerId: id })?.id ?? (added.has(id) ? id : null);
}

/** Whether a name is exactly the id of a provider in the price data. */
export const isPriceId = (name: string): boolean => findProvider({ providerId: name })?.id === name;

/** The price data's id of the provider that made a model; null if the name does not tell it. */
export function makerOf(model: string, at: number): string | null {
  const maker = findProvider({ modelId: model.toLowerCase() });
  if (!maker) return null;
  // an entry of an older product has the same maker as the product that the name stands for today
  const isListed = spellings(model).some((one) => entryOf(maker.id, one, at));
  return isListed || findListed(maker.id, model, at) ? maker.id : null;
}

/** The entry of a name with its prices at a time; without usage, because no cost is wanted. */
const entryOf = (priceId: string, name: string, at: number): PriceCalculation | null =>
  calcPrice({}, name, { providerId: priceId, timestamp: new Date(at) });

/**
 * The entry of a provider's model with the prices that apply at a time (ms since 1970); null if
 * there is none. Never the entry of another product, such as the one that the name stood for
 * earlier or the one without a date.
 */
export function findListed(priceId: string, model: string, at: number): PriceCalculation | null {
  const product = modelIdentity(model);
  // a fine-tuned model costs more than the one that it was made of
  if (isTuned(model)) return exactly(priceId, model, product, at);
  // lists are late to update a moving name
  const hasMoved = isMovingName(model) && !isMovingName(product);
  const ofProduct = hasMoved ? findProduct(priceId, product, at) : null;
  if (ofProduct) return ofProduct;
  return exactly(priceId, model, product, at) ?? findProduct(priceId, product, at);
}

const isTuned = (model: string): boolean => /(?:^|\/)ft:/i.test(model);

/** The entry that a list has under a name, or under a part of it that names the same product. */
function exactly(
  priceId: string,
  model: string,
  product: string,
  at: number,
): PriceCalculation | null {
  for (const spelling of spellings(model)) {
    const found = modelIdentity(spelling) === product ? entryOf(priceId, spelling, at) : null;
    if (found && !isOlder(found.model, product)) return found;
  }
  return null;
}

/** Whether a rule of a list takes a product for the older version that it was made for. */
function isOlder(listed: ListedModel, product: string): boolean {
  const older = modelIdentity(callName(listed));
  const rest = product.startsWith(older) ? product.slice(older.length) : '';
  if (!/^-\d{1,2}(?!\d)/.test(rest) || asOlder.test(product)) return false;
  return !namesMatchedBy(listed).some((name) => modelIdentity(name) === product);
}

/** The entry of a product under other names of it; null unless all of them have the same prices. */
function findProduct(priceId: string, product: string, at: number): PriceCalculation | null {
  const names = productsOf(priceId).get(product) ?? [];
  const [first, ...others] = names.flatMap((name) => entryOf(priceId, name, at) ?? []);
  if (!first) return null;
  const ratesOf = ({ model_price: { input_mtok, output_mtok } }: PriceCalculation): string =>
    JSON.stringify([input_mtok, output_mtok]);
  return others.every((one) => ratesOf(one) === ratesOf(first)) ? first : null;
}

const products = new Map<string, ReadonlyMap<string, readonly string[]>>();

/** The names in a provider's list by the product that they stand for, except those that move. */
function productsOf(priceId: string): ReadonlyMap<string, readonly string[]> {
  let found = products.get(priceId);
  if (!found) products.set(priceId, (found = indexProducts(priceId)));
  return found;
}

function indexProducts(priceId: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const model of findProvider({ providerId: priceId })?.models ?? []) {
    const names = [...new Set([model.id, ...namesMatchedBy(model)])];
    // variants (`…:free`, `…:batch`) have prices of their own
    for (const name of names.filter((one) => !isMovingName(one) && !/:[a-z]/i.test(one))) {
      const product = modelIdentity(name);
      found.set(product, [...(found.get(product) ?? []), name]);
    }
  }
  return found;
}

function tokenPrice(listed: ListedPrice): TokenPrice | null {
  if (listed === undefined || typeof listed === 'number') return listed ?? null;
  return { standard: listed.base, tiers: [...listed.tiers].sort((a, b) => a.start - b.start) };
}

/** The charges that are bounded for a chat; fees of tools are checked where a request names one. */
const boundedCharges: ReadonlySet<string> = new Set([
  'input_mtok',
  'output_mtok',
  'cache_read_mtok',
  'cache_write_mtok',
  'cache_write_1h_mtok',
  'output_reasoning_mtok',
  'input_audio_mtok',
  'cache_audio_read_mtok',
  'web_searches_kcount',
  'storage_searches_kcount',
]);

/**
 * The prices of one entry of the price data. An empty entry means that no price is known, except
 * for OpenRouter's `:free` variants, which cost nothing.
 * @param entry null if the data has no entry
 * @param model the model's name in lower case
 */
export function readPrices(
  entry: Readonly<Record<string, ListedPrice>> | null,
  model: string,
): Prices {
  if (model.endsWith(':free')) return freePrices;
  if (!entry) return noPrices;
  const perThousand = (charge: string): number | null => {
    const price = entry[charge];
    return typeof price === 'number' ? price / 1000 : null;
  };
  return {
    inputPrice: tokenPrice(entry['input_mtok']),
    outputPrice: tokenPrice(entry['output_mtok']),
    cachedInputPrice: tokenPrice(entry['cache_read_mtok']),
    cacheWritePrice: tokenPrice(entry['cache_write_mtok']),
    reasoningPrice: tokenPrice(entry['output_reasoning_mtok']),
    hourCacheWritePrice: tokenPrice(entry['cache_write_1h_mtok']),
    audioInputPrice: tokenPrice(entry['input_audio_mtok']),
    cachedAudioPrice: tokenPrice(entry['cache_audio_read_mtok']),
    // no model is listed that makes both
    mediaOutputPrice: tokenPrice(entry['output_audio_mtok'] ?? entry['output_image_mtok']),
    hasOtherCharges: Object.keys(entry).some((charge) => !boundedCharges.has(charge)),
    requestPrice: perThousand('requests_kcount'),
    searchPrice: perThousand('web_searches_kcount'),
    isConfigured: false,
  };
}

/**
 * Indexes context lengths by model name over several providers' lists: providers differ in what
 * they list, rarely in what a model can read. Of names that are equal, or differ only in their
 * date, the longest length counts: a limit that is too short would rule a model out, whereas one
 * that is too long makes the provider refuse and the next model answer.
 */
function indexContextLengths(
  lists: readonly (readonly ListedModel[])[],
): (canonical: string) => number | null {
  const exact = new Map<string, number>();
  const undated = new Map<string, number>();
  const keep = (lengths: Map<string, number>, name: string, length: number): void =>
    void lengths.set(name, Math.max(length, lengths.get(name) ?? 0));
  for (const { id, context_window: length, deprecated } of lists.flat()) {
    if (!length || deprecated) continue;
    const name = canonicalName(id);
    keep(exact, name, length);
    keep(undated, undatedName(name), length);
  }
  // a moving name may stand for a newer product with a longer context
  return (canonical) =>
    exact.get(canonical) ??
    (isMovingName(canonical) ? null : undated.get(undatedName(canonical))) ??
    null;
}

let contextIndex: ((canonical: string) => number | null) | null = null;

/** The context length of a model by any name of it, in any provider's list; null if none has it. */
export function contextLengthByName(model: string): number | null {
  contextIndex ??= indexContextLengths(
    contextSources.map((providerId) => findProvider({ providerId })?.models ?? []),
  );
  const product = modelIdentity(model);
  const listed = contextIndex(isMovingName(model) ? product : canonicalName(model));
  return listed ?? statedContexts.get(product) ?? null;
}

/** Call when the price data has changed. */
export function forgetIndexes(): void {
  products.clear();
  contextIndex = null;
}

const hasSlash = (name: string): boolean => name.includes('/');

const isEqual = (rule: unknown): rule is { equals: string } =>
  typeof rule === 'object' && rule !== null && 'equals' in rule && typeof rule.equals === 'string';

/** The names that an entry of a list spells out. */
function namesMatchedBy({ match }: Pick<ListedModel, 'match'>): string[] {
  const rules: unknown[] = 'or' in match && Array.isArray(match.or) ? match.or : [match];
  return rules.filter(isEqual).map(({ equals }) => equals);
}

/** The name to call a listed model by: some lists shorten `accounts/…/models/x` to `x`. */
function callName(model: ListedModel): string {
  const full = namesMatchedBy(model).find((name) => name.endsWith(`/${model.id}`));
  // Bedrock's list prefixes the prices of regional profiles with `regional.`; the rest is the
  // model's own id
  return full ?? model.id.replace(/^regional\./, '');
}

/** Placeholders of fine-tuned models, and moving aliases: priced, but not callable. */
const placeholder = /^(?:ft:|~)|\.ft-$|:batch$/;

/** The names by which a list's models can be called, without deprecated ones. */
function callableNames(models: readonly ListedModel[]): string[] {
  const names = models
    .filter(({ id, deprecated }) => !deprecated && !placeholder.test(id))
    .map(callName);
  // a marketplace names models by vendor; its bare names are older spellings of the same models
  const prefixed = names.filter(hasSlash);
  return prefixed.length * 2 > names.length ? prefixed : names;
}

const ofOtherApis = new Map(
  Object.entries(readModelTable('aliases').otherApis).map(([id, names]) => [id, whole(names)]),
);

/** The names of a provider's models, by its id in the price data; none for null. */
export function namesListedBy(priceId: string | null): string[] {
  if (priceId === null) return [];
  const foreign = ofOtherApis.get(priceId);
  const names = callableNames(findProvider({ providerId: priceId })?.models ?? []);
  return names.filter((name) => !foreign?.test(name));
}
