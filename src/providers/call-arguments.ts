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

/** Where JSON may go on as it began: a value begins, or a first name, which may be `{`. */
const alike = /[:,[]\s*$|^\s*\{\s*"\s*$/;
const control = /[\x00-\x1f]/;
/** Escapes, quotes, and what JSON has to escape in texts. */
const tokens = /\\[^]?|["\x00-\x1f]/g;

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
  /** The text of which it is known whether it is JSON. */
  private judged = '';
  private isWhole = false;
  /** The end of the text: to look for it there would join all pieces, again and again. */
  private tail = '';
  /** Whether they are JSON in a text of JSON. */
  private isEncoded = false;
  /** Whether they begin as JSON does; others are a custom tool's text. */
  private isJson = false;
  /** What the client got since the last control character, or an escape that it ended within. */
  private unsearched = '';
  /** Whether what was searched ends within a text of JSON. */
  private isInText = false;

  /** @param isFunction false: a custom tool's text, which stays as it is */
  constructor(private readonly isFunction = true) {}

  /** Whether there are some. */
  get hasAny(): boolean {
    return !hasNone(this.text);
  }

  /** Whether they are JSON. */
  get areWhole(): boolean {
    const { text } = this;
    if (text === this.judged) return this.isWhole;
    this.judged = text;
    // most pieces end otherwise, and need not be parsed again and again
    return (this.isWhole = /[}\]]"?\s*$/.test(this.tail) && parseJson(text) !== null);
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
    this.text = this.hasAny ? argumentsJson(text) : '{}';
    this.tail = this.text.slice(-8);
    return this.text;
  }

  private append(piece: string): string {
    const goesOn = this.isTold || this.isEncoded || this.hasAny;
    this.text = goesOn ? this.text + piece : piece;
    this.tail = (goesOn ? this.tail + piece : piece).slice(-8);
    if (!this.isTold && !this.isEncoded) {
      this.isTold = !this.isFunction || (this.hasAny && !twice.test(this.text));
      this.isEncoded = !this.isTold && this.hasAny;
      this.isJson = this.isFunction && /^\s*\{/.test(this.text);
    }
    if (!this.isTold) return '';
    return this.isJson ? this.escaped(piece) : piece;
  }

  /** A piece whose control characters in texts are escaped. */
  private escaped(piece: string): string {
    const all = this.unsearched + piece;
    this.unsearched = all;
    if (!control.test(piece)) return piece;
    this.unsearched = '';
    const found = all.replace(tokens, (token) => {
      if (token === '"') this.isInText = !this.isInText;
      if (token === '\\') this.unsearched = token;
      return this.isInText ? escapedText(token) : token;
    });
    return found.slice(all.length - piece.length);
  }

  /** What a piece adds, which may have all before it too; where JSON may go on alike, the next one tells. */
  private newIn(piece: string): string {
    const { text, doubt } = this;
    this.doubt = '';
    const all = doubt || text;
    if (piece.length < all.length || !piece.startsWith(all)) return doubt + piece;
    if (doubt !== '' || !alike.test(text)) return piece.slice(text.length);
    this.doubt = piece;
    return '';
  }
}

const pieceOf = (given: unknown): string =>
  typeof given === 'string' ? given : given === null || given === undefined ? '' : exactJson(given);
