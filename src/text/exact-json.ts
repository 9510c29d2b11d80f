import { randomUUID } from 'node:crypto';
import { isObject } from './is-object.js';
import { parsedJson } from './json-values.js';

/** The beginning of a text that replaces a number; the digits follow. No sender can guess it. */
const mark = `#${randomUUID()}#`;
const markedDigits = new RegExp(`"${mark}([-+.\\deE]+)"`, 'g');

/** Undefined in Node.js 20. */
const { rawJSON } = JSON as { rawJSON?: (json: string) => unknown };
let isMarking = false;
let marks = 0;

/** A JSON integer that a JavaScript number would round, or a number that would be Infinity. */
class LongInteger {
  constructor(readonly digits: string) {}

  valueOf(): number {
    return Number(this.digits);
  }

  toJSON(): unknown {
    if (rawJSON) return rawJSON(this.digits);
    if (!isMarking) return this.valueOf();
    marks++;
    return mark + this.digits;
  }
}

const maybeLong = /[\s:,[]-?[1-9]\d{15,}|\d[eE]\+?\d{3,}[\s,\]}]/;
const quoteOrLong =
  /"|(?<![\w.+-])-?(?:[1-9]\d{15,}|(?:0|[1-9]\d*)(?:\.\d+)?[eE]\+?\d{3,})(?=\s*(?:[,\]}]|$))/g;
/** Whether JavaScript rounds an integer, or takes a number for Infinity. */
const isLost = (digits: string): boolean =>
  /e/i.test(digits) ? !Number.isFinite(Number(digits)) : String(Number(digits)) !== digits;

/** How many numbers keep their digits in one JSON text: more would stop the process for over 50 ms. */
const maxLong = 20_000;

/** A fast test for `hasLongIntegers`: whether JSON has 16 digits in a row, or a long exponent. */
export const mayHaveLongIntegers = (json: string): boolean => maybeLong.test(json);

/** Whether JSON has integers that a JavaScript number would round. */
export const hasLongIntegers = (json: string): boolean => marked(json) !== json;

/**
 * As `JSON.parse`, but integers of more than 53 bits keep their digits where `exactJson` writes
 * them. All other JSON costs one search for a row of 16 digits.
 * @throws SyntaxError; RangeError for more than 20,000 such integers
 */
export function parseExactJson(json: string): unknown {
  const text = marked(json, maxLong);
  if (text === json) return JSON.parse(json) as unknown;
  return JSON.parse(text, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark)
      ? new LongInteger(value.slice(mark.length))
      : value,
  ) as unknown;
}

/**
 * As `parseExactJson`, but the outermost object's own integers are plain numbers, for callers; except
 * a seed, which another number would replace.
 */
export function parseFields(json: string): unknown {
  if (!mayHaveLongIntegers(json)) return JSON.parse(json) as unknown;
  const value = parseExactJson(json);
  if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value))
      if (one instanceof LongInteger && name !== 'seed')
        Object.defineProperty(value, name, { value: one.valueOf() });
  return value;
}

/** As `JSON.stringify` for JSON values, with all digits of integers that `parseExactJson` read. */
export function exactJson(value: unknown): string {
  if (rawJSON) return JSON.stringify(value);
  const before = marks;
  isMarking = true;
  try {
    const text = JSON.stringify(value);
    return marks > before ? text.replace(markedDigits, '$1') : text;
  } finally {
    isMarking = false;
  }
}

/** JSON with texts in place of its long integers. */
function marked(json: string, max = Infinity): string {
  if (!maybeLong.test(json)) return json;
  let result = '';
  let [copied, count] = [0, 0];
  quoteOrLong.lastIndex = 0;
  for (let found = quoteOrLong.exec(json); found; found = quoteOrLong.exec(json)) {
    const [token] = found;
    if (token === '"') quoteOrLong.lastIndex = endOfJsonText(json, found.index + 1);
    else if (isLost(token)) {
      if (++count > max)
        throw new RangeError(`more than ${max} numbers are too long for JavaScript to keep`);
      result += `${json.slice(copied, found.index)}"${mark}${token}"`;
      copied = quoteOrLong.lastIndex;
    }
  }
  return copied === 0 ? json : result + json.slice(copied);
}

/** The place after the closing quote of a JSON text that begins at `start`. */
export function endOfJsonText(json: string, start: number): number {
  for (let at = json.indexOf('"', start); at !== -1; at = json.indexOf('"', at + 1)) {
    let from = at;
    while (from > start && json[from - 1] === '\\') from--;
    if ((at - from) % 2 === 0) return at + 1;
  }
  return json.length;
}

/**
 * The arguments of a tool call as JSON. Some programs send them as an object or encode them twice,
 * and cut that off; absent arguments become `{}`. Any other text stays as it is.
 */
export function argumentsJson(given: unknown): string {
  if (typeof given !== 'string') return exactJson(given ?? {});
  if (!/^\s*"/.test(given)) return given;
  const cut = parsedJson(`${given}"`);
  if (typeof cut === 'string') return cut;
  const inner = parsedJson(given);
  return typeof inner === 'string' && isObject(parsedJson(inner)) ? inner : given;
}
