import { entriesOf, languageWords } from '../../text/words.js';

/** A part of a text, in UTF-16 units. */
export interface Sentence {
  readonly start: number;
  readonly end: number;
}

/** Longer sentences are cut: texts without marks, such as lists and tables, are many. */
const maxLength = 600;

const marks = /[.!?…。！？｡؟۔।॥։።။។\n]/g;
const spaced = '.!?…';
const blank = /\s/;
const closers = /^["'’”»›)\]}*_」』）】〉》]{1,6}/;

/** Abbreviations in lower case, whose full stop ends no sentence. */
const abbreviations: ReadonlySet<string> = new Set(
  languageWords().flatMap(({ evidence }) => entriesOf(evidence['abbreviations'])),
);
const months =
  /^(?:jan|feb|mär|mar|apr|mai|maj|jun|jul|aug|sep|okt|oct|nov|dez|dec|led|úno|bře|dub|kvě|čer|srp|zář|říj|lis|pro|sty|lut|kwi|paź|gru)/i;

/** The place after the sentence that ends with the mark at a place; -1 if none does. */
function endAfter(text: string, at: number): number {
  const mark = text[at]!;
  if (mark === '\n') return isWrapped(text, at) ? -1 : at + 1;
  let end = at + 1;
  while (end < text.length && marksOf(mark).includes(text[end]!)) end++;
  end += closers.exec(text.slice(end, end + 6))?.[0].length ?? 0;
  if (!spaced.includes(mark) || end >= text.length) return end;
  if (!blank.test(text[end]!)) return -1;
  const next = /^\s+(\S{0,4})/.exec(text.slice(end, end + 40))?.[1] ?? '';
  if (/^\p{Ll}/u.test(next)) return -1;
  return mark === '.' && end === at + 1 && isAbbreviation(text, at, next) ? -1 : end;
}

const marksOf = (mark: string): string => (spaced.includes(mark) ? spaced : '。！？｡؟۔।॥');

function isAbbreviation(text: string, dot: number, next: string): boolean {
  const before = text.slice(Math.max(0, dot - 16), dot);
  const word = /[\p{L}\p{N}.]+$/u.exec(before)?.[0] ?? '';
  if (/^\p{N}{1,2}$/u.test(word))
    return months.test(next) || /(?:^|\n)[ \t>]*$/.test(before.slice(0, -word.length));
  return /^(?:\p{L}|\p{Lu}(?:\.\p{Lu})+)$/u.test(word) || abbreviations.has(word.toLowerCase());
}

/** Whether a line break stands within a sentence, because lines are of one length. */
function isWrapped(text: string, at: number): boolean {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  return at - lineStart >= 40 && /^[ \t]{0,3}\p{Ll}/u.test(text.slice(at + 1, at + 6));
}

/** The place up to which a text that is too long for a sentence is one. */
function cutBefore(text: string, start: number): number {
  const end = start + maxLength;
  const space = text.slice(start, end).lastIndexOf(' ');
  if (space > maxLength / 2) return start + space + 1;
  return /[\uD800-\uDBFF]/.test(text[end - 1]!) ? end - 1 : end;
}

/**
 * The sentences of a text, lines of lists and rows of tables, in any script. Abbreviations,
 * decimals and initials end none. They follow each other without gaps. Takes time in proportion to
 * the length of the text.
 */
export function* sentencesOf(text: string): Generator<Sentence, void> {
  let start = 0;
  for (let at = 0; start < text.length;) {
    // others may read in between
    marks.lastIndex = at;
    const found = marks.exec(text);
    const end = found ? endAfter(text, found.index) : text.length;
    at = end === -1 ? found!.index + 1 : end;
    if (end === -1) continue;
    while (end - start > maxLength) {
      const cut = cutBefore(text, start);
      yield { start, end: cut };
      start = cut;
    }
    if (end > start) yield { start, end };
    start = end;
  }
}
