import { readFileSync } from 'node:fs';
import { present } from '../text/is-object.js';
import { parseUrl } from '../text/parse-url.js';
import { type ConfigError, type Finding, wholeError } from './problem.js';
import type { WrittenEngine } from './search-config.js';
import type { WrittenConfig } from './shape.js';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The name of the key that SIGNALBOX_API_KEY gives. */
export const environmentKeyName = 'env';

type Check = readonly [isValid: (value: string) => boolean, reason: string];

const printable: Check = [
  (value) => /^[!-~]+$/.test(value),
  'must consist of printable ASCII characters without spaces',
];
const checks: Readonly<Record<string, Check>> = {
  PORT: [
    (value) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535,
    'must be a whole number between 0 and 65535',
  ],
  HOST: [(value) => !/[\s/]/.test(value), 'must be a host name or an IP address'],
  SIGNALBOX_DATABASE_URL: [
    (value) => /^(file:.|:memory:$|postgres(ql)?:\/\/.)/i.test(value),
    'must be file:<path>, :memory: or a postgres:// address',
  ],
  SIGNALBOX_REDIS_URL: [
    (value) => /^rediss?:\/\/./i.test(value),
    'must be a redis:// or rediss:// address',
  ],
  SEARXNG_URL: [
    (value) => /^https?:\/\/[^/?#]/i.test(value) && parseUrl(value) !== null,
    'must be an address that begins with http:// or https://',
  ],
};

/** Engines that a variable turns on, and the setting that it gives. */
const engineVariables: readonly (readonly [string, WrittenEngine['type'], 'url' | 'apiKey'])[] = [
  ['SEARXNG_URL', 'searxng', 'url'],
  ['BRAVE_API_KEY', 'brave', 'apiKey'],
  ['TAVILY_API_KEY', 'tavily', 'apiKey'],
  ['EXA_API_KEY', 'exa', 'apiKey'],
  ['SERPER_API_KEY', 'serper', 'apiKey'],
];

/**
 * Applies the environment variables that override settings, and adds the search engines whose
 * variables are set, after those that are configured, unless one of the same type is. Adds what is
 * wrong with their values to `findings`.
 */
export function withEnvironment(
  input: WrittenConfig,
  env: Environment,
  findings: Finding[],
): WrittenConfig {
  const valueOf = (name: string): string | undefined => {
    const value = variableOf(env, name)?.trim();
    const [isValid, problem] = checks[name] ?? printable;
    if (value === undefined || isValid(value)) return value;
    const reason = `the environment variable ${name} ${problem}`;
    findings.push({ path: [], reason, inEnvironment: true });
    return undefined;
  };
  const port = valueOf('PORT');
  const host = valueOf('HOST');
  const dataDir = variableOf(env, 'SIGNALBOX_DATA_DIR');
  const key = valueOf('SIGNALBOX_API_KEY');
  const databaseUrl = valueOf('SIGNALBOX_DATABASE_URL');
  const redisUrl = valueOf('SIGNALBOX_REDIS_URL');
  const keys = input.auth?.keys ?? [];
  const isKnown = key === undefined || keys.some((entry) => entry.key === key);
  const engines = input.search?.engines ?? [];
  const found = engineVariables
    .filter(([, type]) => engines.every((engine) => engine.type !== type))
    .map(([name, type, setting]) => ({ type, [setting]: valueOf(name) }))
    .filter((engine) => engine.url ?? engine.apiKey);
  return {
    ...input,
    ...present({ dataDir }),
    listen: {
      ...input.listen,
      ...present({ host }),
      ...(port === undefined ? {} : { port: Number(port) }),
    },
    database: { ...input.database, ...present({ url: databaseUrl }) },
    redis: { ...input.redis, ...present({ url: redisUrl }) },
    auth: { ...input.auth, keys: isKnown ? keys : [...keys, { name: environmentKeyName, key }] },
    search: { ...input.search, engines: [...engines, ...found] },
  };
}

/**
 * An environment variable's value, or the text of the file that `<name>_FILE` names, as Docker and
 * systemd pass secrets. A value that is set but blank counts as unset; the variable itself wins.
 * @throws ConfigError if the file cannot be read or is empty
 */
export function variableOf(env: Environment, name: string): string | undefined {
  const value = nonBlank(env, name);
  if (value !== undefined) return value;
  const file = nonBlank(env, `${name}_FILE`);
  return file === undefined ? undefined : readSecret(`${name}_FILE`, file.trim());
}

function nonBlank(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === undefined || value.trim() === '' ? undefined : value;
}

function readSecret(name: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw refused(name, `names a file that cannot be read: ${(error as Error).message}`);
  }
  if (text === '') throw refused(name, 'names an empty file');
  return text;
}

const refused = (name: string, reason: string): ConfigError =>
  wholeError(null, `the environment variable ${name} ${reason}`);
