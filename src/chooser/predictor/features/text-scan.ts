import {
  bracket,
  capital,
  digit,
  ideograph,
  kindOf,
  letter,
  lowered,
  mark,
  newline,
  operator,
  question,
  quote,
  scriptOf,
  space,
  stop,
} from './characters.js';
import type { GramBag } from './grams.js';
import { bucketOf, emptyHash, hashNext } from './grams.js';
import { groupsOf, keywordGroups, markerGroups } from './keywords.js';

const salts = { word: 1, pair: 2, four: 3, ideographs: 4 };
const numberWord = 0x30303030;
const longWord = 8;
const maxHeldWords = 512;
const firstSmall = 97,
  lastSmall = 122;
const zero = 48,
  blank = 32,
  backslash = 92,
  dollar = 36,
  backtick = 96,
  underscore = 95,
  colon = 58;

/**
 * Counts one text and its n-grams in one pass: a few nanoseconds a character, without allocations.
 * One scan is used for many texts in turn: `clear` forgets the last one.
 */
export class TextScan {
  /** White space of any length counts as one. */
  chars = 0;
  words = 0;
  lines = 1;
  digits = 0;
  capitals = 0;
  stops = 0;
  questions = 0;
  brackets = 0;
  operators = 0;
  quotes = 0;
  marks = 0;
  numbers = 0;
  decimals = 0;
  longWords = 0;
  freshWords = 0;
  options = 0;
  indents = 0;
  blanks = 0;
  fences = 0;
  tex = 0;
  links = 0;
  ideographs = 0;
  readonly scripts = new Int32Array(5);
  /** By place in `keywordGroups`, followed by `markerGroups`. */
  readonly groups = new Int32Array(keywordGroups.length + markerGroups.length);
  /** The code of the last character that is not white space. */
  lastCode = 0;
  /** Hashes of the first `heldWords` words, at most 512, to compare them with the tools' names. */
  readonly wordHashes = new Int32Array(maxHeldWords);
  heldWords = 0;

  private hash = emptyHash;
  private length = 0;
  private isNumber = true;
  private before = 0;
  private window = 0;
  private wide = 0;

  constructor(private readonly bag: GramBag) {}

  /** Forgets what was scanned. */
  clear(): void {
    this.chars = this.words = this.digits = this.capitals = this.stops = this.questions = 0;
    this.brackets = this.operators = this.quotes = this.marks = this.numbers = this.decimals = 0;
    this.longWords = this.freshWords = this.options = this.indents = this.blanks = 0;
    this.fences = this.tex = this.links = this.ideographs = this.heldWords = 0;
    this.lines = 1;
    this.scripts.fill(0);
    this.groups.fill(0);
    this.lastCode = this.length = this.before = this.window = this.wide = 0;
    this.hash = emptyHash;
    this.isNumber = true;
  }

