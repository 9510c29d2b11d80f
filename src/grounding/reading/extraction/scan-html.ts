import { Parser } from 'htmlparser2';
import { parseUrl } from '../../../text/parse-url.js';
import { PageFacts } from './page-facts.js';
import { visible } from './plain-text.js';
import type { ExtractedText } from './task.js';
import { TextWriter } from './text-writer.js';
import { nameSet } from '../../../text/is-object.js';

/** The text of an HTML page, and the page's HTML made safe for other parsers. */
export interface ScannedPage extends ExtractedText {
  /** HTML with the same text, without scripts, styles, hidden elements and most attributes. */
  readonly html: string;
}

const maxElements = 50_000;
/** Of elements that are handed on; what stands deeper stands in the one at this depth. */
const maxDepth = 200;
/** The parser's own work for an element grows with its depth. */
const maxParserDepth = 5_000;
const maxHtmlLength = 2_000_000;
const maxTitleLength = 1_000;
const maxUrlLength = 2_000;

const voidElements = nameSet('area base br col hr img link meta wbr');

/** Pages may leave these out, and DOM parsers need them: each is written once. */
const frame = new Set(['html', 'head', 'body']);
const ofHead = new Set(['title', 'meta', 'link', 'base']);

/** Text is parsed in pieces, between which the scan can end. */
const pieceLength = 16_384;
const maxScanMs = 1_000;

/**
 * Reads HTML once, in linear time and bounded memory, whatever it contains: at most 50,000
 * elements, of which at most 200 stand inside each other. What is beyond a bound is left out.
 * @param url the page's address, for relative links
 */
export function scanHtml(html: string, url: string, maxTextLength: number): ScannedPage {
  const scan = new HtmlScan(url, maxTextLength);
  const parser = new Parser(scan, { decodeEntities: true, lowerCaseTags: true });
  const endsAt = performance.now() + maxScanMs;
  let at = 0;
  for (; at < html.length && !scan.isFull && performance.now() < endsAt; at += pieceLength)
    parser.write(html.slice(at, at + pieceLength));
  if (at < html.length) scan.stop();
  parser.end();
  return scan.result();
}

/** Receives the parser's events. Nothing is called back, and nothing recurses. */
class HtmlScan {
  private readonly head: string[] = [];
  private readonly body: string[] = [];
  private htmlLength = 0;
  private titleLength = 0;
  private elements = 0;
  /** For each open element, whether it was handed on. */
  private readonly handedOn: boolean[] = [];
  private depth = 0;
  /** How many elements are open in a dropped one, with itself. */
  private dropped = 0;
  /** Whether nothing more is taken. */
  isFull = false;
  private readonly writer: TextWriter;
  private readonly facts = new PageFacts();
  private base: URL;

  /** @param url the page's address */
  constructor(url: string, maxTextLength: number) {
    this.writer = new TextWriter(maxTextLength);
    this.base = new URL(url);
  }

  /** Takes nothing more, although there is more. */
  stop(): void {
    this.isFull = true;
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    if (this.isFull) return;
    if (++this.elements > maxElements || this.handedOn.length >= maxParserDepth) {
      this.stop();
      return;
    }
    if (this.dropped === 0) this.facts.open(name, attributes);
    if (this.dropped > 0 || isDropped(name, attributes)) {
      this.dropped++;
      return;
    }
    if (name === 'base') this.setBase(attributes.href);
    const href = name === 'a' ? this.absolute(attributes.href) : null;
    this.writer.open(name, href);
    this.handOn(name, href === null ? attributes : { ...attributes, href });
  }

  ontext(text: string): void {
    if (this.isFull) return;
    const isTitle = this.facts.text(text);
    if (this.dropped > 0) return;
    if (!isTitle) this.writer.text(text);
    else if ((this.titleLength += text.length) > maxTitleLength) return;
    this.add(isTitle ? this.head : this.body, escaped(visible(text)));
    if (this.writer.isFull) this.stop();
  }

