import { piecesOf } from '../async/turns.js';
import { type Fields, isObject } from '../text/is-object.js';
import { exactJson, parseExactJson } from '../text/exact-json.js';
import { jsonBounds, jsonExcess } from '../text/json-size.js';
import type { LongBody } from './adapter.js';
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
export const parseJson = (text: string): unknown => parseChecked(text).value;

/** As `parseJson`, and whether it is JSON as it stands, which a client can read too. */
export function parseChecked(text: string): { value: unknown; isValid: boolean } {
  if (text.length > maxUncountedLength && isExcessive(Buffer.from(text))) return notJson;
  try {
    return { value: parseExactJson(text), isValid: true };
  } catch {
    const valid = validJson(text);
    return valid === text ? notJson : { value: parseJson(valid), isValid: false };
  }
}

const notJson = { value: null, isValid: false };

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

/**
 * JSON without NaN and infinities, and in short texts with control characters escaped, which some
 * servers leave bare; the same text where it has none.
 */
export function validJson(json: string): string {
  // to look into each string of 1 MB would stop the process for 200 ms
  const isShort = json.length <= maxUncountedLength;
  if (!(isShort ? bareOrNumber : /NaN|Infinity/).test(json)) return json;
  return json.replace(textOrNumber, (one) => noNumbers[one] ?? (isShort ? escapedText(one) : one));
}

const control = /[\0-\x1f]/g;
/** A text of JSON in which some servers do not escape control characters, with these escaped. */
export const escapedText = (text: string): string =>
  text.replace(control, (one) => JSON.stringify(one).slice(1, -1));
const bareOrNumber = /NaN|Infinity|[\0-\t\v\f\x0e-\x1f]/;

// JSON.stringify escapes only halves of pairs; an escaped backslash may stand before `ud83d`
const loneSurrogate = /\\(?:ud[89a-f][0-9a-f]{2}|[^])/g;

/**
 * JSON for a provider: long integers have their digits, and halves of surrogate pairs, as where a
 * text was cut, become U+FFFD, because most providers refuse them.
 */
function providerJson(value: unknown): string {
  const json = exactJson(value);
  return json.includes('\\ud')
    ? json.replace(loneSurrogate, (escaped) => (escaped.length > 2 ? '\ufffd' : escaped))
    : json;
}

/** Longer JSON is printed in steps, between which other requests proceed: 32 MiB take 100 ms at once. */
const maxOneStepLength = 512 * 1024;
const pieceLength = 64 * 1024;
/** Deeper values are printed whole: what is long in a request is a text in few lists and objects. */
const maxDepth = 16;

/** A body as `providerJson`; a long one is printed later, in steps. */
export const providerBody = (body: object): string | LongBody =>
  lengthOf(body, maxOneStepLength) < maxOneStepLength
    ? providerJson(body)
    : { print: () => printing(body), toString: () => providerJson(body) };

/** About how long a value's JSON is, counted up to a limit. */
function lengthOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  let sum = 2;
  if (Array.isArray(value))
    for (let at = 0; at < value.length && sum < limit; at++) sum += lengthOf(value[at], limit) + 1;
  else
    for (const name in value) {
      sum += name.length + 4 + lengthOf((value as Fields)[name], limit);
      if (sum >= limit) break;
    }
  return sum;
}

const isLong = (value: unknown): boolean => lengthOf(value, pieceLength) >= pieceLength;

function* printing(body: object): Generator<unknown, Buffer> {
  const printed: Buffer[] = [];
  let text = '';
  for (const piece of jsonPieces(body, 0)) {
    text += piece;
    if (text.length >= pieceLength) {
      printed.push(Buffer.from(text));
      text = '';
    }
    yield;
  }
  printed.push(Buffer.from(text));
  yield;
  return Buffer.concat(printed);
}

function* jsonPieces(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string' && isLong(value)) {
    yield '"';
    for (const piece of piecesOf(value, pieceLength)) yield providerJson(piece).slice(1, -1);
    yield '"';
  } else if (depth === maxDepth || !isLong(value) || isPrinter(value)) yield providerJson(value);
  else yield* memberPieces(value as object, depth + 1);
}

/** Whether a value prints itself, as a long integer does. */
const isPrinter = (value: unknown): boolean =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function';

/** A list or an object: long members are printed apart, short ones together. */
function* memberPieces(all: object, depth: number): Generator<string> {
  const names = isObject(all) ? Object.keys(all) : null;
  const members: readonly unknown[] = names ? Object.values(all) : (all as unknown[]);
  let [start, length, sign] = [0, 0, ''];
  const before = (end: number): string => {
    const some = members.slice(start, end);
    const part: unknown = names
      ? Object.fromEntries(some.map((one, at) => [names[start + at], one]))
      : some;
    const piece = providerJson(part).slice(1, -1);
    return piece && sign + piece;
  };
  yield names ? '{' : '[';
  for (let at = 0; at < members.length; at++) {
    const [one, name = ''] = [members[at], names?.[at]];
    length += lengthOf(one, pieceLength) + name.length + 4;
    if (length < pieceLength) continue;
    const isApart = isLong(one) || isLong(name);
    const piece = before(isApart ? at : at + 1);
    yield piece;
    if (piece) sign = ',';
    [start, length] = [at + 1, 0];
    if (!isApart || (names && one === undefined)) continue;
    yield sign;
    if (names) {
      yield* jsonPieces(name, depth);
      yield ':';
    }
    yield* jsonPieces(one ?? null, depth);
    sign = ',';
  }
  yield before(members.length) + (names ? '}' : ']');
}

/** Keywords whose values map names to schemas. */
const maps = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
/** Keywords whose values are no schemas, whatever they look like. */
const plain = new Set(['enum', 'const', 'default', 'examples']);

/** A copy of a JSON schema in which each schema, the inner ones first, is what `change` returns. */
export function mapSchema(schema: Fields, change: (one: Fields) => Fields): Fields {
  // a long integer is an object too, but no plain one
  const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;
  const inner = (value: unknown): unknown =>
    isObject(value) && isPlain(value) ? mapSchema(value, change) : value;
  const copy: Fields = {};
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
