import { randomBytes } from 'node:crypto';
import { endOfText } from './json-size.js';

/** A JSON object of which long lists can be parsed in pieces. */
export interface JsonPieces {
  /** The object's JSON; a list that was cut is `{"<mark>": <its number>}`. */
  readonly frame: string;
  /** By list: the JSON of its items, without the brackets. */
  readonly lists: readonly (readonly Buffer[])[];
}

// unknown to the writer of the JSON, who could otherwise write a cut list
const mark = randomBytes(16).toString('hex');

const quote = 0x22,
  comma = 0x2c;
const opens = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const closes = (byte: number): boolean => byte === 0x7d || byte === 0x5d;
const listOpening = 0x5b;
/** Of the object's own fields. */
const fieldDepth = 1,
  itemDepth = 2;

/**
 * Cuts the long lists that are fields of a JSON object into pieces of about `bytes`, to be parsed
 * one at a time. Text that is not JSON gives pieces of which at least one is not JSON or empty.
 * @returns null where there is no such list
 */
export function cutJson(json: Buffer, bytes: number): JsonPieces | null {
  const frame: string[] = [];
  const lists: Buffer[][] = [];
  let copied = 0,
    depth = 0,
    list: Buffer[] | null = null,
    pieceStart = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (byte === quote) at = endOfText(json, at + 1) - 1;
    else if (opens(byte)) {
      if (depth === fieldDepth && byte === listOpening) {
        list = [];
        pieceStart = at + 1;
      }
      depth++;
    } else if (byte === comma) {
      if (!list || depth !== itemDepth || at - pieceStart < bytes) continue;
      list.push(json.subarray(pieceStart, at));
      pieceStart = at + 1;
    } else if (closes(byte)) {
      if (--depth !== fieldDepth || !list) continue;
      if (list.length > 0) {
        const [first] = list;
        frame.push(json.toString('utf8', copied, first!.byteOffset - json.byteOffset - 1));
        frame.push(`{"${mark}":${lists.length}}`);
        list.push(json.subarray(pieceStart, at));
        lists.push(list);
        copied = at + 1;
      }
      list = null;
    }
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
  const object = JSON.parse(frame) as Record<string, unknown>;
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
    const some = JSON.parse(`[${piece.toString('utf8')}]`) as unknown[];
    // `[1,]` would else be `[1]`
    if (some.length === 0) throw new SyntaxError('an item is missing');
    for (const item of some) items.push(item);
  }
  return items;
}
