import { untilAborted } from '../../async/until-aborted.js';
import { pageReaderDefaults, type PageReaderOptions } from './page-reader-options.js';
import { ReadingClock } from './reading-clock.js';
import { WebPages } from './web-pages.js';

/** Reads the bytes of images of the web by the rules of pages. */
export interface ImageReader {
  /** @throws PageError */
  read(url: string): Promise<Buffer>;
}

/** Of an image: what Bedrock and most others take of one. */
const maxBytes = 5_000_000;
const totalTimeoutMs = 10_000;

/** @param options as of the page reader, which has the same rules for addresses */
export function createImageReader(options: PageReaderOptions = {}): ImageReader {
  const limits = { ...pageReaderDefaults, ...options, maxBytes, totalTimeoutMs };
  const pages = new WebPages(limits);
  return {
    async read(url) {
      const clock = new ReadingClock(totalTimeoutMs, undefined);
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
