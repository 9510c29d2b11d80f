import { canonicalName, refusableNames, withoutResource } from './model-name.js';
import { NameCache } from './name-cache.js';

type Matcher = (lowerCaseName: string) => boolean;

function compileGlob(pattern: string): Matcher {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const piece of rest) {
      const found = name.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return name.length - at >= last.length && name.endsWith(last);
  };
}

/**
 * Whether a text matches a pattern in which `*` matches any characters, slashes included. Ignores
 * case. Takes time linear in the text's length, so that no name sent by a client can make it slow.
 */
export const matchesGlob = (pattern: string, text: string): boolean =>
  compileGlob(pattern)(text.toLowerCase());

const compiled = new WeakMap<readonly string[], Matcher[]>();

function matchesAny(patterns: readonly string[], name: string): boolean {
  let matchers = compiled.get(patterns);
  if (!matchers) compiled.set(patterns, (matchers = patterns.map(compileGlob)));
  return matchers.some((matches) => matches(name));
}

const compiledDenials = new WeakMap<readonly string[], Matcher[]>();
const namesOf = new NameCache<readonly string[]>(4_000);
const maxCachedLength = 200;

/** Whether a pattern matches any name of the model, so that no other spelling evades a rule. */
function isDenied(patterns: readonly string[], written: string): boolean {
  let matchers = compiledDenials.get(patterns);
  if (!matchers) {
    matchers = patterns.flatMap(patternForms).map(compileGlob);
    compiledDenials.set(patterns, matchers);
  }
  let names = namesOf.get(written);
  if (!names) {
    const { provider, model } = split(written);
    names = refusableNames(model).map((name) => provider + name);
    if (written.length <= maxCachedLength) namesOf.set(written, names);
  }
  return names.some((name) => matchers.some((matches) => matches(name)));
}

/** A pattern as written, and for canonical names. A variant (`:free`) matches only as written. */
function patternForms(pattern: string): string[] {
  const { provider, model: written } = split(pattern);
  const model = withoutResource(written);
  if (model.includes(':')) return [pattern];
  const isName = !/[*/]/.test(model);
  const canonical = isName ? canonicalName(model) : model.replace(/[._]+/g, '-');
  return [pattern, provider + canonical];
}

/** The provider with its slash, empty for a bare name, and the model. */
function split(name: string): { provider: string; model: string } {
  const start = name.indexOf('/') + 1;
  return { provider: name.slice(0, start), model: name.slice(start) };
}

/**
 * Which models may be used: lists of patterns over `provider/model`. An absent `allow` or
 * `keyModels` allows all models, an empty one none. `deny` holds for a model under each of its
 * names; the others hold for the name as written, with or without `models/` before it. Lists are compiled once: replace a list instead
 * of changing it.
 */
export interface AccessRules {
  readonly allow?: readonly string[] | null;
  readonly deny?: readonly string[] | null;
  /** What the caller's API key may use. */
  readonly keyModels?: readonly string[] | null;
}

/** Why a candidate may not be used; null if it may. Without a provider its bare name is matched. */
export function forbiddenReason(
  { provider, model }: { readonly provider: string | null; readonly model: string },
  { allow, deny, keyModels }: AccessRules,
): string | null {
  if (!allow && !deny?.length && !keyModels) return null;
  const name = (provider === null ? model : `${provider}/${model}`).toLowerCase();
  const plain =
    (provider === null ? '' : `${provider.toLowerCase()}/`) + withoutResource(model).toLowerCase();
  const isListed = (list: readonly string[]): boolean =>
    matchesAny(list, name) || (plain !== name && matchesAny(list, plain));
  if (keyModels && !isListed(keyModels)) return 'this API key may not use it';
  if (allow && !isListed(allow)) return 'the configuration does not allow it';
  if (deny && isDenied(deny, name)) return 'the configuration denies it';
  return null;
}
