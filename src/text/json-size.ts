import { atOnce } from '../async/turns.js';
import { randomBytes } from 'node:crypto';

/** What a JSON text may contain, counted before it is parsed. */
export interface JsonBounds {
  /** Objects, lists and texts. */
  readonly values: number;
  /** Members of lists and objects, so also numbers, `true`, `false` and `null`. */
  readonly members: number;
  /** Different names of fields: a new name costs a parser thirty times as much as a known one. */
  readonly names: number;
  /** Levels of lists and objects. */
  readonly depth: number;
}

/** Which bound a JSON text exceeds. */
export type JsonExcess = keyof JsonBounds;

/** The deepest nesting of lists and objects: JSON.stringify overflows on much deeper ones. */
export const maxJsonDepth = 500;

/**
 * Bounds for JSON with at most `values` objects, lists and texts.
 * @param membersPerValue how many members there may be for each of them
 */
export const jsonBounds = (values: number, membersPerValue: number): JsonBounds => ({
  values,
  members: membersPerValue * values,
  names: Math.ceil(values / 10),
  depth: maxJsonDepth,
});

/** The bytes that JSON's structure consists of. */
export const sign = { none: 0, opening: 1, closing: 2, comma: 3, colon: 4, quote: 5 } as const;
/** The kind of each byte. */
export const signKinds = new Uint8Array(256);
for (const [kind, signs] of [
  [sign.opening, '{['],
  [sign.closing, '}]'],
  [sign.comma, ','],
  [sign.colon, ':'],
  [sign.quote, '"'],
] as const)
  for (const one of signs) signKinds[one.charCodeAt(0)] = kind;

const quoteByte = 0x22,
  backslash = 0x5c;
/** Longer texts are not hashed, only searched for their end; a longer name counts as a new one. */
const readLength = 48;
/** The shortest JSON of a field with a new name: `"a":1,`. */
const minNameBytes = 6;

// random: a client that knew them could choose names of equal hashes
const [seed = 0, odd = 0] = new Int32Array(randomBytes(8).buffer.slice(0, 8));
const factor = odd | 1;

const bytesAtOnce = 1_048_576;

/**
 * Scans JSON once, about a nanosecond a byte, and stops at the first excess. Does not check that it
 * is JSON.
 * @returns the bound that is exceeded, null if none is
 */
export const jsonExcess = (bytes: Buffer, bounds: JsonBounds): JsonExcess | null =>
  atOnce(countJson(bytes, bounds));

/** As `jsonExcess`, but yields after each MiB. */
export function* countJson(
  bytes: Buffer,
  bounds: JsonBounds,
): Generator<unknown, JsonExcess | null> {
  const { length } = bytes;
  const names = length / minNameBytes > bounds.names ? new NameSet(bounds.names) : null;
  let at = 0,
    values = 0,
    members = 0,
    depth = 0;
  for (let end = 0; at < length;) {
    if (end > 0) yield;
    end = Math.min(length, at + bytesAtOnce);
    while (at < end) {
      const kind = signKinds[bytes[at++]!];
      if (kind === sign.none) continue;
      if (kind === sign.quote) {
        at = endOfText(bytes, at);
        values++;
      } else if (kind === sign.comma) {
        if (++members > bounds.members) return 'members';
        // a name counts as a value only until its colon
        if (values > bounds.values) return 'values';
      } else if (kind === sign.opening) {
        if (++depth > bounds.depth) return 'depth';
        values++;
      } else if (kind === sign.closing) depth--;
      else {
        values--;
        if (names && !names.add(lastHash)) return 'names';
      }
    }
  }
  return values > bounds.values ? 'values' : null;
}

/** The hash of the last text that `endOfText` has read; 0 if it is too long to be hashed. */
let lastHash = 0;

/** The place after the closing quote of a text that begins at `start`. Sets `lastHash`. */
export function endOfText(bytes: Buffer, start: number): number {
  const { length } = bytes;
  const end = Math.min(length, start + readLength);
  let at = start,
    hash = seed;
  while (at < end) {
    const byte = bytes[at++]!;
    if (byte === quoteByte) {
      lastHash = hash || 1;
      return at;
    }
    hash = Math.imul(hash ^ byte, factor);
    // what is escaped is never the end, but part of the name
    if (byte === backslash) hash = Math.imul(hash ^ (bytes[at++] ?? 0), factor);
  }
  lastHash = 0;
  return endOfLongText(bytes, at);
}

/** The same from the middle of a long text, of which most is skipped. */
function endOfLongText(bytes: Buffer, start: number): number {
  const { length } = bytes;
  let at = start;
  while (at < length) {
    const found = bytes.indexOf(quoteByte, at);
    if (found === -1) return length;
    let from = found;
    while (from > at && bytes[from - 1] === backslash) from--;
    // an odd number of backslashes escapes the quote
    if ((found - from) % 2 === 0) return found + 1;
    at = found + 1;
    // a search costs more than reading some bytes, and quotes seldom come alone
    const end = Math.min(length, at + readLength);
    while (at < end) {
      const byte = bytes[at++]!;
      if (byte === quoteByte) return at;
      if (byte === backslash) at++;
    }
  }
  return length;
}

/** A bounded set of hashes of names. */
class NameSet {
  private readonly slots: Int32Array;
  private size = 0;

  constructor(private readonly max: number) {
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * max + 2)));
  }

  /** @param hash 0 counts as a new name each time. @returns false if there are too many */
  add(hash: number): boolean {
    if (hash === 0) return ++this.size <= this.max;
    const mask = this.slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    while (this.slots[slot] !== 0) {
      if (this.slots[slot] === hash) return true;
      slot = (slot + 1) & mask;
    }
    this.slots[slot] = hash;
    return ++this.size <= this.max;
  }
}

/**
 * As `jsonExcess` for JSON that has been parsed already, where names no longer cost anything. Goes
 * level by level, because a recursion could overflow the stack.
 */
export function parsedExcess(value: unknown, bounds: JsonBounds): JsonExcess | null {
  const counted = { values: typeof value === 'string' ? 1 : 0, members: 0, next: [] as unknown[] };
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    counted.next = [];
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue;
      if (depth >= bounds.depth) return 'depth';
      addMembers(one, counted);
      if (++counted.values > bounds.values) return 'values';
      if (counted.members > bounds.members) return 'members';
    }
    level = counted.next;
    if (counted.values > bounds.values) return 'values';
  }
  return null;
}

/** Counts the members of a list or an object; lists and objects among them come next. */
function addMembers(
  one: object,
  counted: { values: number; members: number; next: unknown[] },
): void {
  const add = (item: unknown): void => {
    if (typeof item === 'string') counted.values++;
    else if (typeof item === 'object') counted.next.push(item);
  };
  if (Array.isArray(one)) {
    counted.members += one.length;
    for (const item of one as unknown[]) add(item);
    return;
  }
  // not `Object.values`, which makes a list of each object
  for (const name in one) {
    counted.members++;
    add((one as Record<string, unknown>)[name]);
  }
}
