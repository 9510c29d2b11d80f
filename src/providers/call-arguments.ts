import { argumentsJson, exactJson } from '../text/exact-json.js';
import { isObject, textIn } from '../text/is-object.js';
import { escapedText, parseJson } from './json.js';

/** Arguments that are none, though some are written: PHP writes an empty object as a list. */
const none = /^(?:null|\{\s*\}|\[\s*\]|""|)$/;
/** Whether arguments are none. Trimmed, because two searches for blanks would take quadratic time. */
const hasNone = (args: string): boolean => none.test(args.trim());
/** The arguments of an earlier call as an object; what is none (a call that was cut off) is put in one. */
export function toolInput(args: string): Record<string, unknown> {
  const input = hasNone(args) ? {} : parseJson(args);
  return isObject(input) ? input : { invalid_arguments: args };
}

/** Those that are encoded twice can be read when they are whole. */
const twice = /^\s*"/;

const odd = /^\s*(?:"|(?:null|\[\s*\])\s*$)/;
/** Whether arguments that begin so may be an object for a client that joins and parses them. */
export const beginsWell = (piece: unknown): boolean => !odd.test(textIn(piece));

const control = /[\x00-\x1f]/;
/** The texts of JSON, of which the last may be cut off. */
const texts = /"[^"\\]*(?:\\[^][^"\\]*)*("|\\?$)/g;

/**
 * The arguments of a call, in pieces as servers send them, for clients that join the pieces and parse
 * the whole. Some servers send an object, some none, some `{}` or `null` before or behind the others,
 * some encode them twice, some send all of them again at the end or with each piece, some do not escape
 * line breaks in texts.
 */
export class CallArguments {
  private text = '';
  /** Whether the client has got some. */
  private isTold = false;
  /** A piece that has all of them so far, or an object in them that begins alike. */
  private doubt = '';
  /** The beginning of the text, or of the escape in it, that what was searched ends within. */
  private within = '';
  /** What came since, without control characters. */
  private unsearched = '';

  /** @param isFunction false: a custom tool's text, which stays as it is */
  constructor(private readonly isFunction = true) {}

  /** Whether there are some. */
  get hasAny(): boolean {
    return !hasNone(this.text);
  }

  /** Whether they are JSON. */
  get areWhole(): boolean {
    // most pieces end otherwise, and need not be parsed again and again
    return /[}\]]"?\s*$/.test(this.text.slice(-8)) && parseJson(this.text) !== null;
  }

  /** Whether a piece says all of them again, or nothing. */
  isAgain(given: unknown): boolean {
    const piece = pieceOf(given);
    return (piece === this.text || hasNone(piece)) && this.areWhole;
  }

  /** @returns what the client gets of a piece */
  add(given: unknown): string {
    const piece = pieceOf(given);
    if (!this.isTold || !this.isFunction) return this.append(piece);
    return this.isAgain(piece) ? '' : this.append(this.newIn(piece));
  }

  /** @returns what the client lacks at the end of the call */
  end(): string {
    if (!this.isFunction) return '';
    const { text, doubt } = this;
    if (this.isTold) {
      this.doubt = '';
      const repeats = doubt !== '' && parseJson(text + doubt) === null;
      return this.append(repeats ? doubt.slice(text.length) : doubt);
    }
    this.isTold = true;
    return (this.text = this.hasAny ? argumentsJson(text) : '{}');
  }

  private append(given: string): string {
    const goesOn = this.isTold || this.hasAny;
    if (!goesOn) this.within = this.unsearched = '';
    const piece = this.isFunction ? this.escaped(given) : given;
    this.text = goesOn ? this.text + piece : piece;
    this.isTold ||= !this.isFunction || (this.hasAny && !twice.test(this.text));
    return this.isTold ? piece : '';
  }

  /** A piece whose control characters in texts are escaped. */
  private escaped(piece: string): string {
    if (!control.test(piece)) {
      this.unsearched += piece;
      return piece;
    }
    const before = this.within + this.unsearched;
    this.within = this.unsearched = '';
    const escape = (text: string, end: string): string => {
      if (end !== '"') this.within = `"${end}`;
      return escapedText(text);
    };
    return (before + piece).replace(texts, escape).slice(before.length);
  }

  /** What a piece adds, which may have all before it too; where a value may begin, the next one tells. */
  private newIn(piece: string): string {
    const { text, doubt } = this;
    this.doubt = '';
    const all = doubt || text;
    if (piece.length < all.length || !piece.startsWith(all)) return doubt + piece;
    if (doubt !== '' || !/[:,[]\s*$/.test(text)) return piece.slice(text.length);
    this.doubt = piece;
    return '';
  }
}

const pieceOf = (given: unknown): string =>
  typeof given === 'string' ? given : given === null || given === undefined ? '' : exactJson(given);
