/** A body with one thing changed in it, and where. */
export interface Mutation {
  /** As `messages[0][content]: null`. */
  what: string;
  /** The top-level field that is not as it was; `body` where it is the whole. */
  field: string;
  body: unknown;
}

const absent = Symbol('absent');
/** What stands in the place of any value, one after the other. */
const replacements: readonly unknown[] = [
  absent,
  null,
  true,
  -1,
  1e300,
  '',
  '__proto__',
  [],
  [null],
  ['x'],
  {},
  { type: 'x' },
];

const shown = (value: unknown): string => (value === absent ? 'absent' : JSON.stringify(value));

function* placesOf(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<readonly (string | number)[]> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    yield* placesOf(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

function changed(
  value: unknown,
  [first, ...rest]: readonly (string | number)[],
  replacement: unknown,
): unknown {
  if (first === undefined) return replacement;
  if (Array.isArray(value)) {
    const inner = changed(value[Number(first)], rest, replacement);
    return inner === absent ? value.toSpliced(Number(first), 1) : value.with(Number(first), inner);
  }
  const { [first]: old, ...others } = value as Record<string, unknown>;
  const inner = changed(old, rest, replacement);
  return inner === absent ? others : { ...others, [first]: inner };
}

/**
 * A valid body with each of its values, at every depth, left out or replaced by each of a list of
 * other values.
 */
export function* mutationsOf(body: unknown): Generator<Mutation> {
  for (const path of placesOf(body)) {
    const [first, ...rest] = path;
    const where =
      first === undefined ? 'body' : `${first}${rest.map((part) => `[${part}]`).join('')}`;
    for (const replacement of replacements) {
      if (path.length === 0 && replacement === absent) continue;
      yield {
        what: `${where}: ${shown(replacement)}`,
        field: String(first ?? 'body'),
        body: changed(body, path, replacement),
      };
    }
  }
}
