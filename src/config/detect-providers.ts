import type { Config, ProviderConfig } from './shape.js';
import { variableOf, type Environment } from './substitute.js';

/** What is needed of a dialect to notice that its provider can be used. */
interface Detectable {
  readonly api: string;
  readonly env: readonly string[];
}

/** The configured providers, and every other whose usual environment variable is set, under the name of its dialect. */
export function detectProviders(config: Config, dialects: ReadonlyMap<string, Detectable>, env: Environment): ProviderConfig[] {
  const configured = Object.values(config.providers);
  const detected: ProviderConfig[] = [];
  for (const { api, env: names } of dialects.values()) {
    const key = names.map((name) => variableOf(env, name)).find((value) => value !== undefined)?.trim();
    // a provider that is configured under another name is the user's own choice of keys
    if (key && !configured.some((provider) => provider.name === api || provider.api === api)) {
      detected.push({ name: api, api, apiKeys: [key], headers: {}, allowProxy: true, timeouts: { connectMs: 10_000, firstEventMs: 300_000, idleMs: 120_000 } });
    }
  }
  return [...configured, ...detected];
}
