/** A number as a text writes it. */
interface WrittenNumber {
  /** What it may mean: `1.234` is two numbers. */
  readonly values: readonly number[];
  /** How much its last digit is, where it was rounded to thousands or more; else 0. */
  readonly step: number;
  /** The place after it, with its scale. */
  readonly end: number;
}

const scales: readonly (readonly [RegExp, number])[] = [
  [/^(?:trillion|兆|조|billones|billions? de milliards)/iu, 1e12],
  [
    /^(?:billion|bn|milliarden?|mrd|milliards?|mil millones|mil milhões|miliardi|miliardo|млрд|миллиард|مليار)/iu,
    1e9,
  ],
  [/^(?:亿|億|억)/u, 1e8],
  [
    /^(?:million|mn|mio|millionen|millions?|millones|millón|milhões|milhão|milioni|milione|млн|миллион|مليون)/iu,
    1e6,
  ],
  [/^(?:万|萬|만)/u, 1e4],
  [/^(?:thousand|tausend|tsd|k(?![\p{L}])|mille|mil(?![\p{L}])|mila|тыс|тысяч|千|천)/iu, 1e3],
];

/** The digits of other scripts, by their zero. */
const zeros = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];

/** Writes digits of all scripts in ASCII; the length stays. */
function asciiDigits(text: string): string {
  if (!/[^\0-\u065f]/.test(text)) return text;
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.charCodeAt(0);
    const zero = zeros.find((each) => code >= each && code < each + 10);
    return zero === undefined ? digit : String(code - zero);
  });
}

/** Digits with the marks between them; blanks between groups of three. */
const numberPattern =
  "(?<!\\p{L})\\d{1,3}(?:[ \\u00a0\\u202f\\u2009]\\d{3})+(?!\\d)(?:[.,]\\d+)?|\\d+(?:[.,'’٬٫]\\d+)*";

/** What the number at a place of a text means. @param written as `numberPattern` found it */
function readNumbers(text: string, at: number, written: string): WrittenNumber[] {
  const end = at + written.length;
  const digits = written.replace(/[ \u00a0\u202f\u2009'’٬]/g, '').replace(/٫/g, '.');
  const parts = digits.split(/[.,]/);
  const isDate = parts.length === 3 && parts.some((part, index) => index > 0 && part.length < 3);
  if (isDate) return parts.map((part) => ({ values: [Number(part)], step: 0, end }));
  const scale = scaleAfter(text, end);
  if (!scale) return [{ values: meanings(digits, parts), step: 0, end }];
  const decimals = parts.length === 2 ? parts[1]!.length : 0;
  const value = Number(parts.length === 2 ? parts.join('.') : parts.join(''));
  const values = [value * scale.factor].map((each) => Number(each.toPrecision(12)));
  return [{ values, step: scale.factor / 10 ** decimals, end: end + scale.length }];
}

function meanings(digits: string, parts: readonly string[]): number[] {
  if (parts.length === 1) return [Number(digits)];
  const whole = Number(parts.join(''));
  const areGroups = parts.slice(1).every((part) => part.length === 3) && parts[0]!.length <= 3;
  if (parts.length > 2) {
    const last = Number(`${parts.slice(0, -1).join('')}.${parts.at(-1)!}`);
    return [areGroups ? whole : last];
  }
  const decimal = Number(parts.join('.'));
  return areGroups ? [whole, decimal] : [decimal];
}

function scaleAfter(text: string, at: number): { factor: number; length: number } | null {
  const after = text.slice(at, at + 24);
  const gap = /^[\s\u00a0-]?/.exec(after)![0].length;
  for (const [pattern, factor] of scales) {
    const found = pattern.exec(after.slice(gap));
    if (found) return { factor, length: gap + found[0].length };
  }
  return null;
}

const numberWords =
  'two zwei deux dos due|three drei trois tres tre|four vier quatre cuatro quattro|five fünf cinq cinco cinque|' +
  'six sechs seis sei|seven sieben sept siete sette|eight acht huit ocho otto|nine neun neuf nueve nove|' +
  'ten zehn dix diez dieci|eleven elf onze once undici|twelve zwölf douze doce dodici';

const smallNumbers: ReadonlyMap<string, number> = new Map(
  numberWords
    .split('|')
    .flatMap((names, index) => names.split(' ').map((name) => [name, index + 2] as const)),
);

/** What a text is compared by: its words and numbers, and the character n-grams of scripts without spaces. */
export interface TextTerm {
  readonly kind: 'number' | 'word' | 'ngram';
  /** Equal for forms of a word that mean the same; of a number its first value. */
  readonly key: string;
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
  tokens.lastIndex = 0;
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const { index, groups = {}, 0: written } = found;
    if (groups.word !== undefined) addWord(terms, written, index);
    else if (groups.number !== undefined)
      tokens.lastIndex = addNumbers(terms, text, index, written);
    else addNgrams(terms, written, index, groups.pairs === undefined ? 3 : 2);
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

/** Each n-gram of `size` characters; a shorter run is one. */
function addNgrams(terms: TextTerm[], run: string, start: number, size: number): void {
  for (let at = 0; at === 0 || at + size <= run.length; at++) {
    const key = run.slice(at, at + size);
    terms.push({ kind: 'ngram', key, written: key, start: start + at, values: none, step: 0 });
  }
}
