import { entriesOf, languageWords } from '../../text/words.js';
import {
  cueBit,
  isSpaced,
  type NamedUnit,
  type RequestWord,
  type RequestWords,
  type Unit,
  units,
  unspacedUnitAt,
} from './request-words.js';

/** How long an answer a text asks for. */
export interface StatedLength {
  /** Expected tokens of such an answer. */
  readonly tokens: number;
  /** What the stated number is of the answer: about its length, its upper or its lower bound. */
  readonly bound: 'about' | 'most' | 'least';
}

type Stated = StatedLength & { readonly unit: Unit };

/** Words of a unit for each unit; a bullet point is longer than a line. */
const wordsPerUnit: Readonly<Record<Exclude<Unit, 'tokens' | 'characters'>, number>> = {
  words: 1,
  pages: 450,
  paragraphs: 85,
  sentences: 19,
  lines: 9,
  items: 22,
};
/** Answers stay somewhat below an upper bound and above a lower one. */
const usedOf = { about: 1, most: 0.75, least: 1.2 };
const maxTokens = 100_000;

function tokensOf(amount: number, { unit, language }: NamedUnit): number {
  if (unit === 'tokens') return amount;
  return unit === 'characters'
    ? amount / language.charactersPerToken
    : amount * wordsPerUnit[unit] * language.tokensPerWord;
}

/** How many words may stand between a number and a part: `3 short paragraphs`. */
const maxBetween = 2;
/** How many words may stand between a length and what asks for it, in any order; of parts fewer. */
const wishReach = 25,
  partReach = 6;
/** How many words before a number tell what it is the length of. */
const maxOther = 4;
/** A text of fewer words may begin with its length: `a 500-word essay on love`. */
const maxBareWords = 12;
/** More sentences or points than these are counted, not asked for. */
const maxParts = 200;
/** Characters before a number, and behind its unit, in which a bound may stand. */
const boundBefore = 32,
  boundBehind = 16;

/** What is done with a text that there is already, and what a request asks to be written. */
const worksOnText =
  cueBit.translate | cueBit.summarise | cueBit.rewrite | cueBit.extract | cueBit.explain;
const wishes =
  worksOnText | cueBit.write | cueBit.story | cueBit.essay | cueBit.letter | cueBit.poem;
/** Units of a whole text: `a 500-word text`. */
const measures: ReadonlySet<Unit> = new Set<Unit>(['words', 'characters', 'tokens', 'pages']);
/** Parts that may have a length of their own: `sentences under 20 words`. */
const pieces: ReadonlySet<Unit> = new Set<Unit>(['paragraphs', 'sentences', 'lines']);

/** Finds the phrases of bounds in all languages, and tells which bound each names. */
interface Bounds {
  readonly pattern: RegExp;
  readonly named: ReadonlyMap<string, StatedLength['bound']>;
}

function buildBounds(): Bounds {
  const named = new Map<string, StatedLength['bound']>();
  const spaced: string[] = [],
    unspaced: string[] = [];
  for (const language of languageWords())
    for (const bound of ['most', 'least'] as const)
      for (const phrase of entriesOf(language.cues[bound === 'most' ? 'atMost' : 'atLeast'])) {
        named.set(phrase, bound);
        (isSpaced(language, phrase) ? spaced : unspaced).push(phrase);
      }
  // of phrases that begin at one place the longest counts
  const anyOf = (phrases: string[]): string =>
    `(?:${phrases.sort((a, b) => b.length - a.length).join('|')})`;
  const letter = '[\\p{L}\\p{M}]';
  const source = `(?<!${letter})${anyOf(spaced)}(?!${letter})|${anyOf(unspaced)}`;
  return { pattern: new RegExp(source, 'u'), named };
}

let bounds: Bounds | undefined;

/** The bound that a few words name; of two, the first: `no more than` begins before `more than`. */
function boundIn(words: string): StatedLength['bound'] {
  bounds ??= buildBounds();
  const found = bounds.pattern.exec(words.toLowerCase());
  return (found && bounds.named.get(found[0])) ?? 'about';
}

const clauseEnd = /[,،、!?;:\n。！？؟।]|\.\s\p{Lu}/u;

/** What a number is, by the words of its clause before it and behind its unit. */
function boundAt(text: string, start: number, end: number): StatedLength['bound'] {
  const before = text.slice(Math.max(0, start - boundBefore), start).split(clauseEnd);
  const [behind] = text.slice(end, end + boundBehind).split(clauseEnd, 1);
  const bound = boundIn(before.at(-1)!.replace(/^.*\d/, ''));
  // `in at most 5 paragraphs` is said of the next number
  return bound === 'about' && !/\d/.test(behind!) ? boundIn(behind!) : bound;
}

