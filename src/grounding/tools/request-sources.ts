import type { WebPage } from '../reading/page-reader.js';
import { publishedAt } from '../search/published-at.js';
import { canonicalUrl } from '../search/canonical-url.js';
import type { SearchResult } from '../search/search-engine.js';
import type { Source } from '../source.js';

/** A source with all that was read of it. */
export interface ReadSource extends Omit<Source, 'cited'> {
  readonly text: string;
}

/** What a provider's own search tells of a page. */
export interface NativeResult {
  readonly url: string;
  readonly title?: string | undefined;
  readonly snippet?: string | undefined;
  readonly date?: string | undefined;
  /** What the provider says that the page says: shown, but no evidence. */
  readonly quote?: string | undefined;
}

/** Bounds the memory that a model's searches can take. */
export const maxSources = 1_000;
const maxMentioned = 50_000;
/** In UTF-16 units, of all sources together. */
const maxText = 16_000_000;

/** The pages that one request has found and read, each once, and the addresses that it may open. */
export class RequestSources {
  private readonly sources = new Map<number, ReadSource>();
  /** By canonical address. */
  private readonly ids = new Map<string, number>();
  /** The addresses in the conversation and on pages that were read, by their canonical ones. */
  private readonly mentioned = new Map<string, string>();
  /** Canonical addresses in other parts of the conversation. */
  private readonly repeatable = new Set<string>();
  private textLength = 0;
  private lastId = 0;

  /** Takes sources that have numbers already. */
  restore(sources: readonly ReadSource[]): void {
    for (const source of sources) this.put({ ...source, text: this.kept(source.text) });
  }

  /** Adds the addresses of a text that an answer may repeat, but that may not be opened for it. */
  *know(text: string): Generator<unknown, void> {
    for (const url of urlsIn(text)) {
      if (this.repeatable.size >= maxMentioned) return;
      this.repeatable.add(canonicalUrl(url));
      yield;
    }
  }

  /** Adds the addresses of a text that may be opened: of the user's words, or of a page. */
  *mention(text: string): Generator<unknown, void> {
    for (const url of urlsIn(text)) {
      if (this.mentioned.size >= maxMentioned) return;
      const key = canonicalUrl(url);
      if (!this.mentioned.has(key)) this.mentioned.set(key, url);
      yield;
    }
  }

  /** @returns null once there is no room for more */
  addResult(result: SearchResult): ReadSource | null {
    const { url, title, snippet, publishedAt, content = '', engine } = result;
    const text = this.kept([snippet, content].filter(Boolean).join('\n\n'));
    return this.add({ url, title, snippet, publishedAt, fetchedAt: null, via: engine, text });
  }

  addNative({ url, title, snippet = '', date, quote = '' }: NativeResult): ReadSource | null {
    const found = {
      url,
      title: title || hostOf(url),
      snippet: snippet || quote,
      publishedAt: publishedAt(date, Date.now()),
    };
    return this.add({ ...found, fetchedAt: null, via: 'native', text: this.kept(snippet) });
  }

  /**
   * Adds a page that was read, whose addresses `mention` adds, or completes the source that named it.
   * @param askedUrl where the page was asked for, from which it may have been redirected
   */
  addPage(page: WebPage, askedUrl: string): ReadSource | null {
    const known = this.byUrl(askedUrl) ?? this.byUrl(page.url);
    const text = this.kept(page.text);
    const read = { fetchedAt: page.fetchedAt, text };
    if (known) {
      const publishedAt = known.publishedAt ?? page.publishedAt;
      const all = known.text.includes(text) ? known.text : `${known.text}\n\n${text}`;
      const whole = { ...known, ...read, publishedAt, text: all };
      this.sources.set(known.id, whole);
      this.ids.set(canonicalUrl(page.url), known.id);
      return whole;
    }
    const { url, title, publishedAt } = page;
    const found = { url, title: title ?? hostOf(url), snippet: '', publishedAt, via: 'page' };
    return this.add({ ...found, ...read });
  }

