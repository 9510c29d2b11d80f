import { effortInName } from './model-identity.js';
import { abilityByName, capabilitiesOf, longestAnswerOf } from './model-families.js';
import { NameCache } from './name-cache.js';
import {
  flatRates,
  type ModelFacts,
  type ModelOverride,
  noPrices,
  type Prices,
  type StatedAbility,
} from './model-facts.js';
import { canonicalName } from './model-name.js';
import { readModelTable } from './model-tables.js';
import { sigmoid } from './numbers.js';
import { Overrides } from './overrides.js';
import {
  addedEntry,
  contextLengthByName,
  findListed,
  freePrices,
  isClosed,
  isPriceId,
  makerOf,
  namesListedBy,
  priceIdOf,
  readPrices,
} from './price-list.js';

/** Where the prices of configured providers come from, by the provider's name. */
export interface PriceSources {
  /** Each one's id in the price data; null if no list has its prices. */
  readonly priceIds: Readonly<Record<string, string | null>>;
  /** Self-hosted providers: their models cost nothing where no list has a price. */
  readonly selfHosted?: readonly string[];
}

interface CatalogOptions extends Partial<PriceSources> {
  /** What the configuration states, by `provider/model`; it overrides everything else. */
  overrides?: Readonly<Record<string, ModelOverride>>;
  /** Configured provider -> our name of a model -> the provider's own. */
  deployments?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** The provider and model that a bare name stands for. */
export interface Owner {
  provider: string;
  model: string;
}

/** The known facts of models. A name is resolved once: later look-ups read a hash table. */
export interface Catalog {
  /** Never fails; unknown facts are null. A null provider is the maker, if the name tells it. */
  lookup(provider: string | null, model: string): ModelFacts;
  /** Names of a provider's models, the configuration's first, without deprecated ones. */
  models(provider: string): string[];
  /** The owner of a bare name (`gpt-4o`), preferring configured providers; null if unknown. */
  identify(name: string): Owner | null;
}

/** Longer names are not looked up, since clients can send anything. */
const maxNameLength = 200;
const maxCachedProviders = 25,
  maxCachedModels = 400;

interface Entry {
  readonly facts: ModelFacts;
  /** When a price that depends on the time must be read again. */
  readonly until: number;
}

const quarterHourMs = 15 * 60 * 1000;

/**
 * Prices as the configuration states them. Where it states a price for input or output, the list's
 * special rates (for cached input, reasoning, …) no longer match, so only those that the
 * configuration states too apply.
 */
function overridePrices(listed: Prices, override: ModelOverride): Prices {
  const { inputPrice = null, outputPrice = null, cachedInputPrice = null } = override;
  const { cacheWritePrice = null } = override;
  const isConfigured = inputPrice !== null || outputPrice !== null;
  const rest = isConfigured ? noPrices : listed;
  return {
    ...rest,
    inputPrice: inputPrice ?? listed.inputPrice,
    outputPrice: outputPrice ?? listed.outputPrice,
    cachedInputPrice: cachedInputPrice ?? rest.cachedInputPrice,
    cacheWritePrice: cacheWritePrice ?? rest.cacheWritePrice,
    hasOtherCharges: listed.hasOtherCharges,
    searchPrice: override.searchPrice ?? listed.searchPrice,
    isConfigured,
  };
}

function statedAbility({ ability = null }: ModelOverride): StatedAbility | null {
  if (ability === null) return null;
  return typeof ability === 'string' ? { like: ability } : { value: ability };
}

/** 0..1, as stated; the ability by its own name if nothing is stated, or an unknown model. */
function abilityOf(stated: StatedAbility | null, model: string): number | null {
  if (stated === null) return abilityByName(model);
  return 'value' in stated
    ? sigmoid(stated.value)
    : (abilityByName(stated.like) ?? abilityByName(model));
}

/** The name by which a model's facts are found: ours, unless only the provider's identifies it. */
function knownName(
  priceId: string | null,
  model: string,
  deployed: string | undefined,
  at: number,
): string {
  if (deployed === undefined) return model;
  const isKnown = (name: string): boolean =>
    priceId !== null && isPriceId(priceId)
      ? findListed(priceId, name, at) !== null
      : abilityByName(name) !== null;
  return !isKnown(model) && isKnown(deployed) ? deployed : model;
}

const ownNames = new Map(
  Object.entries(readModelTable('aliases').ownNames).map(([provider, names]) => [
    provider,
    new Map(Object.entries(names)),
  ]),
);

/** The product of a name that a provider uses for another product than others do; else the name. */
const productAt = (provider: string, name: string): string =>
  ownNames.get(provider)?.get(canonicalName(name)) ?? name;

/** An answer is never longer than what a model reads and writes together. */
const withinContext = (answer: number | null, contextLength: number | null): number | null =>
  answer === null ? null : Math.min(answer, contextLength ?? answer);

/** The provider of an offer; without one, what its name begins with (`/ollama/deepseek-r1`). */
const firstWord = (offer: string): string => /[^/]+/.exec(offer)?.[0] ?? '';

/** Prices as listed, else as added; else 0 for a self-hosted model, unless it is closed. */
function pricesOf(
  listed: ReturnType<typeof findListed>,
  { priceId, isSelfHosted }: PriceSource,
  model: string,
): Prices {
  if (priceId === null) return isSelfHosted && model && !isClosed(model) ? freePrices : noPrices;
  const prices = readPrices(listed?.model_price ?? null, model.toLowerCase());
  if (prices.inputPrice !== null || prices.outputPrice !== null) return prices;
  const added = addedEntry(priceId, model);
  return added ? readPrices(added, '') : pricesOf(null, { priceId: null, isSelfHosted }, model);
}

interface PriceSource {
  readonly priceId: string | null;
  readonly isSelfHosted: boolean;
}

function resolveEntry(
  offer: string,
  source: PriceSource,
  model: string,
  override: ModelOverride,
  at: number,
): Entry {
  const { priceId } = source;
  const listed = priceId === null ? null : findListed(priceId, model, at);
  const product = productAt(priceId ?? firstWord(offer), model);
  const capabilities = capabilitiesOf(product);
  const stated = statedAbility(override);
  const prices = overridePrices(pricesOf(listed, source, model), override);
  const contextLength =
    override.contextLength ?? listed?.model.context_window ?? contextLengthByName(product);
  const facts: ModelFacts = {
    knownAs: product,
    offer,
    ...prices,
    rates: flatRates(prices),
    contextLength,
    maxOutput: override.maxOutput ?? withinContext(longestAnswerOf(product), contextLength),
    tools: override.tools ?? capabilities.tools,
    images: override.images ?? capabilities.images,
    quality: override.quality ?? null,
    latency: override.latency ?? null,
    reasoningEffort: override.reasoningEffort ?? null,
    effortInName: effortInName(product),
    ability: abilityOf(stated, product),
    abilityStated: stated,
  };
  // price changes by date or time of day fall on quarter hours, in every time zone
  const until = Array.isArray(listed?.model.prices)
    ? (Math.floor(at / quarterHourMs) + 1) * quarterHourMs
    : Infinity;
  return { facts: Object.freeze(facts), until };
}

const newModels = (): NameCache<Entry> => new NameCache(maxCachedModels);

function splitName(name: string): Owner | null {
  const slash = name.indexOf('/');
  return slash > 0 ? { provider: name.slice(0, slash), model: name.slice(slash + 1) } : null;
}

function findOwner(
  name: string,
  configured: ReadonlyMap<string, string | null>,
  stated: Overrides,
  at: number,
): Owner | null {
  if (name.length > maxNameLength) return null;
  const parts = splitName(name);
  if (parts && (stated.has(name) || configured.has(parts.provider) || isPriceId(parts.provider)))
    return parts;
  const maker = makerOf(name, at);
  if (maker === null) return null;
  const provider = [...configured].find(([, priceId]) => priceId === maker)?.[0] ?? maker;
  return { provider, model: name };
}

/** Makes a catalogue from the bundled price data and the configuration. Makes no network calls. */
export function createCatalog(options: CatalogOptions): Catalog {
  const { overrides = {}, priceIds = {}, selfHosted = [], deployments = {} } = options;
  const { now = Date.now } = options;
  const deployed = new Map(
    Object.entries(deployments).map(([name, models]) => [name, new Map(Object.entries(models))]),
  );
  const stated = new Overrides(overrides);
  const configured = new Map(Object.entries(priceIds));
  // by provider, then by model: joining both to one key would cost each look-up
  const entries = new NameCache<NameCache<Entry>>(maxCachedProviders);
  const owners = new NameCache<{ readonly owner: Owner | null }>(1_000);

  function priceIdFor(provider: string): string | null {
    const known = configured.get(provider);
    return known === undefined ? priceIdOf(provider) : known;
  }

  const identify = (name: string): Owner | null =>
    owners.of(name, () => ({ owner: findOwner(name, configured, stated, now()) })).owner;

  function lookup(provider: string | null, model: string): ModelFacts {
    const ofProvider = entries.of(provider ?? '', newModels);
    const cached = ofProvider.get(model);
    // most prices never change: the clock would take half of the time of a look-up
    if (cached && (cached.until === Infinity || now() < cached.until)) return cached.facts;
    const at = now();
    const owner = provider === null ? identify(model) : null;
    if (owner) return lookup(owner.provider, owner.model);
    const named = model.length <= maxNameLength ? model : '';
    const priceId = named && provider !== null ? priceIdFor(provider) : null;
    const name = knownName(priceId, named, deployed.get(provider ?? '')?.get(model), at);
    const offer = `${provider ?? ''}/${model}`;
    const source = { priceId, isSelfHosted: selfHosted.includes(provider ?? '') };
    const entry = resolveEntry(offer, source, name, stated.of(offer), at);
    ofProvider.set(model, entry);
    return entry.facts;
  }

  function models(provider: string): string[] {
    const own = [...stated.names]
      .filter((name) => name.startsWith(`${provider}/`))
      .map((name) => name.slice(provider.length + 1));
    return [...new Set([...own, ...namesListedBy(priceIdFor(provider))])];
  }

  return { lookup, models, identify };
}
