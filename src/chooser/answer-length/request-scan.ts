import {
  digit,
  ideograph,
  kindOf,
  letter,
  lowered,
  capital,
} from '../predictor/features/characters.js';
import { emptyHash, hashNext } from '../predictor/features/grams.js';
import { rolesAt, sizesAt, slotOf, unitAt, valueAt } from './marked-words.js';
import { nextPart } from './number-words.js';
import { type Unit, wideTokensOf, wideUnits } from './units.js';
import { isWideNumber, koreanNumber, wideNumber, wideScaleAt } from './wide-numbers.js';

/** Marks beyond these are not read: a request states its wishes with a few words. */
const maxMarks = 512;
const maxDigits = 9;
const hyphen = 45,
  enDash = 0x2013,
  comma = 44,
  point = 46,
  blank = 32;

/** A length that a text in Chinese, Japanese or Korean states. */
export interface WideLength {
  readonly tokens: number;
  readonly unit: Unit;
  /** Where its unit begins. */
  readonly at: number;
  /** Where its number begins. */
  readonly from: number;
}

/** The sign in lower case, if it is part of a word; else 0. */
function wideWordSign(code: number): number {
  const kind = kindOf(code);
  if (kind === capital) return lowered(code);
  return kind === letter || kind === digit ? code : 0;
}

const wordSigns = Uint8Array.from({ length: 128 }, (_, code) => wideWordSign(code));

/** The value of a digit of any script; -1 for other signs. */
function digitOf(code: number): number {
  if (code < 58) return code >= 48 ? code - 48 : -1;
  if (code >= 0x660 && code <= 0x669) return code - 0x660;
  if (code >= 0x6f0 && code <= 0x6f9) return code - 0x6f0;
  if (code >= 0x966 && code <= 0x96f) return code - 0x966;
  return code >= 0xff10 && code <= 0xff19 ? code - 0xff10 : -1;
}

/**
 * Reads the words of a text that tell how long an answer is wanted, in one pass without
 * backtracking. One scan serves one text after the other.
 */
export class RequestScan {
  /** By mark: the word's place among the words, its first character, roles, number and unit. */
  readonly words = new Int32Array(maxMarks);
  readonly starts = new Int32Array(maxMarks);
  readonly roles = new Int32Array(maxMarks);
  readonly values = new Float64Array(maxMarks);
  readonly units = new Int32Array(maxMarks);
  /** By mark: whether it is a number that a hyphen binds to the next word. */
  readonly bound = new Uint8Array(maxMarks);
  /** The marks that tell the size of a deliverable, and what, as bits by `sizeBitOf`. */
  readonly sized: { readonly mark: number; readonly size: number }[] = [];
  readonly wide: WideLength[] = [];
  marks = 0;
  wordCount = 0;
  /** The number of ideographs and Hangul syllables, and of letters outside Latin and these. */
  wideSigns = 0;
  otherLetters = 0;
  /** Of the last mark, if it is a number: the part of it that was read last. */
  private tail = 0;

  /** Forgets the last text. */
  clear(): void {
    this.marks = this.wordCount = this.wideSigns = this.otherLetters = 0;
    this.wide.length = this.sized.length = 0;
  }

  /** Scans a piece of a text. */
  scan(text: string, from: number, to: number): void {
    let at = from;
    while (at < to) {
      const code = text.charCodeAt(at);
      if (code < 128 && wordSigns[code] === 0) at++;
      else if (digitOf(code) >= 0) at = this.number(text, at, to);
      else {
        const kind = kindOf(code);
        if (kind === letter || kind === capital) at = this.word(text, at, to);
        else if (kind === ideograph) at = this.ideograph(text, at, code);
        else at++;
      }
    }
  }

  private word(text: string, from: number, to: number): number {
    const first = text.charCodeAt(from);
    if (first >= 0xac00) return this.syllables(text, from, to);
    let hash = emptyHash;
    let at = from;
    for (; at < to; at++) {
      const code = text.charCodeAt(at);
      const small = code < 128 ? wordSigns[code]! : wideWordSign(code);
      if (small === 0) break;
      hash = hashNext(hash, small);
    }
    if (first >= 0x370) this.otherLetters += at - from;
    this.wordCount++;
    const slot = slotOf(hash);
    if (slot >= 0) this.known(text, from, at, slot);
    return at;
  }

  /** Marks a word that tells something, or adds it to the number before it. */
  private known(text: string, from: number, to: number, slot: number): void {
    const value = valueAt(slot);
    if (value === 0) {
      this.mark(from, rolesAt(slot), 0, unitAt(slot));
      const size = sizesAt(slot);
      if (size !== 0 && this.marks < maxMarks) this.sized.push({ mark: this.marks - 1, size });
    } else if (
      (value === 1 && text.charCodeAt(from - 1) !== hyphen) ||
      !this.joins(text, from, Math.abs(value))
    ) {
      this.mark(from, rolesAt(slot), Math.max(0, value), unitAt(slot));
      this.tail = value;
    }
    if (value !== 0) this.bind(text, to);
  }

