import type { ParseOptions } from './resolve.js';
import { fillProvider } from './fill.js';
import type { Config, ProviderConfig } from './shape.js';
import { variableOf, type Environment } from './substitute.js';

/** What is needed of a dialect to notice that its provider can be used. */
interface Detectable {
  readonly api: string;
  readonly env: readonly string[];
}

/** The providers that there are. */
export interface DetectedProviders {
  readonly providers: readonly ProviderConfig[];
  /** One line for each whose variable is set but which needs more than that. */
  readonly warnings: readonly string[];
}

/**
 * The configured providers, and every other whose usual environment variable is set, under the name of its dialect. A variable that
 * happens to stand in the environment is no reason not to start: a provider for which it does not suffice is left out.
 */
export function detectProviders(
  config: Config,
  dialects: ReadonlyMap<string, Detectable>,
  env: Environment,
  { problemOf }: ParseOptions = {},
): DetectedProviders {
  const configured = Object.values(config.providers);
  const providers = [...configured];
  const warnings: string[] = [];
  for (const { api, env: names } of dialects.values()) {
    const variable = names.find((name) => variableOf(env, name) !== undefined);
    // a provider that is configured under another name is the user's own choice of keys
    if (
      variable === undefined ||
      configured.some((provider) => provider.name === api || provider.api === api)
    )
      continue;
    const provider = fillProvider(api, { api, apiKey: variableOf(env, variable)!.trim() });
    const problem = problemOf?.(provider) ?? null;
    if (problem === null) providers.push(provider);
    else warnings.push(`${variable} is set, but ${api} is left out: ${problem}`);
  }
  return { providers, warnings };
}
