import type { Config, ProviderConfig } from '../../config/config.js';
import { isLocalHost } from '../../config/local-hosts.js';
import type { PriceSources } from '../../models/catalog.js';
import { parseUrl } from '../../text/parse-url.js';
import type { ProviderDialect } from '../../providers/adapter.js';
import type { TrainingTerms } from '../../chooser/chooser.js';

/** Which list has each provider's prices, and which providers are self-hosted. */
export function priceSourcesOf(
  providers: readonly ProviderConfig[],
  dialects: ReadonlyMap<string, ProviderDialect>,
): PriceSources {
  // by its address, or because its dialect is that of a program that people run themselves
  const isOwn = ({ api, baseUrl }: ProviderConfig): boolean =>
    [baseUrl, dialects.get(api)?.baseUrl].some((url) => {
      const host = parseUrl(url ?? '')?.hostname;
      return host !== undefined && isLocalHost(host);
    });
  return {
    priceIds: Object.fromEntries(
      providers.map(({ name, api }) => [name, dialects.get(api)?.pricesAs ?? null]),
    ),
    selfHosted: providers.filter(isOwn).map(({ name }) => name),
  };
}

/** What training reads from a configuration. */
export const trainingTerms = (
  { models, routing: { tolerance, economy } }: Config,
  sources: PriceSources,
): TrainingTerms => ({ tolerance, economy, overrides: models, ...sources });
