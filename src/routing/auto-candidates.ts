import type { Catalog } from './catalog.js';
import { blendedPrice, rateAt, type TokenPrice } from './model-facts.js';

/** USD per million tokens, blended: `auto` must not choose one of the most expensive models. */
const maxPrice = 12;
const maxPerProvider = 8;

const rate = (price: TokenPrice | null): number | null =>
  price === null ? null : rateAt(price, 0);

/**
 * The candidates of `model: auto` if the configuration names none: of each provider the eight
 * models with the highest ability among those with a known ability and a price of at most 12 USD
 * per million tokens; all models of a provider whose prices are not known.
 */
export function autoCandidates(catalog: Catalog, providers: readonly string[]): string[] {
  return providers.flatMap((provider) => {
    const models = catalog
      .models(provider)
      .map((model) => ({ model, facts: catalog.lookup(provider, model) }));
    const priced = models.flatMap(({ model, facts: { ability, inputPrice, outputPrice } }) => {
      const price = blendedPrice(rate(inputPrice), rate(outputPrice));
      return ability !== null && price !== null && price > 0 && price <= maxPrice
        ? [{ model, ability }]
        : [];
    });
    const chosen =
      priced.length > 0
        ? priced.sort((a, b) => b.ability - a.ability).slice(0, maxPerProvider)
        : models;
    return chosen.map(({ model }) => `${provider}/${model}`);
  });
}
