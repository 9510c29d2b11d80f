/** The opening of a fenced code block. */
export interface CodeFence {
  readonly character: string;
  readonly length: number;
  /** It ends with the quotation or the list item in which it began. */
  readonly quotes: number;
  readonly indent: number;
}

const maxHead = 80;
const prefix = /^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+|>)*[ \t]*$/;
const listMarker = /^([ \t]*(?:>[ \t]?)*)([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})(?=\S)/;

/** These elements end with their tag, the others with a blank line. */
const beginsRawHtml = /^[ \t>]*<(?:pre|script|style|textarea)(?![\w-])/i;
const endsRawHtml = /<\/(?:pre|script|style|textarea)>/i;
const beginsHtml = /^[ \t>]*<[a-z!/?](?![a-z0-9+.-]*:)/i;

/** Longer runs of blanks and markers at the beginning of a line are not read. */
const maxFenceHead = 200;

/** The Markdown block and line that the text of a model has reached. */
export class LineState {
  /** The beginning of the line. */
  private head = '';
  private isBlank = true;
  private isInHtml = false;
  private isInRawHtml = false;
  /** How far the text of the list item is indented in which the line stands. */
  private listIndent = 0;

  /** Whether only list and quotation markers stand before, so that a block may begin. */
  get isAtStart(): boolean {
    return this.head.length < maxHead && prefix.test(this.head);
  }

  /** Whether the line is a row of a table. */
  get isInTable(): boolean {
    return /^[ \t>]*\|/.test(this.head);
  }

  get isHeading(): boolean {
    return /^[ \t>]*#/.test(this.head);
  }

  /** Whether the paragraph began as HTML, in which Markdown is not interpreted. */
  get isHtml(): boolean {
    return this.isInHtml || this.isInRawHtml || beginsHtml.test(this.head);
  }

  /** A line begins, whatever stood before. */
  beginLine(): void {
    this.head = '';
    this.isBlank = true;
  }

  /** Takes the next part of the text. @returns whether a blank line ended in it */
  add(text: string): boolean {
    let endedBlank = false;
    let start = 0;
    for (;;) {
      const lineEnd = text.indexOf('\n', start);
      const end = lineEnd === -1 ? text.length : lineEnd;
      if (this.head.length < maxHead)
        this.head += text.slice(start, Math.min(end, start + maxHead));
      if (this.isBlank && end > start) this.isBlank = !/\S/.test(text.slice(start, end));
      if (lineEnd === -1) return endedBlank;
      endedBlank ||= this.isBlank;
      this.endLine();
      start = lineEnd + 1;
    }
  }

  /** The code fence that `length` of these characters open here; null: none. */
  fence(character: string, length: number): CodeFence | null {
    if (length < 3 || !this.isAtStart || this.isHtml) return null;
    const item = listMarker.exec(`${this.head}x`);
    const quotes = this.head.split('>').length - 1;
    const indent = indentOf(this.head.slice(this.head.lastIndexOf('>') + 1));
    if (item) return { character, length, quotes, indent: item[2]!.length };
    if (indent > this.listIndent + 3) return null;
    return { character, length, quotes, indent: indent >= this.listIndent ? this.listIndent : 0 };
  }

  private endLine(): void {
    if (beginsRawHtml.test(this.head)) this.isInRawHtml = true;
    if (endsRawHtml.test(this.head)) this.isInRawHtml = false;
    this.isInHtml = !this.isBlank && this.isHtml;
    if (!this.isBlank) {
      const item = listMarker.exec(this.head);
      const indent = indentOf(this.head.slice(this.head.lastIndexOf('>') + 1));
      if (item) this.listIndent = item[2]!.length;
      else if (indent < this.listIndent) this.listIndent = 0;
    }
    this.beginLine();
  }
}

const indentOf = (text: string): number =>
  (/^[ \t]*/.exec(text)?.[0] ?? '').replaceAll('\t', '    ').length;

/** What a line is to the fenced code before it. */
export type FencedLine =
  | 'code'
  /** It is the line that ends the code. */
  | 'end'
  /** The code ended before it, with the quotation or the list item. */
  | 'after'
  /** More text is needed to know. */
  | 'undecided';

/** @param line from its beginning, as far as it is known; with its line break if that is there */
export function fencedLine(fence: CodeFence, line: string, isWhole: boolean): FencedLine {
  const head = line.slice(0, maxFenceHead);
  const isOpen = !isWhole && line.length < maxFenceHead;
  const [before = ''] = /^[ \t>]*/.exec(head) ?? [];
  if (isOpen && before.length === head.length) return 'undecided';
  const rest = head.slice(before.length);
  const isBlank = rest === '' || rest.startsWith('\n') || rest.startsWith('\r');
  if (before.split('>').length - 1 < fence.quotes) return 'after';
  const indent = indentOf(before.slice(before.lastIndexOf('>') + 1));
  if (!isBlank && indent < fence.indent) return 'after';
  const run = new RegExp(`^\\${fence.character}*`).exec(rest)?.[0].length ?? 0;
  if (run === rest.length && run > 0)
    return isOpen ? 'undecided' : run >= fence.length ? 'end' : 'code';
  if (run < fence.length) return 'code';
  const tail = /^[ \t\r]*/.exec(rest.slice(run))?.[0].length ?? 0;
  if (run + tail === rest.length) return isOpen ? 'undecided' : 'end';
  return rest[run + tail] === '\n' ? 'end' : 'code';
}
