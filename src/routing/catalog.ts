import { calcPrice, findProvider, type PriceCalculation } from '@pydantic/genai-prices';
import { LRUCache } from 'lru-cache';
import { knownAbility } from './ability-priors.js';
import { capabilitiesOf } from './capabilities.js';
import { indexContextLengths } from './context-lengths.js';
import { listedNames } from './listed-names.js';
import type { ModelFacts, ModelOverride } from './model-facts.js';
import { canonicalName, spellings } from './model-name.js';
import { overridePrices, readPrices } from './price-list.js';

export interface CatalogOptions {
  /** What the configuration says, by `provider/model`; it wins over everything else. */
  overrides?: Readonly<Record<string, ModelOverride>>;
  /** Configured provider -> its id in the price data, null where no list has its prices (local servers). */
  priceIds?: Readonly<Record<string, string | null>>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** Whose model a name stands for. */
export interface Owner {
  provider: string;
  model: string;
}

/** What is known of models: resolved once for each name and kept, so that a lookup is a hash-table access. */
export interface Catalog {
  /** Never fails; what nobody knows is null. A null provider stands for the model's own maker, where its name tells it. */
  lookup(provider: string | null, model: string): ModelFacts;
  /** Names under which the provider's models can be called, without deprecated ones; the configuration's first. */
  models(provider: string): string[];
  /** Whose model a bare name is (`gpt-4o`, `openai/gpt-4o`); null where nobody knows. Configured providers come first. */
  identify(name: string): Owner | null;
}

/** Providers whose lists tell context lengths, for models that another lists without. */
const lists = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'deepseek',
  'x-ai',
  'moonshotai',
  'zai',
  'minimax',
  'cohere',
  'perplexity',
  'aws',
  'azure',
  'openrouter',
  'fireworks',
  'groq',
  'cerebras',
  'novita',
  'ovhcloud',
  'huggingface_together',
  'huggingface_novita',
  'huggingface_nebius',
  'baseten',
  'avian',
  'arcee',
];

/** Spellings of provider names that the price data's own matching misses. */
const providerAliases = new Map([
  ['togetherai', 'together'],
  ['fireworks-ai', 'fireworks'],
  ['fireworks_ai', 'fireworks'],
  ['fireworksai', 'fireworks'],
  ['z-ai', 'zai'],
  ['azure-openai', 'azure'],
  ['minimaxai', 'minimax'],
]);

let contextIndex: ((canonical: string) => number | null) | null = null;
function contextLengthByName(canonical: string): number | null {
  contextIndex ??= indexContextLengths(
    lists.map((providerId) => findProvider({ providerId })?.models ?? []),
  );
  return contextIndex(canonical);
}

/** The longest name that is looked up: what a client typed may be anything. */
const longestName = 200;

function findListed(providerId: string, model: string, at: number): PriceCalculation | null {
  for (const spelling of spellings(model)) {
    // no usage at all: only which entry matches and which of its prices holds now
    const found = calcPrice({}, spelling, { providerId, timestamp: new Date(at) });
    if (found) return found;
  }
  return null;
}

interface Entry {
  readonly facts: ModelFacts;
  /** When a price that depends on the time must be read again. */
  readonly until: number;
}

const quarterHour = 15 * 60 * 1000;

function resolveEntry(
  providerId: string | null,
  model: string,
  override: ModelOverride,
  at: number,
): Entry {
  const listed = providerId === null ? null : findListed(providerId, model, at);
  const name = canonicalName(model);
  const can = capabilitiesOf(name);
  const facts: ModelFacts = {
    ...overridePrices(
      readPrices(listed?.model_price ?? null, providerId === null ? '' : model.toLowerCase()),
      override,
    ),
    contextLength:
      override.contextLength ?? listed?.model.context_window ?? contextLengthByName(name),
    maxOutput: override.maxOutput ?? null,
    tools: override.tools ?? can.tools,
    images: override.images ?? can.images,
    quality: override.quality ?? null,
    latency: override.latency ?? null,
    ability: knownAbility(name),
  };
  // price changes by date or time of day fall on quarter hours, in every time zone
  const until = Array.isArray(listed?.model.prices)
    ? (Math.floor(at / quarterHour) + 1) * quarterHour
    : Infinity;
  return { facts: Object.freeze(facts), until };
}

function splitName(name: string): Owner | null {
  const slash = name.indexOf('/');
  return slash > 0 ? { provider: name.slice(0, slash), model: name.slice(slash + 1) } : null;
}

type PriceIds = ReadonlyMap<string, string | null>;

function priceIdOf(provider: string, configured: PriceIds): string | null {
  const known = configured.get(provider);
  if (known !== undefined) return known;
  const name = provider.toLowerCase();
  return findProvider({ providerId: providerAliases.get(name) ?? name })?.id ?? null;
}

function findOwner(name: string, configured: PriceIds, at: number): Owner | null {
  if (name.length > longestName) return null;
  const parts = splitName(name);
  if (
    parts &&
    (configured.has(parts.provider) ||
      findProvider({ providerId: parts.provider })?.id === parts.provider)
  )
    return parts;
  const maker = findProvider({ modelId: name.toLowerCase() });
  if (!maker || !findListed(maker.id, name, at)) return null;
  const provider = [...configured].find(([, priceId]) => priceId === maker.id)?.[0] ?? maker.id;
  return { provider, model: name };
}

/** Makes a catalogue from the bundled price data and the configuration. Nothing is fetched. */
export function createCatalog({
  overrides = {},
  priceIds = {},
  now = Date.now,
}: CatalogOptions): Catalog {
  const stated = new Map(Object.entries(overrides));
  const configured = new Map(Object.entries(priceIds));
  const entries = new LRUCache<string, Entry>({ max: 4000 });
  const owners = new LRUCache<string, { owner: Owner | null }>({ max: 1000 });

  function identify(name: string): Owner | null {
    let cached = owners.get(name);
    if (!cached) owners.set(name, (cached = { owner: findOwner(name, configured, now()) }));
    return cached.owner;
  }

  function lookup(provider: string | null, model: string): ModelFacts {
    const key = `${provider ?? ''}/${model}`;
    const cached = entries.get(key);
    const at = now();
    if (cached && at < cached.until) return cached.facts;
    const owner = provider === null ? identify(model) : null;
    if (owner) return lookup(owner.provider, owner.model);
    const short = model.length <= longestName;
    const priceId = short && provider !== null ? priceIdOf(provider, configured) : null;
    const entry = resolveEntry(priceId, short ? model : '', stated.get(key) ?? {}, at);
    entries.set(key, entry);
    return entry.facts;
  }

  function models(provider: string): string[] {
    const own = [...stated.keys()]
      .filter((name) => name.startsWith(`${provider}/`))
      .map((name) => name.slice(provider.length + 1));
    const priceId = priceIdOf(provider, configured);
    const listed = priceId === null ? [] : (findProvider({ providerId: priceId })?.models ?? []);
    return [...new Set([...own, ...listedNames(listed)])];
  }

  return { lookup, models, identify };
}
