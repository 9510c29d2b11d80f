import { cutText } from '../../../text/cut-text.js';
import { visible } from './plain-text.js';
import { nameSet } from '../../../text/is-object.js';

/** Elements around which lines break, and those with a blank line. */
const lines = nameSet(`
  address article aside body dd details dialog div dt fieldset figcaption figure footer form
  header hgroup legend li main nav section summary tbody tfoot thead tr caption
`);
const paragraphs = nameSet('blockquote dl h1 h2 h3 h4 h5 h6 hr ol p pre table ul');

/** Text whose place in the output is known once it has any: of a link, or of a table's cell. */
interface Span {
  readonly kind: 'link' | 'cell';
  readonly href: string | null;
  /** Index of its first part; null: no text yet. */
  first: number | null;
  length: number;
}

const maxLinkText = 300;
const maxCellText = 300;

/**
 * Turns a document's elements into plain text: lines, blank lines around paragraphs, `## ` before
 * headings, `- ` or `1. ` before list items, cells of a table's row separated by ` | `, links as
 * `[text](url)`.
 */
export class TextWriter {
  private readonly parts: string[] = [];
  private length = 0;
  private breaks = 0;
  private space = false;
  private prefix = '';
  private separators = 0;
  private preformatted = 0;
  private readonly spans: Span[] = [];
  private readonly lists: { next: number | null }[] = [];
  private readonly rows: { cells: number; isLayout: boolean }[] = [];

  constructor(private readonly maxLength: number) {}

  /** Whether there is no room for more text. */
  get isFull(): boolean {
    return this.length >= this.maxLength;
  }

  /** @param href of a link, absolute */
  open(name: string, href: string | null): void {
    this.breakFor(name);
    if (/^h[1-6]$/.test(name)) this.prefix += `${'#'.repeat(Number(name[1]))} `;
    else if (name === 'a') this.openLink(href);
    else if (name === 'br') this.breakLine(1);
    else if (name === 'pre') this.preformatted++;
    else if (name === 'ul' || name === 'ol') this.lists.push({ next: name === 'ol' ? 1 : null });
    else if (name === 'li') this.prefix = this.itemPrefix();
    else if (name === 'tr') this.rows.push({ cells: 0, isLayout: false });
    else if (name === 'td' || name === 'th') this.openCell();
  }

  close(name: string): void {
    if (name === 'a') this.closeSpan('link');
    else if (name === 'td' || name === 'th') this.closeSpan('cell');
    else if (name === 'pre') this.preformatted = Math.max(0, this.preformatted - 1);
    else if (name === 'ul' || name === 'ol') this.lists.pop();
    else if (name === 'tr') {
      this.rows.pop();
      this.separators = 0;
    }
    // a heading or item without text has no line
    if (/^(h[1-6]|li)$/.test(name)) this.prefix = '';
    this.breakFor(name);
  }

  text(raw: string): void {
    const text = visible(raw);
    if (this.preformatted > 0) {
      if (text !== '') this.push(text.replace(/\r\n?/g, '\n'));
      return;
    }
    const words = text.replace(/\s+/g, ' ');
    const inner = words.trim();
    if (words.startsWith(' ')) this.space = true;
    if (inner !== '') this.push(inner);
    if (inner !== '' && words.endsWith(' ')) this.space = true;
  }

  result(): string {
    return this.parts.join('').trim();
  }

  private push(text: string): void {
    if (this.isFull) return;
    const before = this.takeBefore();
    if (before !== '') this.append(before);
    for (let at = this.spans.length - 1; at >= 0 && this.spans[at]!.first === null; at--)
      Object.assign(this.spans[at]!, { first: this.parts.length, length: this.length });
    this.append(text);
  }

  private append(text: string): void {
    const piece = cutText(text, this.maxLength - this.length);
    this.parts.push(piece);
    this.length = piece.length < text.length ? this.maxLength : this.length + piece.length;
  }

  /** What stands between the text so far and the next. */
  private takeBefore(): string {
    const isFirst = this.parts.length === 0;
    const { breaks, space, prefix, separators } = this;
    this.breaks = this.separators = 0;
    this.space = false;
    this.prefix = '';
    const newLines = isFirst ? '' : '\n'.repeat(breaks);
    const bars = separators > 0 ? `${' |'.repeat(separators)} ` : '';
    if (breaks > 0) return `${newLines}${bars.trimStart()}${prefix}`;
    if (bars !== '') return `${bars}${prefix}`;
    return `${space && !isFirst ? ' ' : ''}${prefix}`;
  }

  private breakFor(name: string): void {
    if (paragraphs.has(name)) this.breakLine(2);
    else if (lines.has(name)) this.breakLine(1);
  }

  /** An item's or a cell's first text stands beside its mark. */
  private breakLine(count: number): void {
    const cell = this.spans.findLast(({ kind }) => kind === 'cell');
    if (this.prefix === '' && (!cell || cell.first !== null))
      this.breaks = Math.max(this.breaks, count);
  }

  private itemPrefix(): string {
    const list = this.lists.at(-1);
    const indentation = '  '.repeat(Math.min(Math.max(this.lists.length - 1, 0), 8));
    return `${indentation}${list?.next == null ? '-' : `${list.next++}.`} `;
  }

  private openLink(href: string | null): void {
    // links do not nest
    this.closeSpan('link');
    this.spans.push({ kind: 'link', href, first: null, length: 0 });
  }

  private openCell(): void {
    const row = this.rows.at(-1);
    if (!row) this.breakLine(1);
    else if (row.cells++ > 0 && !row.isLayout) this.separators++;
    this.spans.push({ kind: 'cell', href: null, first: null, length: 0 });
  }

  /** Ends the innermost span of a kind, and what was left open in it. */
  private closeSpan(kind: Span['kind']): void {
    const at = this.spans.findLastIndex((span) => span.kind === kind);
    // a link does not end beyond the cell that it began in
    if (at === -1 || (kind === 'link' && this.spans.at(-1)?.kind === 'cell')) return;
    const span = this.spans[at]!;
    this.spans.length = at;
    if (span.first === null) return;
    if (kind === 'link') this.writeLink(span.first, span);
    else this.writeCell(span.first, span);
  }

  private writeLink(first: number, { href, length }: Span): void {
    if (href === null || this.isFull || this.length - length > maxLinkText) return;
    const text = this.parts.slice(first).join('');
    if (text.includes('\n')) this.append(` (${href})`);
    else this.replace(first, length, `[${text}](${href})`);
  }

  /** The lines of a small cell become one; a large cell lays out the page. */
  private writeCell(first: number, { length }: Span): void {
    if (this.length - length > maxCellText) {
      const row = this.rows.at(-1);
      if (row) row.isLayout = true;
      this.breakLine(1);
      return;
    }
    const text = this.parts.slice(first).join('');
    if (text.includes('\n')) this.replace(first, length, text.replace(/\s+/g, ' '));
    this.breaks = 0;
  }

  private replace(first: number, length: number, text: string): void {
    this.parts.length = first;
    this.length = length;
    this.append(text);
  }
}
