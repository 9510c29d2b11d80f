import {
  compileSchema,
  readSchema,
  type SchemaFailure,
  type Validator,
} from './schema/compile-schema.js';
import { closestName, closestNames } from './closest.js';
import { fillDefaults } from './fill.js';
import { isLoopback } from './is-loopback.js';
import {
  isApiKey,
  substitute,
  variableOf,
  type Environment,
  type Substituted,
} from './substitute.js';
import type { Config, ConfigInput, FixedKey, ProviderConfig } from './shape.js';

/** What a configuration is checked against, in addition to its schema. */
export interface ParseOptions {
  /** The dialects that a provider's `api` may name. Default: any. */
  readonly knownApis?: readonly string[];
  /** What is missing in a provider's settings, in a few words; null if they suffice. */
  readonly problemOf?: (provider: ProviderConfig) => string | null;
}

/** A problem before its line is known. */
export interface Finding {
  readonly path: readonly string[];
  readonly reason: string;
  readonly inEnvironment?: boolean;
}

type Resolved =
  { readonly config: Omit<Config, 'file'> } | { readonly findings: readonly Finding[] };
type Unset = Substituted['unset'];

const maxFindings = 50;
/** The name of the key that SIGNALBOX_API_KEY gives. */
const environmentKeyName = 'env';

let validator: Validator<ConfigInput> | undefined;

/**
 * Resolves written settings to a configuration: substitutes variables, checks the schema, applies
 * environment variables, checks what a schema cannot express, and fills in defaults. Returns all
 * findings instead of throwing.
 */
export function resolve(
  written: unknown,
  env: Environment,
  { knownApis, problemOf }: ParseOptions = {},
): Resolved {
  const { value, unset, problems } = substitute(written ?? {}, readSchema('config'), env);
  const trimmed = trimKeys(value);
  const leftOut = providersWithoutKey(trimmed);
  validator ??= compileSchema<ConfigInput>('config');
  const findings = [
    ...problems,
    ...unsetFindings(unset, leftOut),
    ...validator.failures(trimmed, maxFindings).map(findingOf),
  ];
  if (findings.length > 0) return { findings: firstOfEachField(findings) };
  const input = withEnvironment(trimmed as ConfigInput, env, findings);
  findings.push(...keyFindings(input.auth?.keys ?? []), ...apiFindings(input, knownApis));
  if (findings.length > 0) return { findings };
  const config = fillDefaults(input, leftOut);
  findings.push(...settingFindings(config, problemOf));
  if (findings.length > 0) return { findings };
  return {
    config: { ...config, warnings: [...leftOutWarnings(leftOut, unset), ...authWarnings(config)] },
  };
}

/** Removes white space around keys: secrets often come from files that end in a line break. */
function trimKeys(value: unknown): unknown {
  if (!isObject(value)) return value;
  const providers = mapValues(value.providers, (provider) =>
    !isObject(provider)
      ? provider
      : {
          ...provider,
          ...(provider.apiKey === undefined ? {} : { apiKey: trim(provider.apiKey) }),
          ...(Array.isArray(provider.apiKeys) ? { apiKeys: provider.apiKeys.map(trim) } : {}),
        },
  );
  const auth =
    isObject(value.auth) && Array.isArray(value.auth.keys)
      ? {
          ...value.auth,
          keys: value.auth.keys.map((entry: unknown) =>
            isObject(entry) && 'key' in entry ? { ...entry, key: trim(entry.key) } : entry,
          ),
        }
      : value.auth;
  return {
    ...value,
    ...(providers === undefined ? {} : { providers }),
    ...(auth === undefined ? {} : { auth }),
  };
}

/**
 * The providers whose keys are all empty, which are skipped. A provider without `apiKey` needs
 * none.
 */
function providersWithoutKey(value: unknown): Set<string> {
  const providers =
    isObject(value) && isObject(value.providers) ? Object.entries(value.providers) : [];
  return new Set(
    providers
      .filter(([, provider]) => isObject(provider) && hasOnlyBlankKeys(provider))
      .map(([name]) => name),
  );
}

function hasOnlyBlankKeys({ apiKey, apiKeys }: Record<string, unknown>): boolean {
  const keys = [
    ...(apiKey === undefined ? [] : [apiKey]),
    ...(Array.isArray(apiKeys) ? (apiKeys as unknown[]) : []),
  ];
  return keys.length > 0 && keys.every((key) => key === '');
}

function unsetFindings(unset: Unset, leftOut: ReadonlySet<string>): Finding[] {
  const wrong = unset.filter(
    ({ path }) => !isApiKey(path) && !(path[0] === 'providers' && leftOut.has(path[1] ?? '')),
  );
  return wrong.map(({ path, variable }) => ({
    path,
    reason:
      path[0] === 'auth' && path[3] === 'key'
        ? `is empty: the variable ${variable} is not set, and an empty key never authenticates`
        : `the variable ${variable} is not set (\${${variable}:-…} would set a default)`,
  }));
}

function findingOf({ path, reason, knownKeys }: SchemaFailure): Finding {
  if (knownKeys === undefined) return { path, reason };
  const key = path.at(-1) ?? '';
  // a typing error can turn a secret into a key (`{ api: openai, sk-… }`), so only names like ours
  // are shown
  if (!/^[A-Za-z][A-Za-z_]{0,31}$/.test(key))
    return { path: path.slice(0, -1), reason: 'has an unknown key' };
  const meant = closestName(key, knownKeys);
  return {
    path,
    reason:
      meant === null
        ? `is not a known key; the known keys are: ${knownKeys.join(', ')}`
        : `is not a known key; did you mean ${meant}?`,
  };
}

