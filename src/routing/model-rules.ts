/** Rows of patterns and what is known of the models that they name; the first row that matches decides. */
export type ModelRules<T> = readonly (readonly [pattern: string, value: T])[];

/** A pattern names whole words of a canonical name: `gpt-4` is found in `ft-gpt-4-mini`, not in `gpt-4o` or `gpt-41`. */
export function compileRules<T>(rules: ModelRules<T>): (canonicalName: string) => T | null {
  const compiled = rules.map(([pattern, value]) => ({
    test: new RegExp(`(?<![a-z0-9])(?:${pattern})(?![a-z0-9])`),
    value,
  }));
  return (name) => compiled.find(({ test }) => test.test(name))?.value ?? null;
}
