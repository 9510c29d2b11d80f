import { entriesOf, languageWords } from '../../../text/words.js';

const listed = (name: 'pleas' | 'fillers'): readonly string[] =>
  languageWords().flatMap(({ courtesy }) => entriesOf(courtesy[name]));

/** A sentence of courtesy has one of these words, and otherwise only words of courtesy. */
const telling: ReadonlySet<string> = new Set(listed('pleas'));
const courteous: ReadonlySet<string> = new Set([...telling, ...listed('fillers')]);

const maxSentence = 100,
  maxSentences = 3,
  maxMarks = 100;
/** Words, numbers and signs of mathematics: `please help me with 12 * 37` is not courtesy alone. */
const word = /[\p{L}\p{M}\p{N}\p{Sm}*^/]+/gu;
const anything = /[\p{L}\p{N}\p{Sm}]/u;
const sentenceEnd = /[.!?:\n。！？：؟।]/;
const isFinalMark = /[.!?。！？؟।…\s]/;
const isBlank = (sign: string): boolean => sign === ' ' || sign === '\n';
/** What stands before a text that the request is about. */
const introducing = /[:：]\s*$|["“„«'(][^\S\n]*$/;

/** Whether a sentence is courtesy. @param isBeside whether a sentence of courtesy is next to it */
function isCourtesy(sentence: string, isBeside: boolean): boolean {
  let isTelling = isBeside;
  for (const [found] of sentence.toLowerCase().matchAll(word)) {
    if (!courteous.has(found)) return false;
    isTelling ||= telling.has(found);
  }
  return isTelling;
}

/** Where the first sentence ends, with all its marks; -1: it is long, or the whole text. */
function endOfFirst(text: string, from: number): number {
  const last = Math.min(text.length, from + maxSentence);
  let at = from;
  while (at < last && isBlank(text[at]!)) at++;
  while (at < last && !sentenceEnd.test(text[at]!)) at++;
  while (at < last && (sentenceEnd.test(text[at]!) || text[at] === ' ')) at++;
  return at === last ? -1 : at;
}

/** Where the last sentence before `to` begins; -1: it is long, or the whole text. */
function startOfLast(text: string, from: number, to: number): number {
  const first = Math.max(from, to - maxSentence);
  let at = to;
  while (at > first && (sentenceEnd.test(text[at - 1]!) || text[at - 1] === ' ')) at--;
  while (at > first && !sentenceEnd.test(text[at - 1]!)) at--;
  return at === first ? -1 : at;
}

/** The text without the marks at its end, few of which end a sentence; itself if it is nothing else. */
export function withoutFinalMark(text: string): string {
  const from = Math.max(0, text.length - maxMarks);
  let to = text.length;
  while (to > from && isFinalMark.test(text[to - 1]!)) to--;
  return to === 0 ? text : text.slice(0, to);
}

/**
 * The text without greetings, pleas for help, thanks and `Answer:` at both ends, which say nothing of
 * how hard it is; empty if it consists of nothing else. Knows the languages that have a list of `courtesy` in
 * `config/words`. What a colon or a quotation mark introduces stays: it may be what is to be
 * translated.
 */
export function withoutCourtesy(text: string): string {
  if (text.length <= maxSentence && isCourtesy(text, false)) return '';
  let from = 0,
    to = text.length;
  for (let count = 0; count < maxSentences; count++) {
    const end = endOfFirst(text, from);
    if (end < 0 || !isCourtesy(text.slice(from, end), count > 0)) break;
    from = end;
  }
  for (let count = 0; count < maxSentences; count++) {
    const start = startOfLast(text, from, to);
    if (start < 0 || !isCourtesy(text.slice(start, to), false)) break;
    if (introducing.test(text.slice(Math.max(0, start - maxSentence), start))) break;
    to = start;
  }
  if (from === 0 && to === text.length) return text;
  const left = text.slice(from, to).trim();
  return anything.test(left) && !isCourtesy(left, true) ? left : '';
}
