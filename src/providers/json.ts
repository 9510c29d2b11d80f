import { isObject } from '../text/is-object.js';
import { exactJson, parseExactJson } from '../text/exact-json.js';
import { jsonBounds, jsonExcess } from '../text/json-size.js';
import { unreadable } from './failure.js';

/** A shorter text cannot contain enough to stop the process for long. */
const maxUncountedLength = 64 * 1024;
/**
 * Of an answer: far more than any model writes. Embeddings are the longest, as lists of numbers.
 */
const bounds = jsonBounds(1_000_000, 10);

/**
 * Whether a provider's JSON has more values or levels than an answer can have, so that parsing it
 * would stop the process for seconds.
 */
export const isExcessive = (json: Buffer): boolean =>
  json.length > maxUncountedLength && jsonExcess(json, bounds) !== null;

/**
 * Parses JSON; long integers keep their digits, as in `parseExactJson`.
 * @returns null if the text is not JSON, or far more than an answer
 */
export function parseJson(text: string): unknown {
  if (text.length > maxUncountedLength && isExcessive(Buffer.from(text))) return null;
  try {
    return parseExactJson(text);
  } catch {
    const valid = validJson(text);
    return valid === text ? null : parseJson(valid);
  }
}

/**
 * An event or a body that has to be an object.
 * @throws GatewayError `unreadable_answer` for anything else
 */
export function parseObject(provider: string, text: string, what: 'an event' | 'the body'): object {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null)
    throw unreadable(provider, `${what} is not a JSON object`);
  return value;
}

// a text, whole or cut off, or what Python writes for floating-point numbers that JSON has not
const textOrNumber = /"[^"\\]*(?:\\[^][^"\\]*)*"?|-?\b(?:NaN|Infinity)\b/g;
const noNumbers: Readonly<Record<string, string>> = {
  NaN: 'null',
  Infinity: 'null',
  // as OpenAI writes the log probability of a token that cannot come
  '-Infinity': '-9999',
};

/** JSON without NaN and infinities, which some servers write; the same text where it has none. */
export const validJson = (json: string): string =>
  /NaN|Infinity/.test(json) ? json.replace(textOrNumber, (one) => noNumbers[one] ?? one) : json;

// JSON.stringify escapes only halves of pairs; an escaped backslash may stand before `ud83d`
const loneSurrogate = /\\(?:ud[89a-f][0-9a-f]{2}|[^])/g;

/**
 * JSON for a provider: long integers have their digits, and halves of surrogate pairs, as where a
 * text was cut, become U+FFFD, because most providers refuse them.
 */
export function providerJson(body: object): string {
  const json = exactJson(body);
  return json.includes('\\ud')
    ? json.replace(loneSurrogate, (escaped) => (escaped.length > 2 ? '\ufffd' : escaped))
    : json;
}

type Schema = Record<string, unknown>;

/** Keywords whose values map names to schemas. */
const maps = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
/** Keywords whose values are no schemas, whatever they look like. */
const plain = new Set(['enum', 'const', 'default', 'examples']);

/** A copy of a JSON schema in which each schema, the inner ones first, is what `change` returns. */
export function mapSchema(schema: Schema, change: (one: Schema) => Schema): Schema {
  // a long integer is an object too, but no plain one
  const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;
  const inner = (value: unknown): unknown =>
    isObject(value) && isPlain(value) ? mapSchema(value, change) : value;
  const copy: Schema = {};
  for (const [key, value] of Object.entries(schema))
    copy[key] = plain.has(key)
      ? value
      : Array.isArray(value)
        ? value.map(inner)
        : maps.has(key) && isObject(value)
          ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]))
          : inner(value);
  return change(copy);
}
