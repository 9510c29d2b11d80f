import type { Catalog } from './catalog.js';
import { blendedPrice, rateAt, type TokenPrice } from './model-facts.js';

/** USD per million tokens, blended: what nobody asked for by name should not be among the maxPrice. */
const maxPrice = 12;
const maxPerProvider = 8;

const rate = (price: TokenPrice | null): number | null =>
  price === null ? null : rateAt(price, 0);

/**
 * The candidates of `model: auto` where the configuration names none: for each provider its eight ablest models of which ability and
 * price are known, none dearer than 12 USD per million tokens; of the models of a provider without prices, all.
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
