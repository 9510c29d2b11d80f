import { type AddressLookup, systemLookup } from './checked-connector.js';

/** Settings of a page reader; what is left out has its default. Durations are in ms. */
export interface PageReaderOptions {
  /**
   * Hosts whose addresses may be private: `wiki.intranet`, or with a port that is then allowed too:
   * `wiki.intranet:8080`. Default: none.
   */
  readonly allowPrivateHosts?: readonly string[];
  /** Ports that pages are read from. Default: 80 and 443. */
  readonly ports?: readonly number[];
  /** Whether an https page may redirect to an http one. Default: no. */
  readonly allowDowngrade?: boolean;
  /** Default: 5. */
  readonly maxRedirects?: number;
  /** Whether a site's robots.txt is obeyed. Default: yes. */
  readonly obeyRobots?: boolean;
  /** Pages that are read at once, each with its body in memory; others wait. Default: 16. */
  readonly maxConcurrent?: number;
  /** Of a body, on the wire and decompressed. Default: 10,000,000. */
  readonly maxBytes?: number;
  /** Of the text that is handed on, in UTF-16 units. Default: 2,000,000. */
  readonly maxTextLength?: number;
  /** Default: 100. */
  readonly maxPdfPages?: number;
  /** For all requests of a page together, and for its turn to come. Default: 20,000. */
  readonly totalTimeoutMs?: number;
  /** For each request until its headers have arrived. Default: 10,000. */
  readonly headersTimeoutMs?: number;
  /** Between two pieces of a body. Default: 5,000. */
  readonly idleTimeoutMs?: number;
  /** For the extraction of a page's text. Default: 2,000. */
  readonly extractionTimeoutMs?: number;
  /** For the extraction of a PDF's text. Default: 10,000. */
  readonly pdfTimeoutMs?: number;
  /** Threads that extract texts. Default: 2. */
  readonly maxThreads?: number;
  /** After which a thread without work ends. Default: 30,000. */
  readonly idleThreadMs?: number;
  /** Finds the addresses of a name. Default: the system's resolver. */
  readonly lookup?: AddressLookup;
}

/** The defaults of all settings. */
export const pageReaderDefaults: Required<PageReaderOptions> = {
  allowPrivateHosts: [],
  ports: [80, 443],
  allowDowngrade: false,
  maxRedirects: 5,
  obeyRobots: true,
  maxConcurrent: 16,
  maxBytes: 10_000_000,
  maxTextLength: 2_000_000,
  maxPdfPages: 100,
  totalTimeoutMs: 20_000,
  headersTimeoutMs: 10_000,
  idleTimeoutMs: 5_000,
  extractionTimeoutMs: 2_000,
  pdfTimeoutMs: 10_000,
  maxThreads: 2,
  idleThreadMs: 30_000,
  lookup: systemLookup,
};
