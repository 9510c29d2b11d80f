import { asciiDigits, numberPattern, smallNumbers, readNumbers } from './numbers.js';

/** What a text is compared by: its words, numbers and, without spaces, groups of signs. */
export interface TextTerm {
  readonly kind: 'number' | 'word' | 'signs';
  /** Equal for forms of a word that mean the same; of a number its first value. */
  readonly key: string;
  /** A word as written. */
  readonly written: string;
  readonly start: number;
  /** Of a number, what it may mean and how much its last digit is. */
  readonly values: readonly number[];
  readonly step: number;
}

const pairs = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー々';
const triples = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const tokens = new RegExp(
  `(?<number>${numberPattern})|(?<pairs>[${pairs}]+)|(?<triples>[${triples}]+)|` +
    "(?<word>[\\p{L}\\p{M}]+(?:['’][\\p{L}\\p{M}]+)*)",
  'gu',
);

const none: readonly number[] = [];

/** Words without case and accents; `'s` and like endings go. */
function wordKey(word: string): string {
  if (/^[a-z]+$/.test(word)) return word;
  const lower = word.toLowerCase();
  const isAscii = /^[a-z'’]+$/.test(lower);
  const plain = isAscii
    ? lower
    : lower.normalize('NFKD').replace(/\p{M}/gu, '').replace(/ß/g, 'ss');
  if (!/['’]/.test(plain)) return plain;
  return plain.replace(/['’]s?$/, '').replace(/^(?:[ldj]|qu|dell|all|nell)['’]/, '');
}

/** Words that begin alike are often forms of one; '' for short ones. */
export const stemOf = (key: string): string =>
  key.length >= 6
    ? `~${key.slice(0, 5)}`
    : key.length >= 4 && key.charCodeAt(0) > 0x2ff
      ? `~${key.slice(0, key.length - 1)}`
      : '';

/** Finds the terms of a text, in its order. Takes time in proportion to its length. */
export function termsOf(given: string): TextTerm[] {
  const text = asciiDigits(given);
  const terms: TextTerm[] = [];
  const add = (kind: TextTerm['kind'], key: string, written: string, start: number): void => {
    terms.push({ kind, key, written, start, values: none, step: 0 });
  };
  tokens.lastIndex = 0;
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const { index, groups = {}, 0: written } = found;
    if (groups.word !== undefined) addWord(terms, written, index);
    else if (groups.number !== undefined)
      tokens.lastIndex = addNumbers(terms, text, index, written);
    else addSigns(written, index, groups.pairs === undefined ? 3 : 2, add);
  }
  return terms;
}

function addWord(terms: TextTerm[], written: string, start: number): void {
  const key = wordKey(written);
  const value = smallNumbers.get(key);
  if (value === undefined) terms.push({ kind: 'word', key, written, start, values: none, step: 0 });
  else terms.push({ kind: 'number', key: `#${value}`, written, start, values: [value], step: 0 });
}

function addNumbers(terms: TextTerm[], text: string, start: number, written: string): number {
  let end = start + written.length;
  for (const number of readNumbers(text, start, written)) {
    const { values, step } = number;
    terms.push({ kind: 'number', key: `#${values[0]!}`, written, start, values, step });
    end = number.end;
  }
  return end;
}

function addSigns(
  run: string,
  start: number,
  size: number,
  add: (kind: 'signs', key: string, written: string, start: number) => void,
): void {
  if (run.length <= size) add('signs', run, run, start);
  else
    for (let at = 0; at + size <= run.length; at++) {
      const signs = run.slice(at, at + size);
      add('signs', signs, signs, start + at);
    }
}
