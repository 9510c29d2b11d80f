import { isObject, type Json } from './is-object.js';

/** The list in a field of a JSON object; null if there is none. */
export function listIn(value: unknown, field: string): Record<string, unknown>[] | null {
  const list = isObject(value) ? value[field] : undefined;
  return Array.isArray(list) ? (list as unknown[]).filter(isObject) : null;
}

/** The value as a JSON object; an empty one if it is none. */
export const jsonFields = (value: unknown): Json => (isObject(value) ? value : {});

/** A body without the byte order mark with which some programs begin UTF-8. */
export const withoutByteOrderMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;

/** A body without the end marker of streams, which some servers write behind a whole answer too. */
export function withoutDone(body: Buffer): Buffer {
  const end = body.toString('latin1', Math.max(0, body.length - 24));
  const done = /data: ?\[DONE\]\s*$/.exec(end);
  return done ? body.subarray(0, done.index - end.length) : body;
}

/** Parses JSON. @returns undefined if it is not JSON */
export function parsedJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The value at a JSON pointer (RFC 6901).
 * @returns undefined if there is no such value or the pointer is invalid
 */
export function atPointer(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  if (!pointer.startsWith('/')) return undefined;
  let at = value;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at))
      at = /^(0|[1-9]\d{0,8})$/.test(key) ? (at as unknown[])[+key] : undefined;
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** A UTF-16 unit as JSON escapes it. */
export const unicodeEscape = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JSON in printable ASCII: other characters are escaped. */
export const asciiJson = (json: string): string => json.replace(/[^ -~]/g, unicodeEscape);
