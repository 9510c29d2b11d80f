/** A JSON object of which nothing is known yet. */
export type Json = Readonly<Record<string, unknown>>;

/** A JSON object under construction. */
export type Fields = Record<string, unknown>;

/** True for a JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * To assign a field of this name, which JSON may have, would change the prototype: whatever a client
 * put there would be read, but not sent on. So no copy has it.
 */
const unsafeName = '__proto__';

/** The named fields that are neither undefined nor null. */
export function pick(given: object, names: Iterable<string>): Record<string, unknown> {
  const fields = given as Readonly<Record<string, unknown>>;
  const found: Record<string, unknown> = {};
  for (const name of names)
    if (fields[name] !== null && fields[name] !== undefined) found[name] = fields[name];
  return found;
}

/** The fields without the named ones. Not by a rest pattern, which costs several µs. */
export function omit<Fields extends object>(
  fields: Fields,
  names: ReadonlySet<string>,
): Partial<Fields> {
  const left: Partial<Fields> = {};
  for (const name of Object.keys(fields) as (keyof Fields & string)[])
    if (!names.has(name) && name !== unsafeName) left[name] = fields[name];
  return left;
}

/** The names in a text: how long lists of fields are written. */
export const namesIn = (text: string): string[] => text.trim().split(/\s+/);

/** The same as a set. */
export const nameSet = (text: string): ReadonlySet<string> => new Set(namesIn(text));

/** The fields that are neither undefined nor null: providers refuse nulls. */
export function present<Fields extends object>(fields: Fields): Partial<Fields> {
  // not by lists of entries, which cost several µs
  const found: Partial<Fields> = {};
  for (const name of Object.keys(fields) as (keyof Fields)[])
    if (fields[name] !== null && fields[name] !== undefined && name !== unsafeName)
      found[name] = fields[name];
  return found;
}

/** A table of the words that others send. Unlike in an object, there is no `constructor` in it. */
export const table = <Value>(entries: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.assign(Object.create(null) as Record<string, Value>, entries);

/** The value if it is a string, else ''. */
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value if it is an array, else []. */
export const asList = (value: unknown): unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];

/** The objects of a list that a provider sent, or of one that it sent bare; anything else is dropped. */
export const objectsIn = <Entry extends object>(
  list: readonly Entry[] | Entry | null | undefined,
): Entry[] => (Array.isArray(list) ? list : [list]).filter(isObject) as Entry[];
