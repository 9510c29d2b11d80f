import { hash } from 'node:crypto';
import type { Config, ProviderConfig } from '../../config/config.js';
import { canList } from '../../dispatch/ask-once.js';
import type { Provider } from '../../dispatch/provider.js';
import type { ListedModel } from '../../providers/adapter.js';
import { modelTypeOf } from '../../providers/model-type.js';
import type { Catalog } from '../../models/catalog.js';
import type { ModelLists } from './model-lists.js';
import { blendedPrice, rateAt, type TokenPrice } from '../../models/model-facts.js';

/** What a directory is made from. */
export interface DirectorySources {
  readonly config: Pick<Config, 'models' | 'routing'>;
  readonly providerConfigs: readonly ProviderConfig[];
  readonly providers: ReadonlyMap<string, Provider>;
  readonly catalog: Catalog;
  readonly lists: ModelLists;
}

interface Served {
  readonly provider: Provider;
  /** Identifies the configuration of the provider's list. */
  readonly source: string;
  readonly listModels: ProviderConfig['listModels'];
  /** The models, as of a revision of the lists; null: not gathered yet. */
  gathered: (Gathered & { readonly revision: number }) | null;
}

interface Gathered {
  readonly models: ReadonlyMap<string, ListedModel>;
  /** Whether neither the provider nor the price data tells what it has. */
  readonly isUnknown: boolean;
}

/**
 * Which models each configured provider can be called with: those that the configuration names,
 * and what the provider itself lists. While its list is not known, those with known prices.
 */
export class ModelDirectory {
  private readonly served: ReadonlyMap<string, Served>;
  private named: readonly string[] | null = null;
  private chosen: { revision: number; labels: readonly string[] } | null = null;

  constructor(private readonly sources: DirectorySources) {
    this.served = new Map(
      sources.providerConfigs.flatMap((config): [string, Served][] => {
        const provider = sources.providers.get(config.name);
        const source = hash('sha256', JSON.stringify(config));
        const { listModels } = config;
        return provider ? [[config.name, { provider, source, listModels, gathered: null }]] : [];
      }),
    );
  }

  /** Asks the providers in the background for lists that are due. */
  refresh(): void {
    for (const { provider, source, listModels } of this.served.values())
      if (listModels === true && canList(provider)) this.sources.lists.refresh(provider, source);
  }

  /** The names of the configured providers. */
  providers(): string[] {
    return [...this.served.keys()];
  }

  /** The provider's models by name, those that the configuration names first. */
  models(provider: string): ReadonlyMap<string, ListedModel> {
    return this.gathered(provider)?.models ?? new Map<string, ListedModel>();
  }

  /** A model of the provider: any name, where nothing tells what the provider has; else null. */
  model(provider: string, name: string): ListedModel | null {
    const known = this.gathered(provider);
    return known?.models.get(name) ?? (known?.isUnknown ? byName(name) : null);
  }

  private gathered(provider: string): Gathered | null {
    const served = this.served.get(provider);
    if (!served) return null;
    const { revision } = this.sources.lists;
    if (served.gathered?.revision !== revision)
      served.gathered = { revision, ...this.gather(provider, served) };
    return served.gathered;
  }

  /** The candidates of `auto`: as configured, else the chat models by `autoCandidates`. */
  auto(): readonly string[] {
    const { config, lists } = this.sources;
    if (config.routing.auto.length > 0) return config.routing.auto.filter(mayAnswer);
    this.named ??= Object.keys(config.models).filter((label) => {
      const slash = label.indexOf('/');
      return this.models(label.slice(0, slash)).get(label.slice(slash + 1))?.type === 'chat';
    });
    if (this.named.length > 0) return this.named;
    this.refresh();
    if (this.chosen?.revision !== lists.revision)
      this.chosen = { revision: lists.revision, labels: this.chooseAuto() };
    return this.chosen.labels;
  }

  private chooseAuto(): readonly string[] {
    const chats = (provider: string): string[] =>
      [...this.models(provider).values()]
        .filter(({ type }) => type === 'chat')
        .map(({ model }) => model);
    return autoCandidates(this.sources.catalog, this.providers(), chats);
  }

  private gather(
    provider: string,
    { source, listModels, provider: { adapter } }: Served,
  ): Gathered {
    const { config, catalog, lists } = this.sources;
    const prefix = `${provider}/`;
    const named = Object.keys(config.models)
      .filter((label) => label.startsWith(prefix))
      .map((label) => label.slice(prefix.length));
    const listed =
      typeof listModels === 'object'
        ? listModels.map(byName)
        : ((listModels ? lists.of(provider, source) : null) ??
          catalog.models(provider).map(byName));
    const models = new Map(named.map((model) => [model, byName(model)]));
    for (const one of listed) models.set(one.model, one);
    for (const one of models.values())
      if (one.type === 'chat' && adapter.elsewhere?.test(one.model))
        models.set(one.model, { ...one, type: 'other' });
    return { models, isUnknown: listed.length === 0 };
  }
}

/** Whether a model or alias may answer a conversation: false if its name tells another type. */
const mayAnswer = (name: string): boolean =>
  !name.includes('/') || ['chat', 'completion', 'other'].includes(modelTypeOf(name));

const byName = (model: string): ListedModel => ({ model, type: modelTypeOf(model) });

/** USD per million tokens, blended: `auto` must not choose one of the most expensive models. */
const maxPrice = 12;
const maxPerProvider = 8;

const rate = (price: TokenPrice | null): number | null =>
  price === null ? null : rateAt(price, 0);

/**
 * The candidates of `model: auto` if the configuration names none: of each provider the eight
 * models with the highest ability among those with a known ability and a price of at most 12 USD
 * per million tokens; of a provider whose prices are not known, the eight with the highest ability.
 * @param chatModels the names of a provider's models that can chat
 */
export const autoCandidates = (
  catalog: Pick<Catalog, 'lookup'>,
  providers: readonly string[],
  chatModels: (provider: string) => readonly string[],
): string[] =>
  providers.flatMap((provider) => {
    const models = chatModels(provider).map((model) => {
      const { ability, inputPrice, outputPrice } = catalog.lookup(provider, model);
      return { model, ability, price: blendedPrice(rate(inputPrice), rate(outputPrice)) };
    });
    const priced = models.filter(
      ({ ability, price }) => ability !== null && price !== null && price > 0 && price <= maxPrice,
    );
    return (priced.length > 0 ? priced : models)
      .sort((a, b) => (b.ability ?? 0) - (a.ability ?? 0))
      .slice(0, maxPerProvider)
      .map(({ model }) => `${provider}/${model}`);
  });
