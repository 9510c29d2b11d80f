import { capital, kindOf, letter } from '../predictor/features/characters.js';

/** The longest word that is looked at. */
const longestWord = 24;

const quotes = '"\'„“»«*_';

function isLetter(code: number): boolean {
  const kind = kindOf(code);
  return kind === letter || kind === capital;
}

/** The word before a place in a text, in lower case; empty at the beginning of a line. */
export function wordBefore(text: string, at: number): string {
  const least = Math.max(0, at - longestWord);
  let end = at;
  while (end > least && quotes.includes(text[end - 1]!)) end--;
  const open = end;
  while (end > least && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  if (end === open) return '';
  let start = end;
  while (start > least && isLetter(text.charCodeAt(start - 1))) start--;
  return text.slice(start, end).toLowerCase();
}

/** The word behind the one that begins at a place, in lower case; empty at the end of a line. */
export const wordBehind = (text: string, at: number): string =>
  /^[\p{L}\p{M}]+[ \t]+([\p{L}\p{M}]+)/u
    .exec(text.slice(at, at + longestWord))?.[1]
    ?.toLowerCase() ?? '';

/** Words before something that both sides know: `the article` is not to be written. */
const definite = new Set(
  'the der die das dem den des le la les el los las il lo gli de het'.split(' '),
);
/** Whether a word is an article of that kind. */
export const isDefinite = (word: string): boolean => definite.has(word);

/** The Dutch article is a preposition elsewhere: `una historia de 800 palabras`. */
export const isDefiniteAnywhere = (word: string): boolean => word !== 'de' && definite.has(word);

/** Words directly before a length that is wanted: `to 500 words`, `another 3,000 words`. */
const leads = new Set(
  'to another additional further auf weitere weiteren weiterer noch à autres encore otras otros hasta outras outros até para altre altri fino tot naar nog kolejne kolejnych do до ещё еще daha और إلى الى'.split(
    ' ',
  ),
);
/** Whether a word may stand between a wish and a length: `to`, `another`. */
export const leadsToLength = (word: string): boolean => leads.has(word);

/** Words directly before a number that make it an upper bound; `to` only behind `up`. */
const ceilings = new Set('hasta até tot do до'.split(' '));
const toCeiling = new Map([
  ['to', 'up '],
  ['à', 'jusqu'],
  ['zu', 'bis '],
  ['a', 'fino '],
]);

/** Whether the words before a number mean `up to`. */
export function isUpTo(text: string, at: number): boolean {
  const word = wordBefore(text, at);
  const before = toCeiling.get(word);
  if (before === undefined) return ceilings.has(word);
  return text
    .slice(Math.max(0, at - longestWord), at)
    .toLowerCase()
    .includes(before);
}

/** Words that turn `less` behind them into `at least`: `au moins`, `al menos`, `pelo menos`. */
const atBefore = new Set('au al lo pelo ao'.split(' '));
/** Whether `less` means `at least` behind a word. */
export const meansAtLeast = (word: string): boolean => atBefore.has(word);
