import {
  capital,
  digit,
  ideograph,
  kindOf,
  letter,
  lowered,
} from '../predictor/features/characters.js';
import { emptyHash, hashNext, hashWord } from '../predictor/features/grams.js';
import { entriesOf, type LanguageWords, languageWords } from '../../text/words.js';

/** What a word says about the wanted answer: the lists of `cues` in `config/words`. */
const cueNames = [
  'story',
  'essay',
  'letter',
  'poem',
  'shortText',
  'translate',
  'summarise',
  'rewrite',
  'extract',
  'classify',
  'prove',
  'code',
  'explain',
  'ask',
  'greet',
  'program',
  'data',
  'write',
  'brief',
  'long',
  'only',
  'one',
  'label',
  'yes',
  'no',
  'given',
  'definite',
] as const;
export type Cue = (typeof cueNames)[number];

/** The bit of a cue: one word may have several. */
export const cueBit = Object.fromEntries(
  cueNames.map((name, place) => [name, 1 << place]),
) as Readonly<Record<Cue, number>>;

/** The units of stated lengths, the most precise first. */
export const units = [
  'tokens',
  'words',
  'characters',
  'pages',
  'paragraphs',
  'sentences',
  'items',
  'lines',
] as const;
export type Unit = (typeof units)[number];

/** A unit with the language that names it so. */
export interface NamedUnit {
  readonly unit: Unit;
  readonly language: LanguageWords;
}

/** A known word or a number of a request. */
export interface RequestWord {
  /** Its place among all words, and its first and last character. */
  readonly place: number;
  readonly start: number;
  readonly end: number;
  /** Bits by `cueBit`. */
  cues: number;
  readonly unit: NamedUnit | null;
  /** A number in digits; 0: none. */
  readonly value: number;
}

/** What was read of a text. */
export interface RequestWords {
  readonly known: readonly RequestWord[];
  /** How many words there are, unknown ones too. */
  readonly count: number;
  /** About how many tokens the text has. */
  readonly tokens: number;
}

/** What is known of a word in itself. */
type Entry = Pick<RequestWord, 'cues' | 'unit'>;

/** The words that are looked up, and phrases and units of languages without blanks. */
interface Lexicon {
  /** By `hashWord`. */
  readonly words: ReadonlyMap<number, Entry>;
  readonly phrases: readonly (readonly [phrase: string, cues: number])[];
  readonly unspacedUnits: readonly (readonly [name: string, unit: NamedUnit])[];
}

/** Whether blanks divide a language's entry: Korean has blanks, but its particles need none. */
export const isSpaced = ({ wordsAreSpaced }: LanguageWords, entry: string): boolean =>
  wordsAreSpaced && !/\p{Script=Hangul}/u.test(entry);

function buildLexicon(): Lexicon {
  const words = new Map<number, { cues: number; unit: NamedUnit | null }>();
  const phrases: [string, number][] = [],
    unspacedUnits: [string, NamedUnit][] = [];
  const entryOf = (word: string): { cues: number; unit: NamedUnit | null } => {
    const hash = hashWord(word),
      entry = words.get(hash) ?? { cues: 0, unit: null };
    words.set(hash, entry);
    return entry;
  };
  for (const language of languageWords()) {
    for (const cue of cueNames)
      for (const entry of entriesOf(language.cues[cue]))
        if (isSpaced(language, entry)) entryOf(entry).cues |= cueBit[cue];
        else phrases.push([entry, cueBit[cue]]);
    for (const unit of units)
      for (const name of entriesOf(language.units[unit]))
        if (isSpaced(language, name)) entryOf(name).unit ??= { unit, language };
        else unspacedUnits.push([name, { unit, language }]);
  }
  unspacedUnits.sort(([a], [b]) => b.length - a.length);
  return { words, phrases, unspacedUnits };
}

let built: Lexicon | undefined;
const lexicon = (): Lexicon => (built ??= buildLexicon());

/** What phrases of languages without blanks say in a text, as bits by `cueBit`. */
export function phraseCues(text: string): number {
  if (!/[\u3040-\ud7ff]/.test(text)) return 0;
  return lexicon().phrases.reduce(
    (cues, [phrase, bit]) => (cues & bit || !text.includes(phrase) ? cues : cues | bit),
    0,
  );
}

/** The unit of a language without blanks that stands at a place of a text; null: none. */
export function unspacedUnitAt(text: string, at: number): NamedUnit | null {
  if (!(text.charCodeAt(at) >= 0x3040)) return null;
  return lexicon().unspacedUnits.find(([name]) => text.startsWith(name, at))?.[1] ?? null;
}

/** From this length on, a text is mostly material: what is wanted stands at one of its ends. */
const headLength = 900,
  tailLength = 600;

