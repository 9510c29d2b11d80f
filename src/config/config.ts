import { existsSync } from 'node:fs';
import { packageFile } from '../package-files.js';
import { ConfigError, wholeError } from './problem.js';
import { readYaml } from './read-yaml.js';
import type { ParseOptions } from './findings.js';
import { resolve } from './resolve.js';
import { variableOf, type Environment } from './environment.js';
import { readConfigFile, watchFile, type ConfigWatch, type WatchReports } from './watch.js';
import type { Config, WrittenConfig } from './shape.js';

export { ConfigError } from './problem.js';
export type { ParseOptions } from './findings.js';
export type { ConfigWatch } from './watch.js';
export type { ConfigInput, ModelInput, ProviderInput } from './config-input.js';
export type {
  Config,
  Listener,
  ListenerSurface,
  ProviderConfig,
  WrittenConfig,
  WrittenProvider,
} from './shape.js';

/** Which configuration to load. */
export interface LoadOptions extends ParseOptions {
  /** The file (`--config`). Default: as `configPath` finds it. */
  readonly path?: string;
  /** Default `process.env`. A variable that is set but blank counts as unset. */
  readonly env?: Environment;
}

/** The file: the given path, else SIGNALBOX_CONFIG, ./config/signalbox.yaml, the package's own. */
export function configPath(path: string | undefined, env: Environment = process.env): string {
  const chosen = path ?? variableOf(env, 'SIGNALBOX_CONFIG');
  if (chosen !== undefined) return chosen;
  const local = 'config/signalbox.yaml';
  return existsSync(local) ? local : packageFile(local);
}

/**
 * Reads and checks the configuration file.
 * @throws ConfigError whose message has a line for each of up to five problems: file, line, field,
 * reason
 */
export function loadConfig(options: LoadOptions = {}): Config {
  const env = options.env ?? process.env;
  const file = configPath(options.path, env);
  return parseConfig(readConfigFile(file), file, env, options);
}

/** Checks the text of a configuration file; `file` is its name in messages. @throws ConfigError */
export function parseConfig(
  text: string,
  file: string,
  env: Environment = process.env,
  options: ParseOptions = {},
): Config {
  const { value, lineOf } = readYaml(text, file);
  return checked(file, value, env, options, lineOf);
}

/**
 * Checks a configuration given as an object by the same rules as a file, including variables.
 * @throws ConfigError
 */
export function resolveConfig(
  input: WrittenConfig | null | undefined,
  env: Environment = process.env,
  options: ParseOptions = {},
): Config {
  // a file may be empty, but null stands for what its giver could not find
  if (input === null) throw wholeError(null, 'must be an object');
  return checked(null, input, env, options, () => null);
}

/**
 * Watches a configuration file: a valid new content is given to `onConfig`, the error of an invalid
 * one to `onError`. Neither is called for the content at the start.
 */
export const watchConfig = (
  path: string,
  env: Environment,
  onConfig: WatchReports['onConfig'],
  onError: WatchReports['onError'],
  { debounceMs = 100, ...options }: ParseOptions & { readonly debounceMs?: number } = {},
): ConfigWatch =>
  watchFile(path, (text) => parseConfig(notEmpty(text, path), path, env, options), {
    onConfig,
    onError,
    debounceMs,
  });

/**
 * The text of a changed file. At a start an empty file means the defaults; while a gateway runs it
 * would take all keys and providers away, and is more likely a file that is just being written.
 * @throws ConfigError
 */
function notEmpty(text: string, path: string): string {
  const hasSettings = /^\s*[^\s#]/m.test(text);
  if (hasSettings) return text;
  throw wholeError(path, 'is empty; write {} to use the defaults');
}

function checked(
  file: string | null,
  written: unknown,
  env: Environment,
  options: ParseOptions,
  lineOf: (path: readonly string[]) => number | null,
): Config {
  const resolved = resolve(written, env, options);
  if ('config' in resolved) return { file, ...resolved.config };
  const problems = resolved.findings.map((finding) => ({
    ...finding,
    line: finding.inEnvironment ? null : lineOf(finding.path),
  }));
  throw new ConfigError(
    file,
    problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
  );
}
