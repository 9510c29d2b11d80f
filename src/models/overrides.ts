import { effortInName, modelIdentity } from './model-identity.js';
import type { ModelOverride } from './model-facts.js';

const nothing: ModelOverride = {};

/** The configuration's overrides of models, by `<provider>/<model>`. */
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

  /** The labels of models that have an override. */
  get names(): IterableIterator<string> {
    return this.byOffer.keys();
  }

  has(offer: string): boolean {
    return this.byOffer.has(offer);
  }

  /**
   * The override of an offer. An ability belongs to a product, as measured ones do, so it applies
   * to all of the provider's names for it (`claude-haiku-4-5-20251001`); all else to one name.
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