/** A number in digits, with the lower end of its range, grouping signs and a multiplier. */
const number =
  /(?:([\d٠-٩]{1,6})[-–])?([\d٠-٩]{1,3}(?:[.,'’ \u00a0\u202f][\d٠-٩]{3})+(?![\d٠-٩])|[\d٠-٩]{1,12}(?:[.,][\d٠-٩]+)?)(?:[ -]?(k|千|万|萬|천|만)(?![a-z]))?/iy;
const grouped = /^\d{1,3}(?:\D\d{3})+$/;
const scaleOf = (sign: string): number => (/[万萬만]/.test(sign) ? 1e4 : 1e3);

function amountOf(digits: string, scale: string | undefined): number {
  // almost all numbers are a few plain digits
  if (scale === undefined && /^\d+$/.test(digits)) return Number(digits);
  const western = digits.replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 15));
  const plain = grouped.test(western) ? western.replace(/\D/g, '') : western.replace(',', '.');
  return Number(plain) * (scale === undefined ? 1 : scaleOf(scale));
}

/** The number that a match of `number` is; of a range the middle. */
function valueOf([, low, digits, scale]: RegExpExecArray): number {
  const high = amountOf(digits!, scale),
    least = low === undefined ? high : amountOf(low, scale);
  return least < high && high <= least * 4 ? (least + high) / 2 : high;
}

const isDigit = (code: number): boolean =>
  code < 128 ? code >= 48 && code < 58 : code >= 0x660 && code < 0x66a;

/** The sign in lower case if it is part of a word; else 0. */
function wordSign(code: number): number {
  const kind = kindOf(code);
  if (kind === capital) return lowered(code);
  return kind === letter || kind === digit ? code : 0;
}
const wordSigns = Uint8Array.from({ length: 128 }, (_, code) => wordSign(code));

const charactersPerToken = 4.3;
/** Tokens of a sign of Chinese, Japanese and Korean, and of a letter of other scripts but Latin. */
const wideTokens = 0.8,
  otherTokens = 0.4;

/** Reads pieces of one text from left to right, without backtracking. */
class WordReader {
  readonly known: RequestWord[] = [];
  place = 0;
  /** Signs that cost more tokens than Latin letters, and all that were read. */
  private wide = 0;
  private other = 0;
  private signs = 0;
  private readonly lexicon = lexicon();

  constructor(private readonly text: string) {}

  read(from: number, to: number): void {
    const { text } = this;
    this.signs += to - from;
    let at = from;
    while (at < to) {
      const code = text.charCodeAt(at);
      if (isDigit(code)) at = this.number(at);
      else if (code < 128 ? wordSigns[code]! > 0 : wordSign(code) > 0) at = this.word(at, to);
      else {
        // Chinese and Japanese divide nothing by blanks: each sign counts as a word
        if (code > 127 && kindOf(code) === ideograph) {
          this.place++;
          this.wide++;
        }
        at++;
      }
    }
  }

  /** About how many tokens the whole text has. */
  tokens(): number {
    const { wide, other, signs, text } = this;
    const latin = Math.max(0, signs - wide - other) / charactersPerToken;
    const read = latin + wide * wideTokens + other * otherTokens;
    return signs === 0 ? 0 : (read * text.length) / signs;
  }

  private word(start: number, to: number): number {
    let hash = emptyHash,
      end = start;
    for (; end < to; end++) {
      const code = this.text.charCodeAt(end);
      const sign = code < 128 ? wordSigns[code]! : wordSign(code);
      if (sign === 0) break;
      hash = hashNext(hash, sign);
    }
    const first = this.text.charCodeAt(start);
    if (first >= 0xac00) this.wide += end - start;
    else if (first >= 0x370) this.other += end - start;
    this.place++;
    const entry = this.lexicon.words.get(hash);
    if (entry) {
      const { cues, unit } = entry;
      this.known.push({ place: this.place, start, end, cues, unit, value: 0 });
    }
    return end;
  }

  private number(start: number): number {
    number.lastIndex = start;
    const match = number.exec(this.text)!;
    const end = start + match[0].length,
      value = valueOf(match);
    this.place++;
    const cues = match[0] === '1' ? cueBit.one : 0;
    if (value > 0) this.known.push({ place: this.place, start, end, cues, unit: null, value });
    return end;
  }
}

/** Reads the words that tell something: all of a text, or the first 900 and last 600 characters. */
export function readWords(text: string): RequestWords {
  const reader = new WordReader(text);
  const isWhole = text.length <= headLength + tailLength;
  reader.read(0, isWhole ? text.length : headLength);
  if (!isWhole) reader.read(text.length - tailLength, text.length);
  return { known: reader.known, count: reader.place, tokens: reader.tokens() };
}
