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
 * per million tokens; of a provider whose prices are not known, the eight with the highest ability.
 * @param chatModels the names of a provider's models that can chat
 */
export function autoCandidates(
  catalog: Pick<Catalog, 'lookup'>,
  providers: readonly string[],
  chatModels: (provider: string) => readonly string[],
): string[] {
  return providers.flatMap((provider) => {
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
}
