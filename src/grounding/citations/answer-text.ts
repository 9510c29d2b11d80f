import type { AnswerSources } from '../source.js';
import { LineState } from './line-state.js';
import type { LinkTarget } from './link-target.js';
import { PendingText, type Piece } from './pending-text.js';

const opensLink = /(?:htt|https?:?\/?|ww|www|ftp:?\/?|\b(?:h|ht|w|f|ft)|[\]!<])$/i;

/** An address that may go on with a host's name; programs take `。` as the dot of one. */
const opensAddress = /<$|(?:(?:https?|ftp):\/{0,2}|www\.)[^\s/?#]*$/i;

/** More than the longest of them. */
const maxOpening = 16;
/** More than the longest address up to the end of its host. */
const maxTail = 280;

/** Separates texts between which something was taken out: a space if they could form a link. */
const separatorAfter = (before: string): string => (opensLink.test(before) ? ' ' : '');

/** A marker that stays in the text, and the sources that it names. */
export interface PlacedMarker {
  readonly piece: Piece;
  readonly ids: readonly number[];
}

/** A link to a source: its text stands between two pieces. */
export interface PlacedLink {
  readonly open: Piece;
  readonly close: Piece;
  readonly source: number;
}

/** How many characters of the text that was read stay in the buffer. */
const lookBehind = 64;

/** A model's text while it is read from its beginning to its end, and the text for the client. */
export class AnswerText {
  readonly output = new PendingText();
  readonly lines = new LineState();
  readonly markers: PlacedMarker[] = [];
  readonly links: PlacedLink[] = [];
  /** Lengths of runs of backticks of which it is not clear whether they are code. */
  readonly doubtfulRuns = new Set<number>();
  droppedLinks = 0;
  droppedMarkers = 0;
  /** The text that has come, from a little before the reading position. */
  buffer = '';
  /** The reading position in the buffer. */
  at = 0;
  /** Whether nothing follows the buffer. */
  isWhole = false;
  private bufferStart = 0;
  /** The end of the text for the client. */
  private tail = '';

  constructor(readonly sources: AnswerSources) {}

  append(text: string): void {
    const from = Math.max(0, this.at - lookBehind);
    this.buffer = this.buffer.slice(from) + text;
    this.bufferStart += from;
    this.at -= from;
  }

  /** A place of the buffer, in the whole text. */
  rawOffset(at = this.at): number {
    return this.bufferStart + at;
  }

  /** The few characters before a place of the buffer. */
  before(at: number): string {
    return this.buffer.slice(Math.max(0, at - lookBehind), at);
  }

  /** Leaves the text up to a place of the buffer as it is. */
  keep(end: number): Piece {
    return this.replace(end, this.buffer.slice(this.at, end));
  }

  /** Puts something else in place of the text up to a place of the buffer. */
  replace(end: number, text: string): Piece {
    const piece = this.output.add(text, this.rawOffset(), this.rawOffset(end));
    this.pass(end, text);
    return piece;
  }

  /** Puts the name of a link's host in its place, which must not become an address by what precedes. */
  replaceLink(end: number, host: string): void {
    this.replace(end, (opensAddress.test(this.tail) ? ' ' : '') + host);
  }

  /** Takes out the text up to a place of the buffer. The text around it forms no link. */
  drop(end: number): Piece {
    return this.replace(end, separatorAfter(this.tail.slice(-maxOpening)));
  }

  /** Leaves a bracket as it is, unless the link that it may begin leads nowhere. */
  openBracket(end: number): void {
    const text = this.buffer.slice(this.at, end);
    this.output.open(text, this.rawOffset(), separatorAfter(this.tail.slice(-maxOpening)));
    this.pass(end, text);
  }

  /** Lines of code have no part in lists and paragraphs. */
  keepCode(end: number): void {
    this.output.add(this.buffer.slice(this.at, end), this.rawOffset(), this.rawOffset(end));
    this.at = end;
  }

  /** Where the link leads to a source, its text is a citation. */
  placeLink(open: Piece | undefined, close: Piece, target: LinkTarget): void {
    const source = target.kind === 'known' ? this.sources.byUrl(target.url) : undefined;
    if (open && source) this.links.push({ open, close, source: source.id });
  }

  private pass(end: number, text: string): void {
    this.tail += text;
    if (this.tail.length > 2 * maxTail) this.tail = this.tail.slice(-maxTail);
    // a link does not reach beyond its paragraph
    if (this.lines.add(text)) {
      this.output.closeAll();
      this.doubtfulRuns.clear();
    }
    this.at = end;
  }
}
