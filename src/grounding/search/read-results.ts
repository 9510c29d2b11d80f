import { canonicalUrl } from './canonical-url.js';
import { cutAtWord } from '../../text/cut-text.js';
import { isAllowedPage } from './domains.js';
import { isTooOld, publishedAt } from './published-at.js';
import type { RawResult, SearchQuery, SearchResult } from './search-engine.js';
import { parseUrl } from '../../text/parse-url.js';

// bounds of what one result may take, whatever an engine sends
const maxUrlLength = 4_096;
const maxTitleLength = 300;
const maxSnippetLength = 1_500;
const maxContentLength = 200_000;
/** Results of one answer that are looked at. */
const maxRawResults = 200;

const unprintable =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u2028\u2029\ufeff]+/g;

function boundedText(value: unknown, maxLength: number): string {
  if (typeof value !== 'string') return '';
  const text = value
    .slice(0, maxLength + 1)
    .replace(unprintable, ' ')
    .trim();
  return text.length > maxLength ? `${cutAtWord(text, maxLength - 1)}…` : text;
}

const onOneLine = (value: unknown, maxLength: number): string =>
  boundedText(value, maxLength).replace(/\s+/g, ' ');

function pageUrl(value: unknown): URL | null {
  const url = typeof value === 'string' && value.length <= maxUrlLength ? parseUrl(value) : null;
  if (url === null) return null;
  const isPage = url.protocol === 'http:' || url.protocol === 'https:';
  return isPage && url.username === '' && url.password === '' ? url : null;
}

function resultOf(raw: RawResult, engine: string, now: number): SearchResult | null {
  const url = pageUrl(raw.url);
  if (url === null) return null;
  const whole = boundedText(raw.content, maxContentLength);
  // some engines send the page's text as its snippet
  const long = typeof raw.snippet === 'string' && raw.snippet.length > maxSnippetLength;
  const content = whole === '' && long ? boundedText(raw.snippet, maxContentLength) : whole;
  return {
    title: onOneLine(raw.title, maxTitleLength) || url.hostname,
    url: url.href,
    snippet: onOneLine(raw.snippet, maxSnippetLength),
    publishedAt: publishedAt(raw.date, now),
    ...(content === '' ? {} : { content }),
    engine,
  };
}

/** What a search keeps of the results that an engine sent. */
export interface ResultRules {
  readonly query: SearchQuery;
  /** The configured engine's name. */
  readonly engine: string;
  /** Whether results that say that they are too old are dropped. */
  readonly dropsOld: boolean;
  /** In ms since 1970. */
  readonly now: number;
}

/**
 * An engine's results in the common shape, in its order: pages of allowed domains only, each once,
 * at most as many as were asked for. Results without a usable address are left out.
 */
export function readResults(
  raw: readonly RawResult[],
  { query, engine, dropsOld, now }: ResultRules,
): SearchResult[] {
  const results = raw
    .slice(0, maxRawResults)
    .map((one) => resultOf(one, engine, now))
    .filter((one) => one !== null)
    .filter(({ url }) => isAllowedPage(url, query.allowedDomains, query.blockedDomains))
    .filter((one) => !dropsOld || !isTooOld(one.publishedAt, query.recency, now));
  return uniqueResults(results).slice(0, query.maxResults);
}

/**
 * The results without those of a page that an earlier one has too, by `canonicalUrl`. The earlier
 * one takes over what it lacks: the longer snippet and content, and the date.
 */
export function uniqueResults(results: readonly SearchResult[]): SearchResult[] {
  const byPage = new Map<string, SearchResult>();
  for (const result of results) {
    const page = canonicalUrl(result.url);
    const earlier = byPage.get(page);
    byPage.set(page, earlier === undefined ? result : merged(earlier, result));
  }
  return [...byPage.values()];
}

function merged(earlier: SearchResult, later: SearchResult): SearchResult {
  const content = longer(earlier.content ?? '', later.content ?? '');
  return {
    ...earlier,
    snippet: longer(earlier.snippet, later.snippet),
    publishedAt: earlier.publishedAt ?? later.publishedAt,
    ...(content === '' ? {} : { content }),
  };
}

const longer = (one: string, other: string): string => (other.length > one.length ? other : one);
