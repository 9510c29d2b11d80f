import { LRUCache } from 'lru-cache';
import type { SearchQuery, SearchResult } from './search-engine.js';

const maxAnswers = 1_000;
const maxBytes = 32 * 1024 * 1024;
/** For an answer's objects, beside its text. */
const overheadBytes = 300;

/** What equal searches of one engine have in common. Words count as written, but for spaces. */
export function searchKey(engine: string, query: SearchQuery): string {
  const { maxResults, recency, country, allowedDomains, blockedDomains } = query;
  return JSON.stringify([
    engine,
    query.query.normalize('NFC').trim().replace(/\s+/g, ' '),
    maxResults,
    recency,
    country?.toUpperCase() ?? null,
    [...allowedDomains].sort(),
    [...blockedDomains].sort(),
  ]);
}

/** Recent answers of engines, shared by all accounts: at most a thousand, and 32 MiB of text. */
export class SearchCache {
  private readonly answers: LRUCache<string, readonly SearchResult[]> | null;

  /** @param ttlMs how long an answer is used; 0: none is kept */
  constructor(ttlMs: number, now: () => number = () => performance.now()) {
    this.answers =
      ttlMs <= 0
        ? null
        : new LRUCache({
            max: maxAnswers,
            maxSize: maxBytes,
            sizeCalculation: (results, key) => bytesOf(results) + 2 * key.length,
            ttl: ttlMs,
            ttlResolution: 0,
            perf: { now },
          });
  }

  /** The results of an earlier search; undefined if there is none. */
  get(key: string): readonly SearchResult[] | undefined {
    return this.answers?.get(key);
  }

  /** Keeps results, unless there are none: the next search may find some. */
  set(key: string, results: readonly SearchResult[]): void {
    if (results.length > 0) this.answers?.set(key, results);
  }
}

const bytesOf = (results: readonly SearchResult[]): number =>
  results.reduce(
    (sum, { title, url, snippet, content }) =>
      sum +
      overheadBytes +
      2 * (title.length + url.length + snippet.length + (content?.length ?? 0)),
    overheadBytes,
  );
