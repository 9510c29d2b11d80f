import type { Candidate } from './plan.js';

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
export function matchesGlob(pattern: string, text: string): boolean {
  return compileGlob(pattern)(text.toLowerCase());
}

const compiled = new WeakMap<readonly string[], Matcher[]>();

function matchesAny(patterns: readonly string[], name: string): boolean {
  let matchers = compiled.get(patterns);
  if (!matchers) compiled.set(patterns, (matchers = patterns.map(compileGlob)));
  return matchers.some((matches) => matches(name));
}

/**
 * Which models may be used: lists of patterns over `provider/model`. An absent `allow` or
 * `keyModels` allows all models, an empty one none. Lists are compiled once: replace a list instead
 * of changing it.
 */
export interface AccessRules {
  readonly allow?: readonly string[] | null;
  readonly deny?: readonly string[] | null;
  /** What the caller's API key may use. */
  readonly keyModels?: readonly string[] | null;
}

/**
 * Why a candidate may not be used; null if it may. A candidate without a provider is matched by its
 * bare name.
 */
export function forbiddenReason(
  { provider, model }: Candidate,
  { allow, deny, keyModels }: AccessRules,
): string | null {
  if (!allow && !deny && !keyModels) return null;
  const name = (provider === null ? model : `${provider}/${model}`).toLowerCase();
  if (keyModels && !matchesAny(keyModels, name)) return 'this API key may not use it';
  if (allow && !matchesAny(allow, name)) return 'the configuration does not allow it';
  if (deny && matchesAny(deny, name)) return 'the configuration denies it';
  return null;
}
