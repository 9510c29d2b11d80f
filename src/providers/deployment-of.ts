import type { ModelCall, ProviderSettings } from './adapter.js';

/**
 * What the configuration has the provider call a model; undefined: its own name. Clients choose the
 * names that are looked up, so members that every object inherits are no entries.
 */
export const deploymentOf = (
  { deployments }: Pick<ProviderSettings, 'deployments'>,
  model: string,
): string | undefined =>
  deployments && Object.hasOwn(deployments, model) ? deployments[model] : undefined;

/** A call under the name that the provider has for its model. */
export function deployed(
  settings: Pick<ProviderSettings, 'deployments'>,
  call: ModelCall,
): ModelCall {
  const model = deploymentOf(settings, call.model);
  return model === undefined ? call : { ...call, model };
}
