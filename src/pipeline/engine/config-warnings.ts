import { knownModels } from '../../chooser/chooser.js';
import { closestName } from '../../config/closest.js';
import type { Config, ProviderConfig } from '../../config/config.js';
import { settingName } from '../../config/problem.js';
import type { ProviderDialect } from '../../providers/adapter.js';
import { providerNames } from './build-snapshot.js';

/** Warnings for models whose `ability` names an unknown model. They do not repeat that name. */
export function abilityWarnings({ models }: Pick<Config, 'models'>, at: number): string[] {
  const known = knownModels(at);
  return Object.entries(models).flatMap(([label, { ability }]) => {
    if (typeof ability !== 'string' || known.has(ability)) return [];
    // longest first: a mere prefix of the name is as near as a name with one wrong letter
    const longestFirst = [...known.names].sort((a, b) => b.length - a.length);
    const meant = closestName(ability.slice(ability.lastIndexOf('/') + 1), longestFirst);
    const hint = meant === null ? '' : `; did you mean ${meant}?`;
    return [
      `${settingName(['models', label, 'ability'])} names a model that no table has, so it is judged by that name's family if it is known, else as if nothing were stated${hint}`,
    ];
  });
}

/**
 * Warnings for aliases whose targets name a provider that is not configured. The target itself is
 * not repeated: it may be a key that was put there by mistake.
 */
export function aliasWarnings(
  aliases: Config['aliases'],
  providers: readonly ProviderConfig[],
  dialects: ReadonlyMap<string, ProviderDialect>,
): string[] {
  const names = providers.map(({ name }) => name);
  const otherName = providerNames(providers, dialects);
  return Object.entries(aliases).flatMap(([alias, targets]) =>
    targets.flatMap((target, place) => {
      const named = target.includes('/') ? target.slice(0, target.indexOf('/')) : '*';
      if (named.includes('*') || names.includes(named) || otherName(named) !== null) return [];
      const meant = closestName(named, [...names, ...dialects.keys()]);
      const path = ['aliases', alias, ...(targets.length > 1 ? [String(place)] : [])];
      const hint = meant === null || meant === named ? '' : `; did you mean ${meant}?`;
      return [`${settingName(path)} names a provider that is not configured${hint}`];
    }),
  );
}

/** Warnings for providers that need a key and have none: they would refuse each call. */
export function keylessProviders(
  providers: readonly ProviderConfig[],
  dialects: ReadonlyMap<string, ProviderDialect>,
): string[] {
  const keyless = providers.filter(
    ({ api, apiKeys, baseUrl }) =>
      dialects.get(api)?.needsKey && apiKeys.length === 0 && baseUrl === undefined,
  );
  return keyless.map(
    ({ name, api }) => `providers.${name}: ${api} needs an API key and none is configured`,
  );
}
