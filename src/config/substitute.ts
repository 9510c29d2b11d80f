import { isObject } from '../text/is-object.js';
import { childSchema, type JsonSchema } from './schema/compile-schema.js';
import { type Environment, variableOf } from './environment.js';

/** A copy of a configuration with the environment variables substituted. */
export interface Substituted {
  readonly value: unknown;
  /** Unset variables without a default: the field is left out, an item null, an API key empty. */
  readonly unset: readonly { readonly path: readonly string[]; readonly variable: string }[];
  readonly problems: readonly { readonly path: readonly string[]; readonly reason: string }[];
}

interface Walk {
  readonly root: JsonSchema;
  readonly env: Environment;
  readonly unset: { path: readonly string[]; variable: string }[];
  readonly problems: { path: readonly string[]; reason: string }[];
  left: number;
}

const maxDepth = 16;
const maxValues = 100_000;
const reference = /\$(\$?)\{([^{}]*)\}/g;
const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Substitutes environment variables in all strings: `${NAME}`, `${NAME:-default}`; `$${` is a
 * literal `${`. If the whole string is one variable and the schema expects a number or a boolean,
 * it is converted. A declared key without a value (null) is left out. Keys lose the white space
 * around them: secrets often come from files that end in a line break. Anything but plain data is a
 * problem, and so is nesting deeper than 16.
 */
export function substitute(value: unknown, schema: JsonSchema, env: Environment): Substituted {
  const walk: Walk = { root: schema, env, unset: [], problems: [], left: maxValues };
  return { value: copy(value, schema, [], walk), unset: walk.unset, problems: walk.problems };
}

function copy(
  value: unknown,
  schema: JsonSchema | undefined,
  path: readonly string[],
  walk: Walk,
): unknown {
  if (typeof value === 'string') {
    const text = expand(value, schema, path, walk);
    return typeof text === 'string' && (isApiKey(path) || isFixedKey(path)) ? text.trim() : text;
  }
  if (value === null || ['number', 'boolean', 'undefined'].includes(typeof value)) return value;
  if (path.length > maxDepth || --walk.left < 0)
    return refuse('is nested too deeply or too large', path, walk);
  if (Array.isArray(value)) {
    if (value.length > walk.left) return refuse('has too many items', path, walk);
    const items = childSchema(schema, 'items', walk.root);
    return Array.from(
      value,
      (item, index) => copy(item, items, [...path, String(index)], walk) ?? null,
    );
  }
  if (!isPlain(value)) return refuse('must be plain data', path, walk);
  const entries: [string, unknown][] = [];
  for (const [key, child] of Object.entries(value)) {
    const declared = isObject(schema?.properties) && Object.hasOwn(schema.properties, key);
    if (child === undefined || (child === null && declared)) continue;
    const copied = copy(child, childSchema(schema, key, walk.root), [...path, key], walk);
    if (copied !== undefined) entries.push([key, copied]);
  }
  return Object.fromEntries(entries); // defines the keys, so that one named __proto__ is a key like any other
}

function expand(
  text: string,
  schema: JsonSchema | undefined,
  path: readonly string[],
  walk: Walk,
): unknown {
  if (!text.includes('${')) return text;
  if (text.replaceAll(reference, '').includes('${'))
    return refuse('has a ${ without its }', path, walk);
  let missing: string | undefined;
  const result = text.replaceAll(reference, (all: string, escaped: string, inner: string) => {
    if (escaped !== '') return all.slice(1);
    const [, name, fallback] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? [];
    if (name === undefined)
      refuse('has a ${…} that is neither ${NAME} nor ${NAME:-default}', path, walk);
    const found = name === undefined ? '' : (variableOf(walk.env, name) ?? fallback);
    if (found === undefined) missing ??= name;
    return found ?? '';
  });
  if (missing === undefined) return /^\$\{[^{}]*\}$/.test(text) ? coerced(result, schema) : result;
  walk.unset.push({ path, variable: missing });
  return isApiKey(path) ? '' : undefined;
}

/** Whether this is the API key of a provider or engine: only its variable may be unset. */
export function isApiKey(path: readonly string[]): boolean {
  const isEngine = path[0] === 'search' && path[1] === 'engines';
  const field = path[0] === 'providers' ? path[2] : isEngine ? path[3] : undefined;
  return field === 'apiKey' || field === 'apiKeys';
}

/** Whether this is the field of the key of a caller in the configuration. */
export const isFixedKey = ([section, , , field]: readonly string[]): boolean =>
  section === 'auth' && field === 'key';

function coerced(text: string, schema: JsonSchema | undefined): unknown {
  const trimmed = text.trim();
  const type = schema?.type;
  if ((type === 'number' || type === 'integer') && number.test(trimmed)) return Number(trimmed);
  if (type === 'boolean' && (trimmed === 'true' || trimmed === 'false')) return trimmed === 'true';
  return text;
}

function refuse(reason: string, path: readonly string[], walk: Walk): null {
  walk.problems.push({ path, reason });
  return null;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === null ||
    prototype === Object.prototype ||
    Object.getPrototypeOf(prototype) === null
  );
}
