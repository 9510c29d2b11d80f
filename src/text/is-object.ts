/** True for a JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Those of the named fields that are neither undefined nor null. */
export const pick = (
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> =>
  present(Object.fromEntries(names.map((name) => [name, fields[name]])));

/** The fields that are neither undefined nor null: providers refuse nulls. */
export function present<Fields extends object>(fields: Fields): Partial<Fields> {
  // not by lists of entries, which cost several µs
  const found: Partial<Fields> = {};
  for (const name of Object.keys(fields) as (keyof Fields)[])
    if (fields[name] !== null && fields[name] !== undefined) found[name] = fields[name];
  return found;
}
