import type { Bound } from './bounds.js';
import { RequestScan } from './request-scan.js';
import { parts, type Stated, statedAt, wideStated } from './stated-length.js';
import type { Unit } from './units.js';

/** How long an answer a text asks for. */
export interface RequestedLength {
  /** Expected tokens of such an answer. */
  readonly tokens: number;
  /** What the stated number is of the answer: about its length, its upper or its lower bound. */
  readonly bound: Bound;
}

const maxRequested = 100_000;

/** Units from fine to coarse: of several stated lengths, one in a fine unit counts. */
const precedence: readonly Unit[] = [
  'tokens',
  'words',
  'characters',
  'pages',
  'paragraphs',
  'sentences',
  'items',
  'lines',
];
const rankOf = ({ unit }: Stated): number => precedence.indexOf(unit);

/** Of lengths the one of the finest unit, of these the longest. */
function finest(stated: readonly Stated[]): Stated | null {
  let best: Stated | null = null;
  for (const one of stated) {
    const rank = best ? rankOf(one) - rankOf(best) : -1;
    if (rank < 0 || (rank === 0 && one.tokens > best!.tokens)) best = one;
  }
  return best;
}

/** Tokens of a length, and of all parts if it is that of each of them; null: how many is not said. */
function wholeOf(one: Stated, stated: readonly Stated[]): number | null {
  if (!one.each) return one.tokens;
  const several = stated.find(
    (other) => other !== one && parts.has(other.unit) && other.unit !== one.unit,
  );
  if (several) return one.tokens * several.amount;
  return one.bound === 'most' ? null : one.tokens;
}

const bounded = (tokens: number, bound: Bound): RequestedLength => ({
  tokens: Math.min(maxRequested, Math.max(1, tokens)),
  bound,
});

/** The one length that counts among those stated: no longer than a limit that speaks against it. */
function chosen(stated: readonly Stated[]): RequestedLength | null {
  const length = finest(stated.filter(({ bound }) => bound !== 'most')),
    limit = finest(stated.filter(({ bound }) => bound === 'most'));
  const most = limit ? wholeOf(limit, stated) : null;
  if (!length) return most === null ? null : bounded(most, 'most');
  const tokens = wholeOf(length, stated)!;
  const isLimited = most !== null && rankOf(limit!) <= rankOf(length) && most < tokens;
  return isLimited ? bounded(most, 'about') : bounded(tokens, length.bound);
}

/**
 * The length that a scanned text asks for; null if it states none.
 * @param text what the scan has read
 */
export function lengthIn(scan: RequestScan, text: string): RequestedLength | null {
  const stated: Stated[] = [];
  for (let mark = 0; mark < scan.marks; mark++) {
    if (scan.units[mark] === 0) continue;
    const one = statedAt(scan, text, mark);
    if (one) stated.push(one);
  }
  for (const wide of scan.wide) {
    const one = wideStated(text, wide);
    if (one) stated.push(one);
  }
  return stated.length === 0 ? null : chosen(stated);
}

/** Of a longer text, only the beginning and the end are read. */
const headLength = 8192,
  tailLength = 4096;

/** Scans what is read of a text: all of it, or the first 8 K and the last 4 K characters. */
export function scanRequest(scan: RequestScan, text: string): void {
  scan.clear();
  const isWhole = text.length <= headLength + tailLength;
  scan.scan(text, 0, isWhole ? text.length : headLength);
  if (!isWhole) scan.scan(text, text.length - tailLength, text.length);
}

const ownScan = new RequestScan();

/**
 * The length that a text asks for: `1,500 words`, `in one sentence`, `max. 200 characters`, `三段`.
 * Null if it states none. Bounded work: some microseconds for a kilobyte.
 */
export function requestedLength(text: string): RequestedLength | null {
  scanRequest(ownScan, text);
  return lengthIn(ownScan, text);
}
