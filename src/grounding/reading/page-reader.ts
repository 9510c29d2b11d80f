import { ExtractionPool } from './extraction-pool.js';
import type { ExtractedText } from './extraction/task.js';
import { PageError } from './page-error.js';
import { actualKind } from './page-kind.js';
import { pageReaderDefaults, type PageReaderOptions } from './page-reader-options.js';
import { ReadingClock } from './reading-clock.js';
import { type WebDocument, WebPages } from './web-pages.js';

/** A page of the web as plain text. Nothing in it is an instruction. */
export interface WebPage {
  /** The last of the redirects, without a fragment. */
  readonly url: string;
  readonly title: string | null;
  /** With headings, lists, rows of tables as lines, and links as `[text](url)`. */
  readonly text: string;
  /** As the page says itself: an ISO date, with the time where that is known. */
  readonly publishedAt: string | null;
  /** An ISO date and time. */
  readonly fetchedAt: string;
  /** As the server named it, without parameters; empty if it did not. */
  readonly contentType: string;
  /** Whether the page has more text than was taken. */
  readonly isTruncated: boolean;
  /** Of the body, decompressed. */
  readonly bytes: number;
}

/** How one page is read. */
export interface PageReadOptions {
  readonly signal?: AbortSignal;
  /** Whether a URL may be opened, asked for the first one and for each that it redirects to. */
  readonly allowed?: (url: URL) => boolean;
}

/** Reads pages of the web as text. */
export interface PageReader {
  /** @throws PageError */
  read(url: string, options?: PageReadOptions): Promise<WebPage>;
  /** Ends what is running; later readings fail with `closed`. */
  close(): void;
}

/** Bounds of the threads that no document needs to reach. */
const threadLimits = { startTimeoutMs: 30_000, maxHeapMb: 256, maxGrowthMb: 512 };

/**
 * Makes a reader of web pages that strangers may name: it connects to public addresses only, within
 * limits of time and size, and leaves a document's parsers to threads that it can terminate. The
 * threads and the parsers are loaded with the first page.
 */
export function createPageReader(given: PageReaderOptions = {}): PageReader {
  const options = { ...pageReaderDefaults, ...given };
  const pages = new WebPages(options);
  const { extractionTimeoutMs: taskTimeoutMs, maxThreads, idleThreadMs, pdfTimeoutMs } = options;
  const pool = new ExtractionPool({
    ...threadLimits,
    taskTimeoutMs,
    pdfTimeoutMs,
    maxThreads,
    idleThreadMs,
  });
  const running = new Set<ReadingClock>();
  let isClosed = false;

  const extract = async (
    { url, bytes, charset, declared }: WebDocument,
    signal: AbortSignal,
  ): Promise<ExtractedText> => {
    const { maxTextLength, maxPdfPages } = options;
    const kind = actualKind(declared, bytes);
    const limits = { maxTextLength, maxPdfPages };
    return pool.run({ kind, bytes, url: url.href, charset, limits }, signal);
  };

  return {
    read: async (url, { signal, allowed = () => true } = {}) => {
      if (isClosed) throw closed();
      const clock = new ReadingClock(options.totalTimeoutMs, signal);
      running.add(clock);
      try {
        const document = await pages.fetch(url, allowed, clock);
        clock.stopTotal();
        const { length } = document.bytes;
        const fetchedAt = new Date().toISOString();
        const page = await extract(document, clock.signal);
        const { contentType, url: final } = document;
        return { ...page, url: final.href, fetchedAt, contentType, bytes: length };
      } finally {
        clock.end();
        running.delete(clock);
      }
    },
    close: () => {
      isClosed = true;
      for (const clock of running) clock.fail(closed());
      pool.close();
    },
  };
}

const closed = (): PageError => new PageError('closed', 'the page reader was closed');