  /** Whether a number word belongs to the number before it: `two` and `thousand`. */
  private joins(text: string, from: number, value: number): boolean {
    const last = this.marks - 1;
    if (last < 0 || this.values[last]! === 0) return false;
    const away = this.wordCount - this.words[last]!;
    // `two hundred and fifty`
    if (away > 2) return false;
    const isSpelled = digitOf(text.charCodeAt(this.starts[last]!)) < 0;
    const part = nextPart(this.tail, value, isSpelled);
    if (part === null || (away === 2 && part > this.tail)) return false;
    this.values[last]! += value > this.tail ? part - this.tail : part;
    this.words[last] = this.wordCount;
    this.tail = part;
    return true;
  }

  /** Notes a hyphen that binds the next word to the number that ends at a place. */
  private bind(text: string, end: number): void {
    const next = text.charCodeAt(end);
    if ((next === hyphen || next === enDash) && this.marks > 0 && this.values[this.marks - 1]! > 1)
      this.bound[this.marks - 1] = 1;
  }

  /** A Korean word: particles follow its stem, so only a number before a unit is read. */
  private syllables(text: string, from: number, to: number): number {
    let at = from;
    while (at < to && text.charCodeAt(at) >= 0xac00 && kindOf(text.charCodeAt(at)) === letter) at++;
    this.wideSigns += at - from;
    this.wordCount++;
    const { value, end } = koreanNumber(text, from, at);
    if (value > 0) this.wideUnit(text, end, value, from);
    return Math.max(at, from + 1);
  }

  private mark(start: number, roles: number, value: number, unit: number): void {
    const { marks } = this;
    if (marks >= maxMarks) return;
    this.words[marks] = this.wordCount;
    this.starts[marks] = start;
    this.roles[marks] = roles;
    this.values[marks] = value;
    this.units[marks] = unit;
    this.bound[marks] = 0;
    this.marks++;
  }

  /** A number in digits of any script, with signs that group thousands. */
  private number(text: string, from: number, to: number): number {
    let value = 0,
      digits = 0,
      scale = 0;
    let at = from;
    for (; at < to; at++) {
      const code = text.charCodeAt(at);
      const one = digitOf(code);
      if (one >= 0) {
        if (++digits <= maxDigits) value = scale > 0 ? value + one * scale : value * 10 + one;
        if (scale > 0) scale /= 10;
      } else if (isGroup(text, at, code)) continue;
      else if (scale === 0 && isDecimal(text, at, code)) scale = 0.1;
      else break;
    }
    this.wordCount++;
    const times = wideScaleAt(text, at);
    if (times > 1) at++;
    if (this.wideUnit(text, at, value * times, from)) return at;
    this.mark(from, 0, digits <= maxDigits ? value * times : 0, 0);
    this.tail = value;
    this.bind(text, at);
    return at;
  }

  private ideograph(text: string, from: number, code: number): number {
    this.wideSigns++;
    if (!isWideNumber(text[from]!)) {
      if (code >= 0x4e00) this.wordCount++;
      return from + 1;
    }
    const { value, end } = wideNumber(text, from);
    this.wideUnit(text, end, value, from);
    return end;
  }

  /** Whether a unit of Chinese, Japanese or Korean follows the number that ends at a place. */
  private wideUnit(text: string, end: number, value: number, from: number): boolean {
    const at = text.charCodeAt(end) === blank ? end + 1 : end;
    if (!(text.charCodeAt(at) >= 0x3040) || value <= 0) return false;
    for (const [name, unit] of wideUnits) {
      if (!text.startsWith(name, at)) continue;
      // 一点 is no item but "a little"
      if (unit === 'items' && value < 2) continue;
      if (name === '文' && /[字章]/.test(text[at + 1] ?? '')) continue;
      if (this.wide.length < maxMarks)
        this.wide.push({ tokens: wideTokensOf(value, unit), unit, at, from });
      return true;
    }
    return false;
  }
}

/** Whether a sign stands before three digits, as in 1,500 or 1.500 or 1 500. */
function isGroup(text: string, at: number, code: number): boolean {
  if (code !== comma && code !== point && code !== 0x202f && code !== 0xa0 && code !== 0x2019)
    if (code !== blank || digitOf(text.charCodeAt(at - 3)) >= 0) return false;
  for (let ahead = 1; ahead <= 3; ahead++)
    if (digitOf(text.charCodeAt(at + ahead)) < 0) return false;
  return digitOf(text.charCodeAt(at + 4)) < 0;
}

/** Whether a sign stands before decimals, as in 1.5 or, of one digit, 1,5. */
function isDecimal(text: string, at: number, code: number): boolean {
  if (digitOf(text.charCodeAt(at + 1)) < 0) return false;
  return code === point || (code === comma && digitOf(text.charCodeAt(at + 2)) < 0);
}
