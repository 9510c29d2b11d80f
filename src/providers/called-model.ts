import type { ModelCall, ProviderSettings } from './adapter.js';
import { unsupported } from './failure.js';

/**
 * What the configuration has the provider call a model; undefined: its own name. Clients choose the
 * names that are looked up, so members that every object inherits are no entries.
 */
export const deploymentOf = (
  { deployments }: Pick<ProviderSettings, 'deployments'>,
  model: string,
): string | undefined =>
  deployments && Object.hasOwn(deployments, model) ? deployments[model] : undefined;

/** A model's names: ours, and the provider's where the configuration has one. */
export function namesOf(settings: Pick<ProviderSettings, 'deployments'>, model: string): string[] {
  const name = deploymentOf(settings, model);
  return name === undefined ? [model] : [model, name];
}

/** A call under the name that the provider has for its model. */
export function deployed(
  settings: Pick<ProviderSettings, 'deployments'>,
  call: ModelCall,
): ModelCall {
  const model = deploymentOf(settings, call.model);
  return model === undefined ? call : { ...call, model };
}

/** `separate`: slashes stay; `encoded`: they become `%2F`; `refused`: the name has none. */
type Slashes = 'separate' | 'encoded' | 'refused';

/**
 * A model's name as part of a URL's path. Every dialect with the model in its path uses it.
 * @throws GatewayError `request_refused` for a name that could lead to another path
 */
export function modelPath(model: string, provider: string, slashes: Slashes = 'separate'): string {
  // servers may decode a segment before they read the path, and take a backslash for a slash
  const segments = model.split(/[/\\]/);
  const isHostile = segments.some((segment) => /^\.*$|[\p{Cc}\p{Surrogate}]/u.test(segment));
  if (isHostile || (slashes === 'refused' && segments.length > 1))
    throw unsupported(provider, 'a model of this name', 'model');
  return slashes === 'separate'
    ? model.split('/').map(encodeURIComponent).join('/')
    : encodeURIComponent(model);
}
