import type { Finding } from './problem.js';
import { type JsonSchema, readSchema, type SchemaFailure } from './schema/compile-schema.js';
import { isObject } from '../text/is-object.js';
import { closestName, closestNames } from './closest.js';
import { environmentKeyName } from './environment.js';
import { aliasTargets } from './fill.js';
import type { Config, ProviderConfig, WrittenConfig } from './shape.js';
import { isApiKey, isFixedKey, type Substituted } from './substitute.js';

/** What a configuration is checked against, in addition to its schema. */
export interface ParseOptions {
  /** The dialects that a provider's `api` may name. Default: any. */
  readonly knownApis?: readonly string[];
  /** What is missing in a provider's settings, in a few words; null if they suffice. */
  readonly problemOf?: (provider: ProviderConfig) => string | null;
}

/** Variables without a value, except of skipped providers and engines, by their paths. */
export function unsetFindings(
  unset: Substituted['unset'],
  skipped: readonly (readonly string[])[],
): Finding[] {
  const wrong = unset.filter(
    ({ path }) => !isApiKey(path) && !skipped.some((start) => isWithin(path, start)),
  );
  return wrong.map(({ path, variable }) => ({
    path,
    reason: isFixedKey(path)
      ? `is empty: the variable ${variable} is not set, and an empty key never authenticates`
      : `the variable ${variable} is not set (\${${variable}:-…} would set a default)`,
  }));
}

/** Whether a path leads through another one. */
export const isWithin = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((part, index) => path[index] === part);

/** A violation of the schema, with the closest known key for an unknown one. */
export function findingOf({ path, reason, knownKeys }: SchemaFailure): Finding {
  if (knownKeys === undefined) return { path, reason };
  const key = path.at(-1) ?? '';
  // a typing error can turn a secret into a key (`{ api: openai, sk-… }`), so only names like ours
  // are shown
  if (!/^[A-Za-z][A-Za-z_]{0,31}$/.test(key))
    return { path: path.slice(0, -1), reason: 'has an unknown key' };
  const meant = (path.length === 1 && pathInSection(key)) || closestName(key, knownKeys);
  return {
    path,
    reason:
      meant === null
        ? `is not a known key; the known keys are: ${knownKeys.join(', ')}`
        : `is not a known key; did you mean ${meant}?`,
  };
}

/** The path of a key that exactly one section has, such as `listen.port` for `port`; else null. */
function pathInSection(key: string): string | null {
  const sections = Object.entries(readSchema('config').properties as Record<string, JsonSchema>);
  const owners = sections.filter(
    ([, { properties }]) => isObject(properties) && Object.hasOwn(properties, key),
  );
  return owners.length === 1 ? `${owners[0]![0]}.${key}` : null;
}

/** One finding for each field: later ones often follow from the first. */
export function firstOfEachField(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ path }) => {
    const field = JSON.stringify(path);
    return !seen.has(field) && seen.add(field);
  });
}

/** Fixed keys that share a name or a key with an earlier one. */
export const keyFindings = (keys: Config['auth']['keys']): Finding[] =>
  keys.flatMap(({ name, key }, index) => {
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

/** Addresses that alerts are to be mailed to, without a mail server. */
export const alertFindings = ({ alerts, mail }: WrittenConfig): Finding[] =>
  alerts?.mail?.length && !mail
    ? [{ path: ['alerts', 'mail'], reason: 'needs the section mail, which names the mail server' }]
    : [];

/** The same finding; for a provider without `api`, with the dialect that is probably meant. */
export function withDialect(finding: Finding, knownApis: readonly string[] = []): Finding {
  const { path, reason } = finding;
  const [section, name = '', field, ...more] = path;
  if (section !== 'providers' || field !== 'api' || more.length > 0 || reason !== 'is required')
    return finding;
  const hint = knownApis.includes(name)
    ? `did you mean api: ${name}?`
    : 'for a server that speaks as OpenAI does, api: openai-compatible';
  return { path, reason: `${reason}; ${hint}` };
}

/** Providers with an unknown `api`. */
export function apiFindings(
  { providers = {} }: WrittenConfig,
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
      return { path: ['providers', name, 'api'], reason: `is not a known dialect; ${hint}` };
    });
}

/** Providers whose settings do not suffice for their dialect. */
export const settingFindings = (
  { providers }: Pick<Config, 'providers'>,
  problemOf: ParseOptions['problemOf'],
): Finding[] =>
  Object.values(providers).flatMap((provider) => {
    const reason = problemOf?.(provider) ?? null;
    return reason === null ? [] : [{ path: ['providers', provider.name], reason }];
  });

/**
 * Aliases whose targets are neither labels nor other aliases, that stand for themselves, or whose
 * wildcards do not match those of their targets.
 */
export function aliasFindings({ aliases = {} }: WrittenConfig): Finding[] {
  const all = aliasTargets(aliases);
  return Object.entries(all).flatMap(([name, targets]) => {
    const reason =
      firstProblem(name, targets, all) ?? (isCircular(name, all) ? 'stands for itself' : null);
    return reason === null ? [] : [{ path: ['aliases', name], reason }];
  });
}

/** Names the target by its place in the file: its text may be a key that was put there by mistake. */
function firstProblem(
  name: string,
  targets: readonly string[],
  all: Readonly<Record<string, readonly string[]>>,
): string | null {
  const problems = targets.map((target) => {
    if (target.split('*').length > 2) return 'may have one * at most';
    if (target.includes('*') && !name.includes('*'))
      return 'has a *, but the alias itself has none';
    if (/^[^/]+\/./.test(target)) return null;
    if (target.includes('*')) return 'must have the form <provider>/<model>';
    return Object.hasOwn(all, target)
      ? null
      : 'must have the form <provider>/<model>, or be another alias';
  });
  const place = problems.findIndex((problem) => problem !== null);
  if (place < 0) return null;
  return `${targets.length > 1 ? `target ${place + 1}` : 'the target'} ${problems[place]}`;
}

/** Whether following the targets without a slash comes back to the name. */
function isCircular(name: string, all: Readonly<Record<string, readonly string[]>>): boolean {
  const seen = new Set<string>();
  const queue = [...(all[name] ?? [])];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (next === name) return true;
    if (seen.has(next) || next.includes('/')) continue;
    seen.add(next);
    queue.push(...(all[next] ?? []));
  }
  return false;
}
