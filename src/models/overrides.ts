import { effortInName, modelIdentity } from './model-identity.js';
import type { ModelOverride } from './model-facts.js';

const nothing: ModelOverride = {};

/** What the configuration states of models, by `<provider>/<model>`. */
export class Overrides {
  private readonly byOffer: ReadonlyMap<string, ModelOverride>;
  /** Abilities by provider and product; null where a provider's product has several. */
  private readonly abilities = new Map<string, string | number | null>();

  constructor(overrides: Readonly<Record<string, ModelOverride>>) {
    this.byOffer = new Map(Object.entries(overrides));
    for (const [offer, { ability = null }] of this.byOffer) {
      const product = productOf(offer);
      if (ability !== null)
        this.abilities.set(product, this.abilities.has(product) ? null : ability);
    }
  }

  /** The names of models of which something is stated. */
  get names(): IterableIterator<string> {
    return this.byOffer.keys();
  }

  has(offer: string): boolean {
    return this.byOffer.has(offer);
  }

  /**
   * What is stated of an offer. An ability is of a product, as measured ones are, so it counts under
   * all of the provider's names for that (`claude-haiku-4-5-20251001`); all else is of one name.
   */
  of(offer: string): ModelOverride {
    const own = this.byOffer.get(offer) ?? nothing;
    if (this.abilities.size === 0 || (own.ability ?? null) !== null) return own;
    const ability = this.abilities.get(productOf(offer)) ?? null;
    return ability === null ? own : { ...own, ability };
  }
}

/** The key of a provider's product, at the effort that the name demands. */
function productOf(offer: string): string {
  const slash = offer.indexOf('/');
  const model = offer.slice(slash + 1);
  return `${offer.slice(0, slash)}/${modelIdentity(model)}/${effortInName(model) ?? ''}`;
}
