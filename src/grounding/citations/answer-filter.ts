import { readAngle, type OpenAnchor } from './read-angles.js';
import { AnswerText } from './answer-text.js';
import { bareUrlAt, bareUrlEnd } from './bare-url.js';
import { codeSpanAt, fenceAt } from './code-syntax.js';
import type { AnswerSources } from '../source.js';
import { type CodeFence, fencedLine } from './line-state.js';
import { undecided } from './link-syntax.js';
import { BracketReader } from './read-brackets.js';

const specials = /!?\[|[\]<`\\【]|~{3,}|https?:\/\/|ftp:\/\/|www\./gi;
/** What may be the beginning of one, and the space before a marker. */
const beginsSpecial =
  /(?:!|~+|h(?:t(?:t(?:ps?(?::\/?)?)?)?)?|f(?:t(?:p(?::\/?)?)?)?|w{1,3}|[ \u00a0\u202f\u3000])$/i;
const destinationEnd = /[\s)]/g;
const maxSpecial = 8;
const isSpace = (sign: string | undefined): boolean =>
  sign !== undefined && ' \u00a0\u202f\u3000'.includes(sign);

/** Reads a model's text in parts, and leaves out markers and links that lead to no known page. */
export class AnswerFilter {
  readonly text: AnswerText;
  private readonly brackets: BracketReader;
  private readonly anchors: OpenAnchor[] = [];
  private fence: CodeFence | null = null;
  /** Whether the next line of code has not begun yet. */
  private isNewLine = false;
  /** What ends the rest of a URL that is too long; it is left out until then. */
  private dropUntil: RegExp | null = null;
  private released: string[] = [];

  constructor(sources: AnswerSources) {
    this.text = new AnswerText(sources);
    this.brackets = new BracketReader(this.text);
  }

  /** Takes the next part. @returns what may go to the client now; '' while a link is incomplete */
  push(text: string): string {
    this.text.append(text);
    return this.read();
  }

  /** Ends the text. @returns the rest of it */
  end(): string {
    this.text.isWhole = true;
    const text = this.read();
    this.text.output.closeAll();
    return text + this.text.output.release(this.text.rawOffset());
  }

  private read(): string {
    const { text } = this;
    while (text.at < text.buffer.length && this.step())
      if (text.output.isFull) this.released.push(text.output.release(text.rawOffset()));
    const released = this.released.join('') + text.output.release(text.rawOffset());
    this.released = [];
    return released;
  }

  /** Understands a part of the text. @returns false if more must come before */
  private step(): boolean {
    if (this.dropUntil) return this.drop(this.dropUntil);
    if (this.fence) return this.readCode(this.fence);
    const { text } = this;
    specials.lastIndex = text.at;
    const found = specials.exec(text.buffer);
    if (!found) return this.keepPlain();
    const { 0: sign, index } = found;
    const hasSpace = (sign === '[' || sign === '【') && index > text.at;
    const from = hasSpace && isSpace(text.buffer[index - 1]) ? index - 1 : index;
    if (from > text.at) text.keep(from);
    return this.readSpecial(sign, index);
  }

  /** There is nothing special in the rest of the buffer, but maybe the beginning of it. */
  private keepPlain(): boolean {
    const { text } = this;
    const { length } = text.buffer;
    const tail = text.buffer.slice(Math.max(text.at, length - maxSpecial));
    const held = text.isWhole ? null : beginsSpecial.exec(tail);
    const end = length - (held?.[0].length ?? 0);
    if (end > text.at) text.keep(end);
    return held === null;
  }

  private readSpecial(sign: string, at: number): boolean {
    const { text } = this;
    if (sign === '\\') return this.readEscape(at);
    if (sign === '[' || sign === '【' || sign === '![')
      return this.dropAfter(this.brackets.open(sign, at), destinationEnd);
    if (sign === ']') return this.dropAfter(this.brackets.close(at), destinationEnd);
    if (sign === '<') return this.dropAfter(readAngle(text, this.anchors), /[\s<>]/g);
    if (sign === '`') return this.readBackticks();
    if (sign.startsWith('~')) return this.readTildes();
    return this.readUrl(sign);
  }

  private dropAfter(result: boolean | 'cut', until: RegExp): boolean {
    if (result !== 'cut') return result;
    this.dropUntil = until;
    return true;
  }

  /** A backslash before a sign makes text of it. */
  private readEscape(at: number): boolean {
    const { text } = this;
    if (at + 1 === text.buffer.length && !text.isWhole) return false;
    text.keep(/[!-/:-@[-`{-~]/.test(text.buffer[at + 1] ?? '') ? at + 2 : at + 1);
    return true;
  }

  private readUrl(sign: string): boolean {
    const { text } = this;
    const { at, buffer } = text;
    if (/^www/i.test(sign) && /[\p{L}\p{N}@./_-]$/u.test(text.before(at))) {
      text.keep(at + sign.length);
      return true;
    }
    const found = bareUrlAt(buffer, at, text.isWhole, text.sources);
    if (!found) return false;
    const { target, end, needsSpace, isCut } = found;
    if (end - at <= sign.length) text.keep(at + sign.length);
    else if (target.kind === 'unknown') {
      text.droppedLinks++;
      text.replaceLink(end, target.host);
    } else text.replace(end, buffer.slice(at, end) + (needsSpace ? ' ' : ''));
    return this.dropAfter(isCut ? 'cut' : true, bareUrlEnd);
  }

  /** Leaves out what is left of a URL. */
  private drop(until: RegExp): boolean {
    const { text } = this;
    until.lastIndex = text.at;
    const found = until.exec(text.buffer);
    const takesEnd = found !== null && until !== bareUrlEnd && /[)>]/.test(found[0]);
    text.replace(found ? found.index + (takesEnd ? 1 : 0) : text.buffer.length, '');
    if (found) this.dropUntil = null;
    return true;
  }

  private readBackticks(): boolean {
    const { text } = this;
    const fence = fenceAt(text);
    if (fence === undecided) return false;
    if (fence) return this.beginCode(fence.fence, fence.end);
    const end = codeSpanAt(text);
    if (end === undecided) return false;
    text.keep(end);
    return true;
  }

  private readTildes(): boolean {
    const { text } = this;
    const length = /^~+/.exec(text.buffer.slice(text.at))![0].length;
    if (text.at + length === text.buffer.length && !text.isWhole && length < 64) return false;
    const fence = text.lines.fence('~', length);
    if (fence) return this.beginCode(fence, text.at + length);
    text.keep(text.at + length);
    return true;
  }

  private beginCode(fence: CodeFence, end: number): boolean {
    this.text.output.closeAll();
    this.text.keep(end);
    this.fence = fence;
    this.isNewLine = false;
    return true;
  }

  private readCode(fence: CodeFence): boolean {
    const { text } = this;
    const lineEnd = text.buffer.indexOf('\n', text.at) + 1;
    const end = lineEnd === 0 ? text.buffer.length : lineEnd;
    const kind = this.isNewLine
      ? fencedLine(fence, text.buffer.slice(text.at, end), text.isWhole)
      : 'code';
    if (kind === undecided) return false;
    if (kind === 'code' || kind === 'end') text.keepCode(end);
    if (kind !== 'code') this.fence = null;
    this.isNewLine = lineEnd !== 0;
    if (this.isNewLine || kind === 'after') text.lines.beginLine();
    return true;
  }
}