  /** Scans `text` from one place to another; may be called for several pieces. */
  scan(text: string, from: number, to: number): void {
    this.beginLine(text, from, to);
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      if (code >= firstSmall && code <= lastSmall) {
        at = this.smallLetters(text, at, to) - 1;
        continue;
      }
      const kind = kindOf(code);
      if (kind === letter || kind === digit || kind === capital) this.wordPart(code, kind);
      else this.between(text, at, to, code, kind);
      this.four(code, kind);
    }
    this.endWord();
    this.chars += to - from;
  }

  /**
   * A run of a to z, most of every text: as `wordPart` and `four` for each, with what they share in
   * registers. Returns the place behind it.
   */
  private smallLetters(text: string, from: number, to: number): number {
    const { bag } = this;
    let { hash, window } = this;
    let at = from,
      code = text.charCodeAt(at);
    do {
      hash = hashNext(hash, code);
      window = (window << 8) | code;
      if ((window & 0xff000000) !== 0) bag.add(bucketOf(window, salts.four));
      this.lastCode = code;
      code = ++at < to ? text.charCodeAt(at) : 0;
    } while (code >= firstSmall && code <= lastSmall);
    this.hash = hash;
    this.window = window;
    this.length += at - from;
    this.isNumber = false;
    return at;
  }

  private wordPart(code: number, kind: number): void {
    let small = code;
    if (kind === digit) this.digits++;
    else this.isNumber = false;
    if (kind === capital) {
      this.capitals++;
      small = lowered(code);
    }
    if (code > 127) this.scripts[scriptOf(code)]!++;
    if (code === underscore && this.lastCode === underscore) this.blanks++;
    this.hash = hashNext(this.hash, small);
    this.length++;
    this.lastCode = code;
  }

  private between(text: string, at: number, to: number, code: number, kind: number): void {
    if (this.length > 0) this.endWord();
    if (kind === space) return;
    if (kind === newline) {
      this.lines++;
      this.beginLine(text, at + 1, to);
      return;
    }
    if (kind === ideograph) this.wideWord(code);
    else this.count(text, at, code, kind);
    this.lastCode = code;
  }

  private count(text: string, at: number, code: number, kind: number): void {
    if (kind === stop) {
      this.stops++;
      if (this.isDecimal(text, at)) this.decimals++;
    } else if (kind === question) {
      this.questions++;
      if (this.lastCode === code) this.blanks++;
    } else if (kind === bracket) this.brackets++;
    else if (kind === operator) this.operators++;
    else if (kind === quote) {
      this.quotes++;
      if (code === backtick && this.lastCode === backtick) this.fences++;
    } else if (kind === mark) this.sign(text, at, code);
  }

  private sign(text: string, at: number, code: number): void {
    this.marks++;
    if (code === backslash || code === dollar) this.tex++;
    else if (code === colon && text.charCodeAt(at + 1) === 47 && text.charCodeAt(at + 2) === 47)
      this.links++;
  }

  private isDecimal(text: string, at: number): boolean {
    return (
      kindOf(text.charCodeAt(at + 1)) === digit &&
      at > 0 &&
      kindOf(text.charCodeAt(at - 1)) === digit
    );
  }

  /** Detects options of a question (`A. …`, `(b) …`, `1) …`) and lines indented like code. */
  private beginLine(text: string, from: number, to: number): void {
    let at = from;
    while (at < to && (text.charCodeAt(at) === blank || text.charCodeAt(at) === 9)) at++;
    if (at - from >= 2 || (at > from && text.charCodeAt(from) === 9)) this.indents++;
    if (text.charCodeAt(at) === 40) at++;
    const kind = kindOf(text.charCodeAt(at) || 0);
    const closing = text.charCodeAt(at + 1);
    if (
      (kind === letter || kind === capital || kind === digit) &&
      (closing === 46 || closing === 41 || closing === colon) &&
      kindOf(text.charCodeAt(at + 2) || blank) === space
    )
      this.options++;
  }

  private endWord(): void {
    if (this.length === 0) return;
    const hash = this.isNumber ? numberWord + Math.min(4, this.length) : this.hash;
    if (this.isNumber) this.numbers++;
    else {
      if (this.length >= longWord) this.longWords++;
      const groups = groupsOf(hash);
      if (groups !== 0) this.addGroups(groups);
    }
    this.addWord(hash);
    this.hash = emptyHash;
    this.length = 0;
    this.isNumber = true;
  }

  private addWord(hash: number): void {
    this.words++;
    if (this.heldWords < maxHeldWords) this.wordHashes[this.heldWords++] = hash;
    if (this.bag.add(bucketOf(hash, salts.word))) this.freshWords++;
    if (this.before !== 0) this.bag.add(bucketOf(Math.imul(this.before, 31) ^ hash, salts.pair));
    this.before = hash;
  }

  private addGroups(groups: number): void {
    for (let rest = groups; rest !== 0; rest &= rest - 1)
      this.groups[31 - Math.clz32(rest & -rest)]!++;
  }

  /** A script without spaces: each sign counts as a word, each two neighbours as a pair. */
  private wideWord(code: number): void {
    this.ideographs++;
    this.scripts[4]!++;
    this.addWord(code);
    if (this.wide !== 0) this.bag.add(bucketOf(Math.imul(this.wide, 31) ^ code, salts.ideographs));
    this.wide = code;
  }

  private four(code: number, kind: number): void {
    if (kind === space || kind === newline) {
      if ((this.window & 0xff) === blank) {
        this.chars--;
        return;
      }
      this.window = (this.window << 8) | blank;
    } else if (kind === digit) this.window = (this.window << 8) | zero;
    else {
      const small = kind === capital ? lowered(code) : code;
      this.window =
        (this.window << 8) | (small < 128 ? small : ((small ^ (small >>> 7)) & 0x7f) | 0x80);
    }
    if ((this.window & 0xff000000) !== 0) this.bag.add(bucketOf(this.window, salts.four));
  }
}
