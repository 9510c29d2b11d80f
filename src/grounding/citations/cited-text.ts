import { readAngle, type OpenAnchor } from './read-angles.js';
import { AnswerText } from './answer-text.js';
import { bareUrlAt, bareUrlEnd } from './bare-url.js';
import { codeSpanAt, fenceAt } from './code-syntax.js';
import { findCitations, type ProviderSpan } from './find-citations.js';
import type { AnswerSources, Citation } from '../source.js';
import { type CodeFence, fencedLine } from './line-state.js';
import { undecided } from './link-syntax.js';
import { BracketReader } from './read-brackets.js';

const specials = /!?\[|[\]<`\\【]|~{3,}|https?:\/\/|ftp:\/\/|www\./gi;
/** The beginning of one at the end of the text, or a space that may stand before a marker. */
const beginsSpecial =
  /(?:!|~+|h(?:t(?:t(?:ps?(?::\/?)?)?)?)?|f(?:t(?:p(?::\/?)?)?)?|w{1,3}|[ \u00a0\u202f\u3000])$/i;
const destinationEnd = /[\s)]/g;
const maxSpecial = 8;
const isSpace = (character: string | undefined): boolean =>
  character !== undefined && ' \u00a0\u202f\u3000'.includes(character);

/**
 * The text of a model that was given numbered sources, on its way to the client: markers and links
 * that lead to no known page are taken out, the others become citations whose quotes are looked up
 * in what was read. However the text is cut into deltas, the result is the same. Takes time in
 * proportion to its length.
 */
export class CitedText {
  private readonly text: AnswerText;
  private readonly brackets: BracketReader;
  private readonly spans: ProviderSpan[] = [];
  private readonly anchors: OpenAnchor[] = [];
  private fence: CodeFence | null = null;
  /** Whether the next line of code has not begun yet. */
  private isNewLine = false;
  /** What ends the rest of a URL that is too long; it is left out until then. */
  private dropUntil: RegExp | null = null;
  private released: string[] = [];

  constructor(private readonly sources: AnswerSources) {
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

  /** Takes a provider's own annotation, also of text that is still to come. */
  cite(span: ProviderSpan): void {
    this.spans.push(span);
  }

  /** UTF-16 length of what was returned so far. */
  get length(): number {
    return this.text.output.finalLength;
  }

  /** Links whose text is left. */
  get droppedLinks(): number {
    return this.text.droppedLinks;
  }

  /** Numbers of sources that there are not. */
  get droppedMarkers(): number {
    return this.text.droppedMarkers;
  }

  /** The citations in what was returned so far, in its order, and at most 1,000. */
  citations(): Generator<unknown, Citation[]> {
    const { output, markers, links } = this.text;
    const spans = this.spans.map((span) => ({
      ...span,
      start: output.finalOffset(span.start, 'start'),
      end: output.finalOffset(span.end, 'end'),
    }));
    return findCitations(output.finalText(), { markers, links, spans }, this.sources);
  }

  private read(): string {
    const { text } = this;
    while (text.at < text.buffer.length && this.step())
      if (text.output.isFull) this.released.push(text.output.release(text.rawOffset()));
    const released = this.released.join('') + text.output.release(text.rawOffset());
    this.released = [];
    return released;
  }

  /** Reads the next part of the text. @returns false if more text is needed for that */
  private step(): boolean {
    if (this.dropUntil) return this.drop(this.dropUntil);
    if (this.fence) return this.readCode(this.fence);
    const { text } = this;
    specials.lastIndex = text.at;
    const found = specials.exec(text.buffer);
    if (!found) return this.keepPlain();
    const { 0: opening, index } = found;
    const hasSpace = (opening === '[' || opening === '【') && index > text.at;
    const from = hasSpace && isSpace(text.buffer[index - 1]) ? index - 1 : index;
    if (from > text.at) text.keep(from);
    return this.readSpecial(opening, index);
  }

  /** Keeps the rest of the buffer, but for what may be the beginning of something special. */
  private keepPlain(): boolean {
    const { text } = this;
    const { length } = text.buffer;
    const tail = text.buffer.slice(Math.max(text.at, length - maxSpecial));
    const held = text.isWhole ? null : beginsSpecial.exec(tail);
    const end = length - (held?.[0].length ?? 0);
    if (end > text.at) text.keep(end);
    return held === null;
  }

  private readSpecial(opening: string, at: number): boolean {
    const { text } = this;
    if (opening === '\\') return this.readEscape(at);
    if (opening === '[' || opening === '【' || opening === '![')
      return this.dropAfter(this.brackets.open(opening, at), destinationEnd);
    if (opening === ']') return this.dropAfter(this.brackets.close(at), destinationEnd);
    if (opening === '<') return this.dropAfter(readAngle(text, this.anchors), /[\s<>]/g);
    if (opening === '`') return this.readBackticks();
    if (opening.startsWith('~')) return this.readTildes();
    return this.readUrl(opening);
  }

  private dropAfter(result: boolean | 'cut', until: RegExp): boolean {
    if (result !== 'cut') return result;
    this.dropUntil = until;
    return true;
  }

  /** A backslash escapes the character after it. */
  private readEscape(at: number): boolean {
    const { text } = this;
    if (at + 1 === text.buffer.length && !text.isWhole) return false;
    text.keep(/[!-/:-@[-`{-~]/.test(text.buffer[at + 1] ?? '') ? at + 2 : at + 1);
    return true;
  }

  private readUrl(opening: string): boolean {
    const { text } = this;
    const { at, buffer } = text;
    if (/^www/i.test(opening) && /[\p{L}\p{N}@./_-]$/u.test(text.before(at))) {
      text.keep(at + opening.length);
      return true;
    }
    const found = bareUrlAt(buffer, at, text.isWhole, text.sources);
    if (!found) return false;
    const { target, end, needsSpace, isCut } = found;
    if (end - at <= opening.length) text.keep(at + opening.length);
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
