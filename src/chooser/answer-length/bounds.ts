import { bitOf } from './cues.js';
import { isUpTo, meansAtLeast, wordBefore } from './near-words.js';
import type { RequestScan } from './request-scan.js';

/** What a stated number is of an answer: about its length, its upper or its lower bound. */
export type Bound = 'about' | 'most' | 'least';

/** How many words before a number, and behind its unit, tell what it is. */
const reachBefore = 4,
  reachBehind = 3;
/** `at least` and its like stand nearer: `write more about bees in 300 words`. */
const reachLeast = 3;
const either = bitOf.most | bitOf.least;
const expands = bitOf.write | bitOf.long;

const word = (scan: RequestScan, mark: number): number => scan.words[mark]!;

/** Whether `no`, `not` stands among the two words before a mark. */
function isNegated(scan: RequestScan, mark: number): boolean {
  for (let at = mark - 1; at >= 0 && word(scan, mark) - word(scan, at) <= 2; at--)
    if (scan.roles[at]! & bitOf.not) return true;
  return false;
}

/** What a mark with one of the roles of bounds means. Words like `less` have both. */
function meaningOf(scan: RequestScan, text: string, mark: number): Bound {
  const found = scan.roles[mark]! & either;
  if (found === bitOf.least) return isNegated(scan, mark) ? 'most' : 'least';
  if (found === bitOf.most) return 'most';
  const isLeast = isNegated(scan, mark) || meansAtLeast(wordBefore(text, scan.starts[mark]!));
  return isLeast ? 'least' : 'most';
}

/** `most` is one behind `at` only: `the most important`. */
function isBound(scan: RequestScan, text: string, mark: number): boolean {
  if ((scan.roles[mark]! & either) === 0) return false;
  const start = scan.starts[mark]!;
  const isMost = text.startsWith('ost ', start + 1);
  return !isMost || wordBefore(text, start) === 'at';
}

function boundBefore(scan: RequestScan, text: string, first: number): Bound | null {
  for (let at = first - 1; at >= 0; at--) {
    const away = word(scan, first) - word(scan, at);
    if (away > reachBefore || scan.units[at]! > 0) return null;
    if (!isBound(scan, text, at)) continue;
    const meaning = meaningOf(scan, text, at);
    return meaning === 'least' && away > reachLeast ? null : meaning;
  }
  return null;
}

/** Whether a number stands so near behind a mark that the mark bounds that number. */
function boundsNext(scan: RequestScan, mark: number): boolean {
  for (let at = mark + 1; at < scan.marks; at++) {
    if (word(scan, at) - word(scan, mark) > reachBefore) return false;
    if (scan.values[at]! > 0) return true;
  }
  return false;
}

function boundBehind(scan: RequestScan, text: string, unitMark: number): Bound | null {
  for (let at = unitMark + 1; at < scan.marks; at++) {
    if (word(scan, at) - word(scan, unitMark) > reachBehind || scan.values[at]! > 1) return null;
    if (!isBound(scan, text, at)) continue;
    if (boundsNext(scan, at) || isSentenceEnd(text, scan, unitMark, at)) return null;
    return meansLessBehind(scan, text, at) ? 'most' : meaningOf(scan, text, at);
  }
  return null;
}

const isSentenceEnd = (text: string, scan: RequestScan, from: number, to: number): boolean =>
  /[.!?;\n]/.test(text.slice(scan.starts[from], scan.starts[to]));

/** Hindi and Turkish words that mean `at least` before a number mean `less` behind its unit. */
const lessBehind = /^(?:कम|az)(?![\p{L}\p{M}])/u;

/** Whether a mark behind a unit makes it an upper bound: `से कम`, `से अधिक नहीं`. */
function meansLessBehind(scan: RequestScan, text: string, mark: number): boolean {
  if ((scan.roles[mark]! & either) !== bitOf.least) return false;
  const next = mark + 1;
  const isDenied =
    next < scan.marks && word(scan, next) - word(scan, mark) === 1 && scan.roles[next]! & bitOf.not;
  return (
    Boolean(isDenied) || lessBehind.test(text.slice(scan.starts[mark], scan.starts[mark]! + 4))
  );
}

/** `Expand it to 500 words` in languages that say `up to` for it. */
function isExpanded(scan: RequestScan, first: number): boolean {
  for (let at = first - 1; at >= 0 && word(scan, first) - word(scan, at) <= reachBefore + 2; at--)
    if ((scan.roles[at]! & expands) === expands) return true;
  return false;
}

/**
 * What a stated number is, by the words around it.
 * @param first the mark where the number or range begins
 */
export function boundAt(scan: RequestScan, text: string, first: number, unitMark: number): Bound {
  const stated = boundBefore(scan, text, first) ?? boundBehind(scan, text, unitMark);
  if (stated !== null) return stated;
  return isUpTo(text, scan.starts[first]!) && !isExpanded(scan, first) ? 'most' : 'about';
}
