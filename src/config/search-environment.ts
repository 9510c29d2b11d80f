import type { Finding } from './findings.js';
import type { WrittenEngine } from './search-config.js';
import type { WrittenConfig } from './shape.js';
import { variableOf, type Environment } from './variable.js';
import { parseUrl } from '../text/parse-url.js';

/** Engines that a variable turns on, and the setting that it gives. */
const variables: readonly (readonly [string, WrittenEngine['type'], 'url' | 'apiKey'])[] = [
  ['SEARXNG_URL', 'searxng', 'url'],
  ['BRAVE_API_KEY', 'brave', 'apiKey'],
  ['TAVILY_API_KEY', 'tavily', 'apiKey'],
  ['EXA_API_KEY', 'exa', 'apiKey'],
  ['SERPER_API_KEY', 'serper', 'apiKey'],
];

/**
 * Adds the search engines whose variables are set, after those that are configured, unless one of
 * the same type is; adds what is wrong with their values to `findings`.
 */
export function withSearchEnvironment(
  input: WrittenConfig,
  env: Environment,
  findings: Finding[],
): WrittenConfig {
  const written = input.search?.engines ?? [];
  const found = variables.flatMap(([name, type, setting]): WrittenEngine[] => {
    const value = variableOf(env, name)?.trim();
    if (value === undefined || written.some((engine) => engine.type === type)) return [];
    const problem = setting === 'url' ? urlProblem(value) : keyProblem(value);
    if (problem === null) return [{ type, [setting]: value }];
    const reason = `the environment variable ${name} ${problem}`;
    findings.push({ path: [], reason, inEnvironment: true });
    return [];
  });
  if (found.length === 0) return input;
  return { ...input, search: { ...input.search, engines: [...written, ...found] } };
}

const urlProblem = (value: string): string | null =>
  /^https?:\/\/[^/?#]/i.test(value) && parseUrl(value)
    ? null
    : 'must be an address that begins with http:// or https://';

const keyProblem = (value: string): string | null =>
  /^[!-~]+$/.test(value) ? null : 'must consist of printable ASCII characters without spaces';
