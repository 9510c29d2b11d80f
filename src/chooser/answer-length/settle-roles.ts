import { bitOf } from './cues.js';
import { settleBooks } from './deliverable.js';
import { isDefinite, wordBefore, wordBehind } from './near-words.js';
import type { RequestScan } from './request-scan.js';

/** Texts that somebody writes: their names also stand for texts that a request only mentions. */
const forms = bitOf.story | bitOf.essay | bitOf.letter | bitOf.poem | bitOf.tiny;
/** How many words may stand between a form and the verb that asks for it. */
const formReach = 9;
/**
 * A form among the first words is asked for without a verb: `Haiku about rain`; a length may stand
 * before it.
 */
const titleWords = 4,
  measuredTitleWords = 8;
/** How many words may stand between `the sentiment` and `of this review`. */
const gradedReach = 3;

/** What stands before the German and Dutch noun `Brief`; English has none of these words. */
const beforeLetter = new Set(
  'ein einen einem eines der den dem des kein keinen mein meinen dein deinen sein seinen ihr ihren unser unseren euer euren diesen dieser diesem jeden langen kurzen förmlichen formellen freundlichen netten höflichen offenen een de deze mijn jouw zijn haar onze formele korte lange'.split(
    ' ',
  ),
);
/** What follows it: `Brief an`, `brief aan`. */
const behindLetter = new Set(['an', 'aan', 'ans']);
const letterName = /^brief/i;

/** Whether a mark is the noun `Brief` (a letter) of German or Dutch. */
function isLetter(text: string, start: number): boolean {
  if (!letterName.test(text.slice(start, start + 5))) return false;
  return beforeLetter.has(wordBefore(text, start)) || behindLetter.has(wordBehind(text, start));
}

function isAskedForm(scan: RequestScan, text: string, mark: number): boolean {
  const word = scan.words[mark]!;
  for (let at = mark - 1; at >= 0 && word - scan.words[at]! <= formReach; at--) {
    const away = word - scan.words[at]!;
    if (away <= 2 && scan.roles[at]! & bitOf.given) return false;
    if (away === 1 && scan.values[at] === 1) return true;
    if (away <= 2 && scan.units[at]! > 0 && word <= measuredTitleWords) return true;
    if (scan.roles[at]! & bitOf.write)
      return away <= 2 || !isDefinite(wordBefore(text, scan.starts[mark]!));
  }
  return word <= titleWords;
}

/** Whether a mark follows the word before without another word between them. */
const isNext = (scan: RequestScan, mark: number): boolean =>
  mark > 0 && scan.words[mark]! - scan.words[mark - 1]! === 1;

function isGraded(scan: RequestScan, mark: number): boolean {
  for (let at = mark + 1; at < scan.marks; at++) {
    if (scan.words[at]! - scan.words[mark]! > gradedReach) return false;
    if (scan.roles[at]! & (bitOf.given | bitOf.each)) return true;
  }
  return false;
}

/** `how many` asks for a fact, `how long` for no long answer; `explain briefly` is no question. */
function settleQuestion(scan: RequestScan, mark: number): void {
  const before = mark - 1;
  const asking = scan.roles[before]! & (bitOf.explain | bitOf.write);
  if (!isNext(scan, mark) || asking !== bitOf.explain) return;
  const roles = scan.roles[mark]!;
  if (roles & (bitOf.long | bitOf.brief)) {
    scan.roles[mark] = roles & ~(bitOf.long | bitOf.brief);
    scan.roles[before] = (scan.roles[before]! & ~bitOf.explain) | bitOf.ask;
  } else if (roles & bitOf.ask) scan.roles[before] = scan.roles[before]! & ~bitOf.explain;
}

/**
 * Takes roles from the marks of a scan that the words around them speak against: of a text that is
 * only mentioned (`the article`), of `rate` in `the tax rate`, of the German letter `Brief`, which
 * is no wish for brevity. Looks at single marks and a few words around them.
 * @param text what the scan has read
 */
export function settleRoles(scan: RequestScan, text: string): void {
  for (let mark = 0; mark < scan.marks; mark++) {
    settleQuestion(scan, mark);
    let roles = scan.roles[mark]!;
    if (roles & bitOf.brief && isLetter(text, scan.starts[mark]!))
      roles = (roles & ~bitOf.brief) | bitOf.letter;
    if (roles & bitOf.grade && isGraded(scan, mark)) roles |= bitOf.classify;
    if (roles & forms && !isAskedForm(scan, text, mark)) roles &= ~forms;
    scan.roles[mark] = roles;
  }
  settleBooks(scan, text);
}
