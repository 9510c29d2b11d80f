import { fieldName } from './schema/compile-schema.js';

/**
 * Settings of earlier versions that have no effect any more, by path (`section.setting`, or the
 * name of a whole section), each with a sentence that says what holds instead. They are ignored with
 * a warning.
 */
const removedSettings: Readonly<Record<string, string>> = {
  learning:
    'the gateway learns from ratings and outcomes only, and `routing.learning` switches that',
};

/**
 * A copy of written settings without those that are gone, and a warning for each of them. The
 * written settings are not changed.
 */
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
    warnings.push(`${fieldName(path)} is ignored: ${sentence}`);
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
