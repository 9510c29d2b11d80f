import { parseExactJson, parseFields } from './exact-json.js';
import { randomBytes } from 'node:crypto';
import { endOfText, sign, signKinds } from './json-size.js';

/** A JSON object of which long lists can be parsed in pieces. */
export interface JsonPieces {
  /** The object's JSON; a list that was cut is `{"<mark>": <its number>}`. */
  readonly frame: string;
  /** By list: the JSON of its items, without the brackets. */
  readonly lists: readonly (readonly Buffer[])[];
}

/**
 * A body above this many bytes is read in steps, between which other requests proceed: each step
 * takes some tens of ms for 32 MiB.
 */
const maxOneStepBytes = 512 * 1024;

/** Whether other requests should proceed between the steps of a request with such a body. */
export const isLargeBody = (bytes: number): boolean => bytes > maxOneStepBytes;

// random: a client that knew it could forge a cut list
const mark = randomBytes(16).toString('hex');

const listOpening = 0x5b,
  listClosing = 0x5d;
/** Nesting depths: of the object's own fields, and of the items of their lists. */
const fieldDepth = 1,
  itemDepth = 2;
/** Bytes of one scan: V8 optimizes a function that is called often, but not one in a long call. */
const scannedAtOnce = 4096;
/** How many scans there are between two pauses for other requests. */
const scansAtOnce = 256;

/** Where a scan is. */
interface Place {
  at: number;
  depth: number;
  /** Commas between items do not cut before this index. */
  cutFrom: number;
}

type Found = 'list' | 'item' | 'end' | null;

/** Reads on to just after a list's opening, the end of an item, or the end of a field's value. */
function scan(json: Buffer, place: Place, until: number): Found {
  let { at, depth } = place;
  let found: Found = null;
  while (at < until && found === null) {
    const kind = signKinds[json[at++]!];
    if (kind === sign.none || kind === sign.colon) continue;
    if (kind === sign.quote) at = endOfText(json, at);
    else if (kind === sign.opening) {
      if (depth++ === fieldDepth && json[at - 1] === listOpening) found = 'list';
    } else if (kind === sign.closing) {
      if (--depth === fieldDepth) found = 'end';
    } else if (depth === itemDepth && at > place.cutFrom) found = 'item';
  }
  place.at = at;
  place.depth = depth;
  return found;
}

/**
 * Cuts the long lists that are fields of a JSON object into pieces of about `bytes`, to be parsed
 * one at a time. If the text is not JSON, at least one piece is empty or not JSON.
 * @returns null where there is no such list
 */
export function* cutJson(json: Buffer, bytes: number): Generator<unknown, JsonPieces | null> {
  const { length } = json;
  const frame: string[] = [];
  const lists: Buffer[][] = [];
  const place: Place = { at: 0, depth: 0, cutFrom: length };
  let copied = 0,
    list: Buffer[] | null = null,
    start = 0,
    scans = 0;
  while (place.at < length) {
    const found = scan(json, place, Math.min(length, place.at + scannedAtOnce));
    if (++scans % scansAtOnce === 0) yield;
    if (found === null || (found === 'end' && !list)) continue;
    if (found === 'list') list = [];
    else {
      const piece = json.subarray(start, place.at - 1);
      if (found === 'item' || list!.length > 0) list!.push(piece);
    }
    if (found === 'end') {
      const [first] = list!;
      // a list that ends with another bracket stays as it is: the frame is then not JSON
      if (first && json[place.at - 1] === listClosing) {
        frame.push(json.toString('utf8', copied, first.byteOffset - json.byteOffset - 1));
        frame.push(`{"${mark}":${lists.length}}`);
        lists.push(list!);
        copied = place.at;
      }
      list = null;
    }
    start = place.at;
    place.cutFrom = list ? start + bytes : length;
  }
  if (lists.length === 0) return null;
  frame.push(json.toString('utf8', copied));
  return { frame: frame.join(''), lists };
}

/**
 * The object that pieces were cut from.
 * @param pause between two pieces
 * @throws SyntaxError where the whole was not JSON
 */
export async function parsePieces(
  { frame, lists }: JsonPieces,
  pause: () => Promise<unknown>,
): Promise<unknown> {
  const object = parseFields(frame) as Record<string, unknown>;
  for (const [name, value] of Object.entries(object)) {
    const number = (value as Record<string, unknown> | null)?.[mark];
    if (typeof number !== 'number') continue;
    const items = await parseList(lists[number]!, pause);
    // not an assignment, which a field `__proto__` would turn into another prototype
    Object.defineProperty(object, name, { value: items });
  }
  return object;
}

async function parseList(
  pieces: readonly Buffer[],
  pause: () => Promise<unknown>,
): Promise<unknown[]> {
  const items: unknown[] = [];
  for (const piece of pieces) {
    await pause();
    const some = parseExactJson(`[${piece.toString('utf8')}]`) as unknown[];
    // else `[1,]` would pass as `[1]`
    if (some.length === 0) throw new SyntaxError('an item is missing');
    for (const item of some) items.push(item);
  }
  return items;
}