function firstOfEachField(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ path }) => {
    const field = JSON.stringify(path);
    return !seen.has(field) && seen.add(field);
  });
}

function withEnvironment(input: ConfigInput, env: Environment, findings: Finding[]): ConfigInput {
  const host = variableOf(env, 'HOST')?.trim();
  const port = variableOf(env, 'PORT')?.trim();
  const dataDir = variableOf(env, 'SIGNALBOX_DATA_DIR');
  const key = variableOf(env, 'SIGNALBOX_API_KEY')?.trim();
  const databaseUrl = variableOf(env, 'SIGNALBOX_DATABASE_URL')?.trim();
  const redisUrl = variableOf(env, 'SIGNALBOX_REDIS_URL')?.trim();
  const refuse = (name: string, reason: string) =>
    findings.push({
      path: [],
      reason: `the environment variable ${name} ${reason}`,
      inEnvironment: true,
    });
  if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > 65_535))
    refuse('PORT', 'must be a whole number between 0 and 65535');
  if (host !== undefined && /[\s/]/.test(host))
    refuse('HOST', 'must be a host name or an IP address');
  if (key !== undefined && !/^[!-~]+$/.test(key))
    refuse('SIGNALBOX_API_KEY', 'must consist of printable ASCII characters without spaces');
  if (databaseUrl !== undefined && !/^(file:.|:memory:$|postgres(ql)?:\/\/.)/i.test(databaseUrl))
    refuse('SIGNALBOX_DATABASE_URL', 'must be file:<path>, :memory: or a postgres:// address');
  if (redisUrl !== undefined && !/^rediss?:\/\/./i.test(redisUrl))
    refuse('SIGNALBOX_REDIS_URL', 'must be a redis:// or rediss:// address');
  const keys = input.auth?.keys ?? [];
  const isKnown = key === undefined || keys.some((entry) => entry.key === key);
  return {
    ...input,
    listen: {
      ...input.listen,
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port: Number(port) }),
    },
    ...(dataDir === undefined ? {} : { dataDir }),
    database: { ...input.database, ...(databaseUrl === undefined ? {} : { url: databaseUrl }) },
    redis: { ...input.redis, ...(redisUrl === undefined ? {} : { url: redisUrl }) },
    auth: { ...input.auth, keys: isKnown ? keys : [...keys, { name: environmentKeyName, key }] },
  };
}

function keyFindings(keys: readonly FixedKey[]): Finding[] {
  return keys.flatMap(({ name, key }, index) => {
    const earlier = keys.slice(0, index);
    const path = ['auth', 'keys', String(index)];
    if (earlier.some((other) => other.key === key))
      return [{ path: [...path, 'key'], reason: 'is the same key as an earlier one' }];
    if (!earlier.some((other) => other.name === name)) return [];
    const reason =
      name === environmentKeyName
        ? 'the name env is taken: it belongs to the key in SIGNALBOX_API_KEY'
        : 'is the same name as an earlier one';
    return [{ path: [...path, 'name'], reason }];
  });
}

function apiFindings(
  { providers = {} }: ConfigInput,
  knownApis: readonly string[] | undefined,
): Finding[] {
  if (knownApis === undefined) return [];
  return Object.entries(providers)
    .filter(([, { api }]) => !knownApis.includes(api))
    .map(([name, { api }]) => {
      const near = closestNames(api, knownApis).slice(0, 3);
      const hint =
        near.length > 0
          ? `did you mean ${near.join(' or ')}?`
          : `the known dialects are: ${knownApis.join(', ')}`;
      return {
        path: ['providers', name, 'api'],
        reason: `is not a known dialect; ${hint}`,
      };
    });
}

function settingFindings(
  { providers }: Pick<Config, 'providers'>,
  problemOf: ParseOptions['problemOf'],
): Finding[] {
  return Object.values(providers).flatMap((provider) => {
    const reason = problemOf?.(provider) ?? null;
    return reason === null ? [] : [{ path: ['providers', provider.name], reason }];
  });
}

function leftOutWarnings(leftOut: ReadonlySet<string>, unset: Unset): string[] {
  return [...leftOut].map((name) => {
    const variables = unset
      .filter(({ path }) => isApiKey(path) && path[1] === name)
      .map(({ variable }) => variable);
    const reason =
      variables.length === 0
        ? 'its API key is empty'
        : `${variables.join(', ')} ${variables.length === 1 ? 'is' : 'are'} not set`;
    return `providers[${name}] is not used: ${reason}`;
  });
}

function authWarnings({ auth, listen }: Pick<Config, 'auth' | 'listen'>): string[] {
  const foreign = auth.keys
    .filter(({ key }) => !key.startsWith('sk_'))
    .map(
      ({ name }) =>
        `auth: the key named ${name} does not begin with sk_; some clients refuse such keys`,
    );
  return auth.required || isLoopback(listen.host)
    ? foreign
    : [
        ...foreign,
        `auth.required is false: everyone who can reach ${listen.host} can use every provider`,
      ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(value: unknown, change: (item: unknown) => unknown): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]))
    : value;
}

function trim(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}
