import type { ProviderConfig } from '../../config/config.js';
import type { ProviderDialect } from '../../providers/adapter.js';
import { readModelTable } from '../../models/model-tables.js';

const table = readModelTable('aliases').providerNames;

/**
 * Finds the configured provider that other gateways call by a name (`google`, `azure`,
 * `together_ai`), or that is the only one of the vendor whose `api` has the name.
 * @returns null for any other name
 */
export function providerNames(
  providers: readonly ProviderConfig[],
  dialects: ReadonlyMap<string, ProviderDialect>,
): (name: string) => string | null {
  return (name) => {
    const vendor = (dialects.get(name)?.env.length ?? 0) > 0 ? [name] : [];
    const apis = Object.hasOwn(table, name) ? (table[name] ?? []) : vendor;
    for (const api of apis) {
      const [first, ...others] = providers.filter((provider) => provider.api === api);
      if (first && others.length === 0) return first.name;
    }
    return null;
  };
}
