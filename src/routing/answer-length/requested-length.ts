import { bitOf } from './cues.js';
import { RequestScan, type WideLength } from './request-scan.js';
import { tokensOf, type Unit, units } from './units.js';

/** How long an answer a text asks for. */
export interface RequestedLength {
  /** Expected tokens of such an answer. */
  readonly tokens: number;
  /** What the stated number is of the answer: about its length, its upper or its lower bound. */
  readonly bound: 'about' | 'most' | 'least';
}

/** Answers stay somewhat below an upper bound and above a lower one. */
const usedOf = { about: 1, most: 0.75, least: 1.2 };
const maxRequested = 100_000;

/** How many words may stand between a number and its unit (`three short paragraphs`). */
const maxBetween = (unit: Unit): number =>
  unit === 'words' || unit === 'characters' || unit === 'tokens' ? 2 : 3;
/** How many words before a number and behind a unit tell what it is. */
const reach = 4;
/** How many words may stand between a length and what asks for it, in any order of words. */
const wishReach = 25;
/** From this length on, a text is mostly material; the wish stands at its beginning or end. */
const longText = 1500,
  wishHead = 900,
  wishTail = 600;

const limits = bitOf.most | bitOf.least | bitOf.about | bitOf.inside;
const parts = new Set<Unit>(['paragraphs', 'items', 'sentences', 'lines']);
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

interface Stated extends RequestedLength {
  readonly unit: Unit;
  readonly amount: number;
  readonly each: boolean;
}

/** The roles of marks near a word: `before` and `behind` say how many words away. */
function rolesNear(scan: RequestScan, mark: number, before: number, behind: number): number {
  const word = scan.words[mark]!;
  let roles = 0;
  for (let at = mark - 1; at >= 0 && word - scan.words[at]! <= before; at--)
    roles |= scan.roles[at]!;
  for (let at = mark + 1; at < scan.marks && scan.words[at]! - word <= behind; at++)
    roles |= scan.roles[at]!;
  return roles;
}

/** The mark of the number that belongs to a unit; -1 if there is none. */
function numberOf(scan: RequestScan, unitMark: number, unit: Unit): number {
  for (let at = unitMark - 1; at >= 0; at--) {
    if (scan.words[unitMark]! - scan.words[at]! > maxBetween(unit)) return -1;
    if (scan.values[at]! > 0) return at;
    if (scan.units[at]! > 0) return -1;
  }
  return -1;
}

/** A number, or the middle of a range (`300-400`, `between 300 and 400`). */
function amountAt(scan: RequestScan, mark: number): { amount: number; first: number } {
  const high = scan.values[mark]!;
  for (let at = mark - 1; at >= 0 && scan.words[mark]! - scan.words[at]! <= 2; at--) {
    const low = scan.values[at]!;
    if (low > 1 && low < high && high <= low * 4) return { amount: (low + high) / 2, first: at };
  }
  return { amount: high, first: mark };
}

function boundOf(before: number, behind: number): RequestedLength['bound'] {
  if (before & bitOf.most || behind & bitOf.most) return 'most';
  if (before & bitOf.least) return before & bitOf.not ? 'most' : 'least';
  return 'about';
}

/** Whether the words around a number ask for a length instead of describing a text. */
function isWish(scan: RequestScan, first: number, unitMark: number, length: number): boolean {
  const near = rolesNear(scan, first, reach, 0);
  const nearest = rolesNear(scan, first, 2, 0);
  if (nearest & bitOf.given && !(nearest & limits)) return false;
  const start = scan.starts[first]!;
  const isMaterial = length > longText && start > wishHead && start < length - wishTail;
  if (isMaterial) return (near & bitOf.write) !== 0;
  if (scan.values[first] === 1) return (nearest & (bitOf.inside | bitOf.write | limits)) !== 0;
  if (scan.bound[first] === 1 || near & (limits | bitOf.write)) return true;
  if (rolesNear(scan, unitMark, 0, 3) & (bitOf.most | bitOf.each)) return true;
  if (rolesNear(scan, first, wishReach, wishReach) & bitOf.write) return true;
  return unitMark === scan.marks - 1 && scan.wordCount < 12 && first === 0;
}

function statedAt(scan: RequestScan, unitMark: number, length: number): Stated | null {
  const packed = scan.units[unitMark]! - 1;
  const unit = units[packed & 15]!;
  const number = numberOf(scan, unitMark, unit);
  if (number < 0) return null;
  const { amount, first } = amountAt(scan, number);
  if (!isWish(scan, first, unitMark, length)) return null;
  const bound = boundOf(rolesNear(scan, first, reach, 0), rolesNear(scan, unitMark, 0, 3));
  return {
    unit,
    amount,
    bound,
    tokens: tokensOf(amount, unit, packed >> 4) * usedOf[bound],
    each: (rolesNear(scan, unitMark, reach, 2) & bitOf.each) !== 0,
  };
}

/** Signs that bound a number, or say that it belongs to a given text. */
const wideMost = ['以内', '以下', '이내', '이하', '不超过', '不超過', '최대', '最多', '最大'];
const wideLeast = ['以上', '至少', '이상', '최소', '少なくとも'];
const wideGiven = ['这', '這', 'この', '이 '];

function wideStated(text: string, { at, from, tokens, unit }: WideLength): Stated | null {
  const before = text.slice(Math.max(0, from - 4), from),
    around = before + text.slice(at, at + 8);
  if (wideGiven.some((sign) => before.endsWith(sign))) return null;
  const has = (signs: readonly string[]): boolean => signs.some((sign) => around.includes(sign));
  const bound = has(wideMost) ? 'most' : has(wideLeast) ? 'least' : 'about';
  return { unit, amount: 1, bound, tokens: tokens * usedOf[bound], each: false };
}

/** The one length that counts among those stated: of the finest unit, the longest. */
function chosen(stated: readonly Stated[]): RequestedLength | null {
  let best: Stated | null = null;
  for (const one of stated) {
    const rank = precedence.indexOf(one.unit) - (best ? precedence.indexOf(best.unit) : Infinity);
    if (rank < 0 || (rank === 0 && one.tokens > best!.tokens)) best = one;
  }
  if (!best) return null;
  const several = best.each
    ? stated.find((one) => one !== best && parts.has(one.unit) && one.unit !== best.unit)
    : undefined;
  const tokens = best.tokens * (several?.amount ?? 1);
  return { tokens: Math.min(maxRequested, Math.max(1, tokens)), bound: best.bound };
}

/**
 * The length that a scanned text asks for; null if it states none.
 * @param text what the scan has read
 */
export function lengthIn(scan: RequestScan, text: string): RequestedLength | null {
  const stated: Stated[] = [];
  for (let mark = 0; mark < scan.marks; mark++) {
    if (scan.units[mark] === 0) continue;
    const one = statedAt(scan, mark, text.length);
    if (one) stated.push(one);
  }
  for (const wide of scan.wide) {
    const one = wideStated(text, wide);
    if (one) stated.push(one);
  }
  return chosen(stated);
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
