import { type Environment, withEnvironment } from './environment.js';
import { fillDefaults } from './fill.js';
import {
  aliasFindings,
  alertFindings,
  apiFindings,
  findingOf,
  firstOfEachField,
  isWithin,
  keyFindings,
  type ParseOptions,
  settingFindings,
  unsetFindings,
  withDialect,
} from './findings.js';
import { isLoopback } from './local-hosts.js';
import { type Finding, settingName } from './problem.js';
import { pathsWithoutKey } from './provider-keys.js';
import { searchFindings } from './search-config.js';
import { compileSchema, readSchema, type Validator } from './schema/compile-schema.js';
import type { Config, WrittenConfig } from './shape.js';
import { toolkitFindings } from './toolkit-config.js';
import { isApiKey, substitute, type Substituted } from './substitute.js';

type Unset = Substituted['unset'];

const maxFindings = 50;

let validator: Validator<WrittenConfig> | undefined;

/**
 * Resolves written settings to a configuration: leaves out removed settings, substitutes variables,
 * checks the schema, applies environment variables, checks what a schema cannot express, and fills in
 * defaults.
 * @returns the configuration, or what is wrong with the settings
 */
export function resolve(
  written: unknown,
  env: Environment,
  { knownApis, problemOf }: ParseOptions = {},
): { readonly config: Omit<Config, 'file'> } | { readonly findings: readonly Finding[] } {
  const { kept, warnings } = withoutRemoved(written ?? {});
  const { value, unset, problems } = substitute(kept, readSchema('config'), env);
  const skipped = pathsWithoutKey(value);
  validator ??= compileSchema<WrittenConfig>('config');
  const findings = [
    ...problems,
    ...unsetFindings(unset, skipped),
    ...validator
      .failures(value, maxFindings)
      .map((failure) => withDialect(findingOf(failure), knownApis)),
  ];
  if (findings.length > 0) return { findings: firstOfEachField(findings) };
  const input = withEnvironment(value as WrittenConfig, env, findings);
  findings.push(
    ...keyFindings(input.auth?.keys ?? []),
    ...apiFindings(input, knownApis),
    ...aliasFindings(input),
    ...alertFindings(input),
    ...searchFindings(input),
    ...toolkitFindings(input),
  );
  if (findings.length > 0) return { findings };
  const config = fillDefaults(input);
  findings.push(...settingFindings(config, problemOf));
  if (findings.length > 0) return { findings };
  return {
    config: {
      ...config,
      warnings: [...warnings, ...unusedWarnings(skipped, unset), ...authWarnings(config)],
    },
  };
}

const unusedWarnings = (skipped: readonly (readonly string[])[], unset: Unset): string[] =>
  skipped.map((start) => {
    const variables = unset
      .filter(({ path }) => isApiKey(path) && isWithin(path, start))
      .map(({ variable }) => variable);
    const reason =
      variables.length === 0
        ? 'its API key is empty'
        : `${variables.join(', ')} ${variables.length === 1 ? 'is' : 'are'} not set`;
    return `${settingName(start)} is not used: ${reason}`;
  });

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

/**
 * Settings of earlier versions that are ignored with a warning, by path (`section.setting`, or the
 * name of a whole section), each with a sentence that says what applies instead.
 */
const removedSettings: Readonly<Record<string, string>> = {
  learning:
    'the gateway learns from ratings and outcomes only, and `routing.learning` switches that',
};

/** A copy of written settings without those that are gone, and a warning for each of them. */
export function withoutRemoved(
  written: unknown,
  removed: Readonly<Record<string, string>> = removedSettings,
): { readonly kept: unknown; readonly warnings: readonly string[] } {
  let kept = written;
  const warnings: string[] = [];
  for (const [setting, sentence] of Object.entries(removed)) {
    const path = setting.split('.');
    const changed = without(kept, path);
    if (changed === kept) continue;
    kept = changed;
    warnings.push(`${settingName(path)} is ignored: ${sentence}`);
  }
  return { kept, warnings };
}

function without(value: unknown, [key = '', ...rest]: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return value;
  const { [key]: inner, ...others } = value as Record<string, unknown>;
  if (rest.length === 0) return others;
  const changed = without(inner, rest);
  return changed === inner ? value : { ...value, [key]: changed };
}
