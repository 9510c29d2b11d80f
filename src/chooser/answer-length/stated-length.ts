import { type Bound, boundAt } from './bounds.js';
import { bitOf } from './cues.js';
import { isDefiniteAnywhere, leadsToLength, wordBefore } from './near-words.js';
import type { RequestScan, WideLength } from './request-scan.js';
import { tokensOf, type Unit, units } from './units.js';

/** A length that a text states. */
export interface Stated {
  readonly unit: Unit;
  readonly amount: number;
  readonly bound: Bound;
  /** Expected tokens of such an answer. */
  readonly tokens: number;
  /** Whether it is the length of each of several parts. */
  readonly each: boolean;
}

/** Answers stay somewhat below an upper bound and above a lower one. */
const usedOf = { about: 1, most: 0.75, least: 1.2 };

const measures = new Set<Unit>(['words', 'characters', 'tokens', 'pages']);
/** Of what an answer consists. */
export const parts: ReadonlySet<Unit> = new Set<Unit>([
  'paragraphs',
  'items',
  'sentences',
  'lines',
]);

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
/** What a length stands before: `a 10k word thesis`. */
const forms = bitOf.story | bitOf.essay | bitOf.letter | bitOf.poem;
/** What is done with a text that there is already. */
const worksOnText =
  bitOf.translate | bitOf.summarise | bitOf.rewrite | bitOf.extract | bitOf.explain;

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

/** A number, or the middle of a range (`300-400`, `between 300 and 400`, `2-3k`). */
function amountAt(scan: RequestScan, mark: number): { amount: number; first: number } {
  const high = scan.values[mark]!;
  for (let at = mark - 1; at >= 0 && scan.words[mark]! - scan.words[at]! <= 3; at--) {
    const isSameScale = scan.bound[at] === 1 && high >= 1000 && scan.values[at]! * 1000 < high;
    const low = scan.values[at]! * (isSameScale ? 1000 : 1);
    const isNear = scan.words[mark]! - scan.words[at]! <= (isSameScale ? 3 : 2);
    if (isNear && low > 1 && low < high && high <= low * 4)
      return { amount: (low + high) / 2, first: at };
  }
  return { amount: high, first: mark };
}

/** Whether a length describes a given text: `this 2,000-word essay`, `summarise a 500-word text`. */
function isGiven(scan: RequestScan, text: string, first: number, unit: Unit): boolean {
  const nearest = rolesNear(scan, first, 2, 0);
  const isWritten = (nearest & bitOf.write) !== 0 && (nearest & worksOnText) === 0;
  if (nearest & bitOf.given && !(nearest & limits)) return true;
  if (isWritten || nearest & limits || !measures.has(unit)) return false;
  if (isDefiniteAnywhere(wordBefore(text, scan.starts[first]!))) return true;
  return scan.bound[first] === 1 && (nearest & worksOnText) !== 0;
}

/** Whether the words around a number ask for a length instead of describing a text. */
function isWish(
  scan: RequestScan,
  text: string,
  first: number,
  unitMark: number,
  unit: Unit,
): boolean {
  const near = rolesNear(scan, first, reach, 0);
  const start = scan.starts[first]!;
  const isMaterial = text.length > longText && start > wishHead && start < text.length - wishTail;
  if (!isMaterial && scan.values[first]! > 1 && leadsToLength(wordBefore(text, start))) return true;
  if (isGiven(scan, text, first, unit)) return false;
  if (isMaterial) return (near & bitOf.write) !== 0;
  if (scan.values[first] === 1)
    return (rolesNear(scan, first, 2, 0) & (bitOf.inside | bitOf.write | limits)) !== 0;
  if (scan.bound[first] === 1 || near & (limits | bitOf.write)) return true;
  if (rolesNear(scan, unitMark, 0, 2) & forms) return true;
  if (rolesNear(scan, unitMark, 0, 3) & (bitOf.most | bitOf.each)) return true;
  if (rolesNear(scan, first, wishReach, wishReach) & bitOf.write) return true;
  return unitMark === scan.marks - 1 && scan.wordCount < 12 && first === 0;
}

/** Whether a limit is that of a part: `sentences under 20 words`, `a title of at most 60 letters`. */
function isOfPart(scan: RequestScan, first: number): boolean {
  for (let at = first - 1; at >= 0 && scan.words[first]! - scan.words[at]! <= reach; at--) {
    if (scan.roles[at]! & bitOf.tiny) return true;
    const unit = units[(scan.units[at]! - 1) & 15];
    if (scan.units[at]! > 0 && unit !== undefined && parts.has(unit))
      return numberOf(scan, at, unit) < 0;
  }
  return false;
}

/** The length whose unit a mark names; null if the text asks for no such length. */
export function statedAt(scan: RequestScan, text: string, unitMark: number): Stated | null {
  const packed = scan.units[unitMark]! - 1;
  const unit = units[packed & 15]!;
  const number = numberOf(scan, unitMark, unit);
  if (number < 0) return null;
  const { amount, first } = amountAt(scan, number);
  if (!isWish(scan, text, first, unitMark, unit)) return null;
  const bound = boundAt(scan, text, first, unitMark);
  if (bound === 'most' && isOfPart(scan, first)) return null;
  return {
    unit,
    amount,
    bound,
    tokens: tokensOf(amount, unit, packed >> 4) * usedOf[bound],
    each: (rolesNear(scan, unitMark, reach, 2) & bitOf.each) !== 0,
  };
}

/** Signs that bound a number, or say that it belongs to a given text. */
const wideMost = [
  '以内',
  '以下',
  '이내',
  '이하',
  '不超过',
  '不超過',
  '최대',
  '最多',
  '最大',
  '까지',
  '넘지',
  '不到',
  '不要超过',
];
const wideLeast = ['以上', '至少', '이상', '최소', '少なくとも'];
const wideGiven = ['这', '這', 'この', '이 '];

/** A length that is stated in Chinese, Japanese or Korean; null if it is that of a given text. */
export function wideStated(text: string, { at, from, tokens, unit }: WideLength): Stated | null {
  const before = text.slice(Math.max(0, from - 4), from),
    around = before + text.slice(at, at + 8);
  if (wideGiven.some((sign) => before.endsWith(sign))) return null;
  const has = (signs: readonly string[]): boolean => signs.some((sign) => around.includes(sign));
  const bound = has(wideMost) ? 'most' : has(wideLeast) ? 'least' : 'about';
  return { unit, amount: 1, bound, tokens: tokens * usedOf[bound], each: false };
}