  /**
   * The address to open where a model asks for one: as it was found, since a model's own spelling
   * could carry what it has read to the site. Null: it was not found anywhere.
   */
  openable(url: string): string | null {
    const key = canonicalUrl(url);
    return this.mentioned.get(key) ?? this.byUrl(url)?.url ?? null;
  }

  /** Whether an address was retrieved or is present in the conversation. */
  isKnown(url: string): boolean {
    const key = canonicalUrl(url);
    return this.ids.has(key) || this.mentioned.has(key) || this.repeatable.has(key);
  }

  byId(id: number): ReadSource | undefined {
    return this.sources.get(id);
  }

  byUrl(url: string): ReadSource | undefined {
    const id = this.ids.get(canonicalUrl(url));
    return id === undefined ? undefined : this.byId(id);
  }

  /** The highest id. */
  count(): number {
    return this.lastId;
  }

  /** All of them in order, as an answer shows them. */
  shown(cited: ReadonlySet<number>): Source[] {
    return [...this.sources.values()].map(({ text: _text, ...source }) => ({
      ...source,
      cited: cited.has(source.id),
    }));
  }

  private add(found: Omit<ReadSource, 'id'>): ReadSource | null {
    const known = this.byUrl(found.url);
    if (known) return this.complete(known, found);
    if (this.sources.size >= maxSources) return null;
    const source = { id: this.lastId + 1, ...found };
    this.put(source);
    return source;
  }

  private put(source: ReadSource): void {
    this.lastId = Math.max(this.lastId, source.id);
    this.sources.set(source.id, source);
    this.ids.set(canonicalUrl(source.url), source.id);
  }

  /** A page that another search found again may come with more of its text. */
  private complete(known: ReadSource, found: Omit<ReadSource, 'id'>): ReadSource {
    const isNew = found.text !== '' && !known.text.includes(found.text);
    const text = isNew ? [known.text, found.text].filter(Boolean).join('\n\n') : known.text;
    const snippet = known.snippet || found.snippet;
    const title = known.title === hostOf(known.url) ? found.title : known.title;
    const whole = { ...known, title, snippet, text };
    this.sources.set(known.id, whole);
    return whole;
  }

  private kept(text: string): string {
    const kept = text.slice(0, Math.max(0, maxText - this.textLength));
    this.textLength += kept.length;
    return kept;
  }
}

const hostOf = (url: string): string => /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? url;

/** A longer address is none that a person wrote. */
const maxUrlLength = 2_048;
/** More addresses of one text are not looked at. */
const maxUrls = 5_000;

// a bounded repetition keeps the search linear
const address = new RegExp(`https?://[^\\s<>"'\`{}|\\\\^]{1,${maxUrlLength}}`, 'gi');

/**
 * The http and https addresses in a text, without the punctuation that stands behind them. A
 * closing bracket belongs to an address only if it has the opening one too.
 */
function* urlsIn(text: string): Generator<string, void> {
  let count = 0;
  for (const [found] of text.matchAll(address)) {
    yield* spellings(found);
    if (++count >= maxUrls) return;
  }
}

/** `[a](https://x.example/a)](…` leaves the address with its brackets: both spellings are known. */
function spellings(found: string): string[] {
  const bracket = /[)\]]/.exec(found);
  const trimmed = withoutTail(found);
  if (!bracket) return [trimmed];
  const short = withoutTail(found.slice(0, bracket.index));
  return short === trimmed ? [trimmed] : [trimmed, short];
}

function withoutTail(url: string): string {
  let end = url.length;
  while (end > 0 && isTail(url, end)) end--;
  return url.slice(0, end);
}

function isTail(url: string, end: number): boolean {
  const last = url[end - 1]!;
  if ('.,;:!?*_~'.includes(last)) return true;
  const opening = last === ')' ? '(' : last === ']' ? '[' : null;
  return opening !== null && !url.slice(0, end).includes(opening);
}