  onclosetag(name: string): void {
    if (this.isFull) return;
    this.facts.close(name);
    if (this.dropped > 0) {
      this.dropped--;
      return;
    }
    this.writer.close(name);
    if (this.handedOn.pop() !== true) return;
    this.depth--;
    if (!voidElements.has(name)) this.add(this.placeOf(name), `</${name}>`);
  }

  /** What was read. Elements that are still open end here. */
  result(): ScannedPage {
    const [head, body] = [this.head.join(''), this.body.join('')];
    return {
      html: `<!doctype html><html><head>${head}</head><body>${body}</body></html>`,
      text: this.writer.result(),
      title: this.facts.title,
      publishedAt: this.facts.publishedAt,
      isTruncated: this.isFull,
    };
  }

  private handOn(name: string, attributes: Record<string, string>): void {
    // a name that HTML does not know may contain almost anything
    const isHandedOn =
      this.depth < maxDepth && !frame.has(name) && /^[a-z][a-z0-9-]{0,40}$/.test(name);
    this.handedOn.push(isHandedOn);
    if (!isHandedOn) return;
    this.depth++;
    const kept = keptAttributes(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
    this.add(this.placeOf(name), `<${name}${kept.join('')}>`);
  }

  private placeOf(name: string): string[] {
    return ofHead.has(name) ? this.head : this.body;
  }

  private add(place: string[], html: string): void {
    const piece = html.slice(0, maxHtmlLength - this.htmlLength);
    if (piece !== '') place.push(piece);
    this.htmlLength += piece.length;
    if (piece.length < html.length) this.stop();
  }

  private setBase(href: string | undefined): void {
    const base = this.absolute(href);
    if (base !== null) this.base = new URL(base);
  }

  /** An http or https URL, or null: links within the page and scripts are text. */
  private absolute(href: string | undefined): string | null {
    const text = href?.trim() ?? '';
    if (text === '' || text.startsWith('#') || text.length > maxUrlLength) return null;
    const parsed = parseUrl(text, this.base);
    if (parsed === null) return null;
    const { protocol, username, password, href: url } = parsed;
    if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return null;
    return url.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign]!);

/** Elements without text for readers. */
const dropped = nameSet(`
  script style template noscript svg iframe frame frameset noframes object embed applet canvas
  audio video map area select option datalist textarea input link img picture source track
  annotation annotation-xml rp
`);
/** A page that shows itself late is not hidden. */
const neverHidden = new Set(['html', 'body', 'main', 'article']);

const hiding =
  /(?:^|;)\s{0,9}(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|(?:opacity|font-size)\s{0,9}:\s{0,9}0(?:\.0{1,9})?(?:px|em|rem|%)?\s{0,9}(?:;|!|$))/i;
const maxStyleLength = 1_000;

/** Whether an element and all in it is left out: it is not text, or people do not see it. */
function isDropped(name: string, attributes: Readonly<Record<string, string>>): boolean {
  if (dropped.has(name)) return true;
  if (neverHidden.has(name)) return false;
  const { hidden, style } = attributes;
  return (
    (hidden !== undefined && hidden !== 'until-found') ||
    attributes['aria-hidden'] === 'true' ||
    (style !== undefined && hiding.test(style.slice(0, maxStyleLength)))
  );
}

/** Attributes that say what an element is, or where a link leads. */
const kept = nameSet(`
  id class role href rel itemprop itemtype datetime name property content lang dir colspan
  rowspan summary
`);
const maxValueLength = 2_048;

/** The attributes that are handed on, with their values bounded. */
const keptAttributes = (
  attributes: Readonly<Record<string, string>>,
): (readonly [name: string, value: string])[] =>
  Object.entries(attributes)
    .filter(([name, value]) => kept.has(name) && value.length <= maxValueLength)
    .slice(0, kept.size);
