import type { Config, ProviderConfig } from '../../config/config.js';
import type { ProviderDialect } from '../../providers/adapter.js';
import type { TrainingTerms } from '../../chooser/chooser.js';

/** Which list has each provider's prices. */
export function priceIdsOf(
  providers: readonly ProviderConfig[],
  dialects: ReadonlyMap<string, ProviderDialect>,
): Record<string, string | null> {
  return Object.fromEntries(
    providers.map(({ name, api }) => [name, dialects.get(api)?.pricesAs ?? null]),
  );
}

/** What a training takes from a configuration. */
export function trainingTerms(
  { models, routing: { tolerance } }: Config,
  priceIds: TrainingTerms['priceIds'],
): TrainingTerms {
  return { tolerance, overrides: models, priceIds };
}
