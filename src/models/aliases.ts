/** The operator's own names for models. */
export interface Aliases {
  /** The aliases without `*`. */
  readonly names: readonly string[];
  /** The labels `<provider>/<model>` that a name stands for, in order; null: it is no alias. */
  targetsOf(name: string): readonly string[] | null;
}

interface Wildcard {
  readonly before: string;
  readonly after: string;
  readonly targets: readonly string[];
}

/**
 * Compiles aliases that satisfy `aliasFindings`. Looks a name up as written, then among aliases
 * with a `*`, those with the most other characters first. The text that `*` matches replaces the
 * target's `*`. Targets without a slash are other aliases.
 */
export function compileAliases(written: Readonly<Record<string, readonly string[]>>): Aliases {
  const exact = new Map<string, readonly string[]>();
  const wildcards: Wildcard[] = [];
  const labelsOf = (target: string): readonly string[] =>
    target.includes('/') ? [target] : (written[target] ?? []).flatMap(labelsOf);
  for (const [name, targets] of Object.entries(written)) {
    const labels = [...new Set(targets.flatMap(labelsOf))];
    const star = name.indexOf('*');
    if (star < 0) exact.set(name, labels);
    else
      wildcards.push({ before: name.slice(0, star), after: name.slice(star + 1), targets: labels });
  }
  wildcards.sort((a, b) => lengthOf(b) - lengthOf(a));
  return {
    names: [...exact.keys()],
    targetsOf: (name) => exact.get(name) ?? matched(wildcards, name),
  };
}

const lengthOf = ({ before, after }: Wildcard): number => before.length + after.length;

function matched(wildcards: readonly Wildcard[], name: string): readonly string[] | null {
  const found = wildcards.find(
    (wildcard) =>
      name.length > lengthOf(wildcard) &&
      name.startsWith(wildcard.before) &&
      name.endsWith(wildcard.after),
  );
  if (!found) return null;
  const { before, after, targets } = found;
  const rest = name.slice(before.length, name.length - after.length);
  // a function, because `$&` in a client's name would be a pattern
  return targets.map((target) => target.replace('*', () => rest));
}
