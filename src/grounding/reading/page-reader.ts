import pLimit, { type LimitFunction } from 'p-limit';
import { untilAborted } from '../../async/until-aborted.js';
import { ExtractionPool } from './extraction-pool.js';
import { readerClosed } from './page-error.js';
import { actualKind } from './page-kind.js';
import { pageReaderDefaults, type PageReaderOptions } from './page-reader-options.js';
import { ReadingClock } from './reading-clock.js';
import { WebPages } from './web-pages.js';
import { present } from '../../text/is-object.js';

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

/** Bounds of the threads that no document needs to reach. */
const threadLimits = { startTimeoutMs: 30_000, maxHeapMb: 256, maxGrowthMb: 512 };

/**
 * Reads pages of the web, whose addresses are untrusted, as text. It connects to public addresses
 * only, within limits of time and size, and parses documents in threads that it can terminate. The
 * first page loads the threads and the parsers.
 */
export class PageReader {
  private readonly settings: typeof pageReaderDefaults;
  private readonly pages: WebPages;
  private readonly pool: ExtractionPool;
  private readonly limit: LimitFunction;
  private readonly running = new Set<ReadingClock>();
  private isClosed = false;

  constructor(options: PageReaderOptions) {
    // a limit that a caller without types leaves undefined would be none
    this.settings = { ...pageReaderDefaults, ...present(options) };
    const { extractionTimeoutMs, pdfTimeoutMs, maxThreads, idleThreadMs } = this.settings;
    const limits = { taskTimeoutMs: extractionTimeoutMs, pdfTimeoutMs, maxThreads, idleThreadMs };
    this.pages = new WebPages(this.settings);
    this.pool = new ExtractionPool({ ...threadLimits, ...limits });
    this.limit = pLimit(this.settings.maxConcurrent);
  }

  /** @throws PageError */
  async read(
    url: string,
    { signal, allowed = () => true }: PageReadOptions = {},
  ): Promise<WebPage> {
    if (this.isClosed) throw readerClosed();
    const clock = new ReadingClock(this.settings.totalTimeoutMs, signal);
    this.running.add(clock);
    try {
      const reading = this.limit(() => this.readNow(url, allowed, clock));
      return await untilAborted(reading, clock.signal);
    } finally {
      clock.end();
      this.running.delete(clock);
    }
  }

  /** Ends what is running; later readings fail with `closed`. */
  close(): void {
    this.isClosed = true;
    for (const clock of this.running) clock.fail(readerClosed());
    this.pool.close();
  }

  private async readNow(
    url: string,
    allowed: (url: URL) => boolean,
    clock: ReadingClock,
  ): Promise<WebPage> {
    clock.signal.throwIfAborted();
    const { maxTextLength, maxPdfPages } = this.settings;
    const { bytes, charset, contentType, declared, ...found } = await this.pages.fetch(
      url,
      allowed,
      clock,
    );
    clock.stopTotal();
    const { href } = found.url;
    const facts = { url: href, fetchedAt: new Date().toISOString(), bytes: bytes.length };
    const kind = actualKind(declared, bytes);
    const limits = { maxTextLength, maxPdfPages };
    const page = await this.pool.run({ kind, bytes, url: href, charset, limits }, clock.signal);
    return { ...page, ...facts, contentType };
  }
}

/** What Bedrock and most others take of an image. */
const maxImageBytes = 5_000_000;
const imageTimeoutMs = 10_000;

/** Reads the bytes of images of the web by the rules of pages. `read` throws PageError. */
export function createImageReader(options: PageReaderOptions) {
  const limits = {
    ...pageReaderDefaults,
    ...options,
    maxBytes: maxImageBytes,
    totalTimeoutMs: imageTimeoutMs,
  };
  const pages = new WebPages(limits);
  return {
    maxBytes: maxImageBytes,
    async read(url: string): Promise<Buffer> {
      const clock = new ReadingClock(imageTimeoutMs, undefined);
      try {
        const { bytes } = await untilAborted(
          pages.fetch(url, () => true, clock, 'image/*'),
          clock.signal,
        );
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      } finally {
        clock.end();
      }
    },
  };
}
