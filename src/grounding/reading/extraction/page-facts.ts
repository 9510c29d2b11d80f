import { cutText } from '../../../text/cut-text.js';
import { visible } from './plain-text.js';
import { publishedAt } from '../../search/published-at.js';
import { nameSet } from '../../../text/is-object.js';

const dateNames = nameSet(`
  article:published_time og:published_time datepublished date dc.date dc.date.issued
  dcterms.created dcterms.issued pubdate publishdate publish-date parsely-pub-date
  sailthru.date citation_publication_date citation_date
`);
const maxTitleLength = 300;
const maxLinkedDataLength = 100_000;

/** What a page says about itself in its head, in linked data and in its first heading. */
export class PageFacts {
  private readonly titles = { title: '', h1: '', meta: '' };
  private linkedData = '';
  private statedDate: string | null = null;
  private reading: 'title' | 'h1' | 'linkedData' | null = null;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'meta') this.readMeta(attributes);
    else if (name === 'time') this.readTime(attributes);
    else if (name === 'script' && attributes.type?.trim().toLowerCase() === 'application/ld+json')
      this.reading = 'linkedData';
    else if ((name === 'title' || name === 'h1') && this.titles[name] === '') this.reading = name;
  }

  /** @returns whether the text is that of the title, which is not on the page */
  text(text: string): boolean {
    if (this.reading === 'linkedData') {
      if (this.linkedData.length < maxLinkedDataLength) this.linkedData += text;
    } else if (this.reading !== null && this.titles[this.reading].length < maxTitleLength)
      this.titles[this.reading] += text.slice(0, 2 * maxTitleLength);
    return this.reading === 'title';
  }

  close(name: string): void {
    if (name === this.reading || (name === 'script' && this.reading === 'linkedData'))
      this.reading = null;
  }

  get title(): string | null {
    const { meta, title, h1 } = this.titles;
    return [meta, title, h1].map(singleLine).find((text) => text !== '') ?? null;
  }

  get publishedAt(): string | null {
    const [, stated] = /"datePublished"\s{0,9}:\s{0,9}"([^"]{4,64})"/.exec(this.linkedData) ?? [];
    return this.statedDate ?? publishedAt(stated, Date.now());
  }

  private readMeta({ property, name, itemprop, content }: Readonly<Record<string, string>>): void {
    const key = (property ?? name ?? itemprop ?? '').trim().toLowerCase();
    if (content === undefined) return;
    if (key === 'og:title' && this.titles.meta === '')
      this.titles.meta = content.slice(0, 2 * maxTitleLength);
    if (dateNames.has(key)) this.statedDate ??= publishedAt(content, Date.now());
  }

  private readTime(attributes: Readonly<Record<string, string>>): void {
    const { itemprop, pubdate, datetime } = attributes;
    if (pubdate !== undefined || itemprop?.toLowerCase() === 'datepublished')
      this.statedDate ??= publishedAt(datetime, Date.now());
  }
}

const singleLine = (text: string): string =>
  cutText(visible(text).replace(/\s+/g, ' ').trim(), maxTitleLength);
