import { Parser } from 'htmlparser2';
import { cutText } from '../../../text/cut-text.js';
import { visible } from './plain-text.js';
import { publishedAt } from '../../search/published-at.js';
import { scanHtml } from './scan-html.js';
import type { ExtractedText, ExtractionTask } from './task.js';
import { parseUrl } from '../../../text/parse-url.js';

const maxItems = 200;
const maxFieldLength = 20_000;
const maxElements = 100_000;
const maxDepth = 200;
const pieceLength = 16_384;

/** The fields of a feed that are read, in RSS, RSS 1.0 and Atom. */
const fieldNames = new Map(
  Object.entries<'title' | 'link' | 'date' | 'content'>({
    title: 'title',
    link: 'link',
    pubDate: 'date',
    published: 'date',
    updated: 'date',
    'dc:date': 'date',
    description: 'content',
    summary: 'content',
    content: 'content',
    'content:encoded': 'content',
  }),
);

interface FeedItem {
  title: string;
  link: string;
  date: string;
  content: string;
}

/** Receives the events of an XML parser, which knows neither entities nor documents of its own. */
class FeedScan {
  readonly channel = newItem();
  readonly items: FeedItem[] = [];
  /** All text, one line for each element. */
  readonly lines: string[] = [];
  isFull = false;
  private item: FeedItem | null = null;
  private readonly open: string[] = [];
  private elements = 0;
  private length = 0;

  constructor(private readonly maxLength: number) {}

  onopentag(name: string, attributes: Record<string, string>): void {
    this.open.push(name);
    if (++this.elements > maxElements || this.open.length > maxDepth) this.isFull = true;
    if (this.isFull) return;
    const { href, rel } = attributes;
    if (name === 'item' || name === 'entry') this.item = newItem();
    else if (name === 'link' && href !== undefined && (rel ?? 'alternate') === 'alternate')
      (this.item ?? this.channel).link ||= href;
  }

  ontext(text: string): void {
    if (this.isFull) return;
    this.length += text.length;
    if (this.length > this.maxLength) this.isFull = true;
    if (text.trim() !== '') this.lines.push(text.trim());
    const field = fieldNames.get(this.open.at(-1) ?? '');
    const target = this.item ?? this.channel;
    if (field && target[field].length < maxFieldLength) target[field] += text;
  }

  onclosetag(name: string): void {
    this.open.pop();
    if ((name !== 'item' && name !== 'entry') || !this.item) return;
    if (this.items.length === maxItems) this.isFull = true;
    else this.items.push(this.item);
    this.item = null;
  }
}

const newItem = (): FeedItem => ({ title: '', link: '', date: '', content: '' });

/** The text of a feed: its entries with title, date, link and summary; of other XML, its lines. */
export function feedText(xml: string, { url, limits }: ExtractionTask): ExtractedText {
  const scan = new FeedScan(limits.maxTextLength);
  const parser = new Parser(scan, { xmlMode: true, decodeEntities: true });
  for (let at = 0; at < xml.length && !scan.isFull; at += pieceLength)
    parser.write(xml.slice(at, at + pieceLength));
  parser.end();
  const text =
    scan.items.length === 0
      ? visible(scan.lines.join('\n'))
      : scan.items.map((item) => itemText(item, url)).join('\n\n');
  return {
    text: cutText(text, limits.maxTextLength),
    title: inline(scan.channel.title, url) || null,
    publishedAt: publishedAt(scan.channel.date, Date.now()),
    isTruncated: scan.isFull || text.length > limits.maxTextLength,
  };
}

function itemText({ title, link, date, content }: FeedItem, url: string): string {
  const heading = `## ${inline(title, url)}`;
  const summary = scanHtml(content, url, maxFieldLength).text;
  return [heading, publishedAt(date, Date.now()), absolute(link, url), summary]
    .filter((line) => line !== null && line !== '')
    .join('\n');
}

/** Feeds put HTML into texts. */
const inline = (text: string, url: string): string =>
  scanHtml(text, url, 300).text.replace(/\s+/g, ' ');

function absolute(link: string, from: string): string | null {
  const url = parseUrl(link.trim(), from);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
