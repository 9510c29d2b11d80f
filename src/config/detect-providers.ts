import type { ParseOptions } from './findings.js';
import { fillProvider } from './fill.js';
import type { Config, ProviderConfig } from './shape.js';
import { variableOf, type Environment } from './environment.js';

/** The usable providers. */
export interface DetectedProviders {
  readonly providers: readonly ProviderConfig[];
  /** One line for each provider whose variable is set but that needs further settings. */
  readonly warnings: readonly string[];
}

/**
 * The configured providers, and those whose API key is in its usual environment variable, under the
 * name of their dialect. A detected provider that needs further settings is skipped with a warning,
 * so that a stray variable does not prevent the start.
 */
export function detectProviders(
  config: Config,
  dialects: ReadonlyMap<string, { readonly api: string; readonly env: readonly string[] }>,
  env: Environment,
  { problemOf }: ParseOptions = {},
): DetectedProviders {
  const configured = Object.values(config.providers);
  const providers = [...configured];
  const warnings: string[] = [];
  for (const { api, env: names } of dialects.values()) {
    const variable = names.find((name) => variableOf(env, name) !== undefined);
    // if the dialect is configured, under any name, the configuration decides which keys are used
    if (
      variable === undefined ||
      configured.some((provider) => provider.name === api || provider.api === api)
    )
      continue;
    const provider = fillProvider(api, { api, apiKey: variableOf(env, variable)!.trim() });
    const problem = problemOf?.(provider) ?? null;
    if (problem === null) providers.push(provider);
    else warnings.push(`${variable} is set, but the provider ${api} is not used: ${problem}`);
  }
  return { providers, warnings };
}
