import { bitOf, sizeBitOf } from './cues.js';
import { isDefiniteAnywhere, wordBefore, wordBehind } from './near-words.js';
import type { RequestScan } from './request-scan.js';

/** How large what a request asks for is, beside its kind. */
export interface Deliverable {
  /** Whether it is a text of many pages, as a novel or a thesis. */
  readonly isLong: boolean;
  /** Whether code is to come with a proof, tests or documentation. */
  readonly isWhole: boolean;
  /** Parts that a list names: `with pricing, partners and a risk register`; 1: none. */
  readonly parts: number;
}

const forms = bitOf.story | bitOf.essay;
/** Nouns that are adjectives as well count before these, or at the end of a clause. */
const behindNoun = new Set(
  'about on in of for with where that which who set based titled called by and chapter'.split(' '),
);
const adjective = /^(?:novel|manual)$/;

const wordAt = (text: string, at: number): string =>
  /^[\p{L}\p{M}]+/u.exec(text.slice(at, at + 24))?.[0].toLowerCase() ?? '';

/** Whether a question stands before a mark, and no wish for a text. */
function isAskedAbout(scan: RequestScan, mark: number): boolean {
  for (let at = mark - 1; at >= 0; at--) {
    if (scan.roles[at]! & bitOf.write) return false;
    if (scan.roles[at]! & bitOf.ask) return true;
  }
  return false;
}

function isLongText(scan: RequestScan, text: string, mark: number): boolean {
  if ((scan.roles[mark]! & forms) === 0 || isAskedAbout(scan, mark)) return false;
  const start = scan.starts[mark]!;
  if (!adjective.test(wordAt(text, start))) return true;
  const behind = wordBehind(text, start);
  return behind === '' || behindNoun.has(behind);
}

const workOnBooks =
  forms | bitOf.summarise | bitOf.letter | bitOf.tiny | bitOf.poem | bitOf.inside | bitOf.code;
/** Verbs for texts alone: one may `find`, `give` or `book a book`. */
const writing = new Set(
  'write draft compose author schreibe schreib verfasse écris écrivez rédige rédigez escribe redacta escreva redija scrivi schrijf napisz напиши напишите اكتب أكتب'.split(
    ' ',
  ),
);
const writtenReach = 5;

/** Whether a mark is a book that somebody is to write: `write a children's book`. */
function isWrittenBook(scan: RequestScan, text: string, mark: number): boolean {
  if (scan.roles[mark]! & forms || isDefiniteAnywhere(wordBefore(text, scan.starts[mark]!)))
    return false;
  for (let at = mark - 1; at >= 0 && scan.words[mark]! - scan.words[at]! <= writtenReach; at--) {
    if (scan.roles[at]! & (bitOf.given | bitOf.about | workOnBooks)) return false;
    if (scan.roles[at]! & bitOf.write) return writing.has(wordAt(text, scan.starts[at]!));
  }
  return false;
}

/** Gives books that are to be written the role of a text: nobody writes those that one only names. */
export function settleBooks(scan: RequestScan, text: string): void {
  for (const { mark, size } of scan.sized)
    if (size & sizeBitOf.long && isWrittenBook(scan, text, mark)) scan.roles[mark]! |= bitOf.essay;
}

/** Of so many lists the first long one counts. */
const maxLists = 2;
const written = bitOf.write | bitOf.essay;
/** Longer pieces between commas are clauses, no parts. */
const maxItem = 40;
const maxList = 300,
  minParts = 3,
  maxParts = 8;
const commas = /[,،、，]/;
const joints =
  /,\s+(?:and|und|et|y|e|en|oraz|i|и|ve)\s|,\s|\s(?:and|und|et|y|e|en|oraz|i|и|ve)\s|،|、|，/;

/** How many parts the list behind an opener names, up to the end of its sentence. */
function partsBehind(text: string, start: number): number {
  const [list] = text.slice(start, start + maxList).split(/[.!?:;\n]/, 1);
  if (!commas.test(list!)) return 1;
  const items = list!.split(joints);
  const clause = items.findIndex((item) => item.length > maxItem);
  return Math.min(maxParts, clause < 0 ? items.length : clause);
}

/**
 * How large a deliverable a scanned text asks for, from what stands at the beginning of the text.
 * @param head as many characters are read
 * @param roles those of the text: a list is read where something is to be written
 */
export function deliverableIn(
  scan: RequestScan,
  text: string,
  head: number,
  roles: number,
): Deliverable {
  let lists = roles & written ? maxLists : 0,
    isLong = false,
    isWhole = false,
    parts = 1,
    isOpen = false;
  for (const { mark, size } of scan.sized) {
    if (scan.starts[mark]! >= head) break;
    if (size & sizeBitOf.long) isLong ||= isLongText(scan, text, mark);
    isWhole ||= isOpen && (size & sizeBitOf.companion) !== 0;
    if ((size & sizeBitOf.opener) === 0) continue;
    isOpen = true;
    if (lists-- > 0 && parts < minParts) parts = partsBehind(text, scan.starts[mark]!);
  }
  return { isLong, isWhole, parts: parts < minParts ? 1 : parts };
}
