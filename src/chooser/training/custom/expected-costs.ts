import { createCatalog } from '../../../models/catalog.js';
import { costOf } from '../../../models/cost.js';
import type { Prices } from '../../../models/model-facts.js';
import type { TrainingTerms } from '../terms.js';

/** The prices of models as routing knows them, by the names that evaluations give them. */
export function pricesOf(
  models: readonly string[],
  { overrides, priceIds }: Pick<TrainingTerms, 'overrides' | 'priceIds'>,
): Prices[] {
  const catalog = createCatalog({ overrides, priceIds });
  return models.map((model) => {
    const owner = catalog.identify(model);
    return catalog.lookup(owner?.provider ?? null, owner?.model ?? model);
  });
}

/** Expected USD for a prompt and an answer of so many tokens; NaN if the price is not known. */
export function expectedCost(
  prices: Prices,
  promptTokens: number,
  completionTokens: number,
): number {
  const usage = { promptTokens, completionTokens, cachedTokens: 0, estimated: true };
  return (
    costOf({ ...usage, cacheWriteTokens: 0, reasoningTokens: 0 }, prices).total_tokens_cost ?? NaN
  );
}