/** A number with its unit, and where they begin and end. */
interface Measured {
  readonly amount: number;
  readonly named: NamedUnit;
  readonly first: RequestWord;
  readonly end: number;
}

/** The unit of the number at a place among the known words; null: it has none. */
function measuredAt(known: readonly RequestWord[], at: number, text: string): Measured | null {
  const first = known[at]!;
  const isOne = (first.cues & cueBit.one) !== 0;
  const amount = isOne ? 1 : first.value;
  if (amount === 0) return null;
  const next = text.charAt(first.end) === ' ' ? first.end + 1 : first.end;
  const unspaced = isOne ? null : unspacedUnitAt(text, next);
  if (unspaced) return { amount, named: unspaced, first, end: next };
  for (let ahead = at + 1; ahead < known.length; ahead++) {
    const word = known[ahead]!;
    const between = word.place - first.place - 1;
    if (between > maxBetween || word.value > 0) return null;
    if (!word.unit) continue;
    // `5 thousand words` is not read
    if (between > 0 && measures.has(word.unit.unit)) return null;
    return { amount, named: word.unit, first, end: word.end };
  }
  return null;
}

/**
 * Whether a length is not that of the answer: of a given text (`this 2,000-word essay`, `a book has
 * 300 pages`) or of each part (`sentences under 20 words`).
 */
function isOfOther({ known }: RequestWords, text: string, { first, named }: Measured): boolean {
  const isMeasure = measures.has(named.unit),
    isBound = text.charAt(first.end) === '-';
  return known.some(({ cues, unit, place }) => {
    const away = first.place - place;
    if (away <= 0 || away > maxOther) return false;
    if (away === 1 && cues & cueBit.given) return true;
    if (!isMeasure) return false;
    if (cues & cueBit.shortText || (unit && pieces.has(unit.unit))) return true;
    return away === 1
      ? (cues & cueBit.definite) !== 0
      : away === 2 && isBound && (cues & worksOnText) !== 0;
  });
}

/** Whether something near a length asks for it. Of parts, `give me 10 ideas`, it stands before. */
function isWished({ known, count }: RequestWords, { first, named, amount }: Measured): boolean {
  if (!named.language.wordsAreSpaced || (count < maxBareWords && known[0] === first)) return true;
  const isMeasure = measures.has(named.unit);
  if (!isMeasure && amount > maxParts) return false;
  return known.some(({ cues, place }) => {
    const away = first.place - place;
    return (
      cues & wishes &&
      away <= (isMeasure ? wishReach : partReach) &&
      away >= (isMeasure ? -wishReach : 0)
    );
  });
}

function statedAt(words: RequestWords, text: string, at: number): Stated | null {
  const measured = measuredAt(words.known, at, text);
  if (!measured || isOfOther(words, text, measured) || !isWished(words, measured)) return null;
  const bound = boundAt(text, measured.first.start, measured.end);
  const tokens = tokensOf(measured.amount, measured.named) * usedOf[bound];
  return { unit: measured.named.unit, tokens, bound };
}

const rankOf = ({ unit }: Stated): number => units.indexOf(unit);

/** Of lengths the one of the finest unit, of these the longest. */
const finest = (stated: readonly Stated[]): Stated | undefined =>
  [...stated].sort((a, b) => rankOf(a) - rankOf(b) || b.tokens - a.tokens)[0];

/**
 * The length that a text states in digits: `1,500 words`, `max. 200 characters`, `500字以内`, and
 * `in one sentence`. Null if it states none. Numbers in words are not read.
 * @param words what was read of the text
 */
export function statedLength(words: RequestWords, text: string): StatedLength | null {
  const stated: Stated[] = [];
  for (let at = 0; at < words.known.length; at++) {
    const one = statedAt(words, text, at);
    if (one) stated.push(one);
  }
  const length = finest(stated.filter(({ bound }) => bound !== 'most')),
    limit = finest(stated.filter(({ bound }) => bound === 'most'));
  const isLimited =
    limit && (!length || (rankOf(limit) <= rankOf(length) && limit.tokens < length.tokens));
  const one = isLimited ? limit : length;
  if (!one) return null;
  const bound = isLimited && length ? 'about' : one.bound;
  return { tokens: Math.min(maxTokens, Math.max(1, one.tokens)), bound };
}
