import type { Cooldown } from '../../dispatch/key-ring.js';
import type { ProviderHealth } from '../../dispatch/provider-health.js';
import { forbiddenReason } from '../../models/access-rules.js';
import type { GatewaySnapshot } from '../../pipeline/engine/snapshot.js';
import type { GatewayState } from '../../pipeline/engine/state.js';
import { parseUrl } from '../../text/parse-url.js';

/** `untried`: this process has not called it, or only for models that it does not have. */
export type ProviderCondition = 'ok' | 'failing' | 'resting' | 'untried';

/** A configured provider, and how it does. */
export interface DescribedProvider {
  readonly name: string;
  /** Its dialect. */
  readonly api: string;
  /** How many models the caller may call, of all types. */
  readonly models: number;
  readonly condition: ProviderCondition;
  /** What only administrators see. */
  readonly details: {
    /** Without what may be secret in it; null: the dialect's own. */
    readonly baseUrl: string | null;
    readonly keys: number;
    readonly cooldowns: readonly Cooldown[];
    /** Null: this process has not called it. */
    readonly health: ProviderHealth | null;
  };
}

/** The configured providers, in the order of the configuration. */
export function describeProviders(
  snapshot: GatewaySnapshot,
  { health }: Pick<GatewayState, 'health'>,
  keyModels: readonly string[] | null,
): DescribedProvider[] {
  const { directory, providerConfigs } = snapshot;
  const { allow, deny } = snapshot.routing;
  directory.refresh();
  return [...snapshot.providers.values()].map(({ name, keys, adapter }) => {
    const config = providerConfigs.get(name);
    const found = health.find(name);
    const cooldowns = keys.cooldowns();
    const isAllowed = (model: string): boolean =>
      forbiddenReason({ provider: name, model }, { allow, deny, keyModels }) === null;
    return {
      name,
      api: config?.api ?? 'unknown',
      models: [...directory.models(name).keys()].filter(isAllowed).length,
      condition: conditionOf(found, cooldowns.length === keys.size),
      details: {
        baseUrl: addressOf(config?.baseUrl ?? adapter.passthrough?.baseUrl ?? null),
        keys: config?.apiKeys.length ?? 0,
        cooldowns,
        health: found,
      },
    };
  });
}

function conditionOf(health: ProviderHealth | null, rests: boolean): ProviderCondition {
  if (rests) return 'resting';
  if (health === null) return 'untried';
  const { lastSuccessAt, lastFailure } = health;
  if (lastFailure !== null && lastFailure.at > (lastSuccessAt ?? 0)) return 'failing';
  // a wrong address also answers 404: only a success says that the provider works
  return lastSuccessAt === null ? 'untried' : 'ok';
}

/** An address without a user's name, password and parameters. */
function addressOf(url: string | null): string | null {
  const parsed = url === null ? null : parseUrl(url);
  if (parsed === null) return null;
  const { protocol, host, pathname } = parsed;
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`;
}
