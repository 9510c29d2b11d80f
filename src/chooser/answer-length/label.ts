import { bitOf } from './cues.js';
import { wordBehind } from './near-words.js';
import type { RequestScan } from './request-scan.js';

/** Whether marks of two roles stand within so many words, in this order. */
export function isNear(scan: RequestScan, role: number, other: number, words: number): boolean {
  for (let at = 0; at < scan.marks; at++)
    if (scan.roles[at]! & role && markBehind(scan, at, other, words) >= 0) return true;
  return false;
}

function markBehind(scan: RequestScan, mark: number, role: number, words: number): number {
  for (let at = mark + 1; at < scan.marks; at++) {
    if (scan.words[at]! - scan.words[mark]! > words) return -1;
    if (scan.roles[at]! & role) return at;
  }
  return -1;
}

/** `yes or no` and `yes/no` in one line, not two options that begin with them. */
function offersYes(scan: RequestScan, text: string): boolean {
  for (let at = 0; at + 1 < scan.marks; at++) {
    const first = scan.roles[at]!,
      second = scan.roles[at + 1]!;
    const isPair = first & bitOf.yes ? second & bitOf.not : first & bitOf.not && second & bitOf.yes;
    if (!isPair || scan.words[at + 1]! - scan.words[at]! > 2) continue;
    if (!text.slice(scan.starts[at], scan.starts[at + 1]).includes('\n')) return true;
  }
  return false;
}

/** Whether a clause ends behind the word that begins at a place. */
const endsClause = (text: string, at: number): boolean =>
  /^[\p{L}\p{M}]+["'”»*_)\]]*\s*(?:$|[.,:;!?—–،؟।]|\n)/u.test(text.slice(at, at + 40));
const clauseStart = /(?:^|[.,:;!?\n—–(،؟।])[\s"'“„«*_]*$/;
const beginsClause = (text: string, at: number): boolean =>
  at <= 8 ? clauseStart.test(text.slice(0, at)) : clauseStart.test(`x${text.slice(at - 8, at)}`);

/** What may follow a label that is asked for: `a name for my cat`, `one-word answer`. */
const behindLabel = new Set(
  'for of that between from only answer answers reply response please antwort nur für von de pour per para dla voor'.split(
    ' ',
  ),
);
/** Languages that say `in` behind the noun. */
const insideBehind = new Set(['में', 'ile']);
/** Also names of what is written or built, or no nouns: `a class`, `a true story`. */
const ambiguous = /^(?:class|true|letter|lettre|lettera|letra|category)(?![\p{L}\p{M}])/iu;
const article = /^an?\b/i;

/** Whether a mark within two words before another has one of the roles. */
function hasBefore(scan: RequestScan, mark: number, role: number): boolean {
  for (let at = mark - 1; at >= 0 && scan.words[mark]! - scan.words[at]! <= 2; at--)
    if (scan.roles[at]! & role) return true;
  return false;
}

/** Whether two neighbouring marks, `one` and `word`, are what the answer is to be. */
function isOneLabel(scan: RequestScan, text: string, number: number, label: number): boolean {
  let first = Math.min(number, label);
  const last = Math.max(number, label),
    start = scan.starts[label]!,
    isNumeral = !article.test(text.slice(scan.starts[number], scan.starts[number]! + 3));
  // `with a single word`
  while (
    first > 0 &&
    scan.values[first - 1] === 1 &&
    scan.words[first]! - scan.words[first - 1]! === 1
  )
    first--;
  const isEnd = endsClause(text, scan.starts[last]!);
  const isAmbiguous = ambiguous.test(text.slice(start, start + 9));
  const isInside =
    ((scan.roles[label]! | scan.roles[number]!) & bitOf.inside) !== 0 ||
    hasBefore(scan, first, isAmbiguous ? bitOf.inside : bitOf.inside | bitOf.only) ||
    insideBehind.has(wordBehind(text, scan.starts[last]!));
  if (isInside && (isEnd || isNumeral || hasBefore(scan, first, bitOf.write))) return true;
  if (isAmbiguous) return false;
  const isFollowed = isEnd || behindLabel.has(wordBehind(text, scan.starts[last]!));
  if (beginsClause(text, scan.starts[first]!) && isNumeral) return isFollowed;
  return hasBefore(scan, first, bitOf.write) && isFollowed;
}

const neighbours = /^[\p{L}\p{M}\p{N}]+[ -]$/u;

/** `in one word`, `One word.`, `одним словом`, `كلمة واحدة`. */
function asksForOne(scan: RequestScan, text: string): boolean {
  for (let at = 0; at + 1 < scan.marks; at++) {
    if (scan.words[at + 1]! - scan.words[at]! !== 1) continue;
    const isBefore = scan.values[at] === 1 && (scan.roles[at + 1]! & bitOf.label) !== 0;
    const isBehind = scan.values[at + 1] === 1 && (scan.roles[at]! & bitOf.label) !== 0;
    if (!isBefore && !isBehind) continue;
    if (!neighbours.test(text.slice(scan.starts[at], scan.starts[at + 1]))) continue;
    // digits behind a label are no count: `class 1`
    if (!isBefore && /\d/.test(text[scan.starts[at + 1]!]!)) continue;
    if (isOneLabel(scan, text, isBefore ? at : at + 1, isBefore ? at + 1 : at)) return true;
  }
  return false;
}

/** `only the label`, not `just write a letter`. */
function asksForOnly(scan: RequestScan, text: string): boolean {
  for (let at = 0; at < scan.marks; at++) {
    if ((scan.roles[at]! & bitOf.only) === 0) continue;
    const label = markBehind(scan, at, bitOf.label, 4);
    if (label < 0) continue;
    if ((scan.roles[label]! & bitOf.letter) === 0) return true;
    if (hasBefore(scan, label, bitOf.inside) || endsClause(text, scan.starts[label]!)) return true;
  }
  return false;
}

/** Whether a label, a word or a number is all that a scanned text asks for. */
export function wantsLabel(
  scan: RequestScan,
  roles: number,
  wideRoles: number,
  text: string,
): boolean {
  if ((roles & bitOf.yes && offersYes(scan, text)) || wideRoles & bitOf.yes) return true;
  if (wideRoles & bitOf.only && wideRoles & (bitOf.label | bitOf.classify)) return true;
  if ((roles & bitOf.label) === 0) return false;
  const isOnly = (roles & bitOf.only) !== 0 && (roles & bitOf.json) === 0;
  return (isOnly && asksForOnly(scan, text)) || asksForOne(scan, text);
}
