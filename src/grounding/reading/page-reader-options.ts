import { systemLookup } from './web-request.js';

/** The settings of a page reader, and their defaults. Durations are in ms. */
export const pageReaderDefaults = {
  /** Hosts with private addresses: `wiki.intranet`, also with a port that is then allowed. */
  allowPrivateHosts: [] as readonly string[],
  /** Ports that pages are read from. */
  ports: [80, 443] as readonly number[],
  maxRedirects: 5,
  /** Whether a site's robots.txt is obeyed. */
  obeyRobots: true,
  /** Pages that are read at once, each with its body in memory; others wait. */
  maxConcurrent: 16,
  /** Of a body, on the wire and decompressed. */
  maxBytes: 10_000_000,
  /** Of the text that is handed on, in UTF-16 units. */
  maxTextLength: 1_000_000,
  maxPdfPages: 100,
  /** For all requests of a page together, and for its turn to come. */
  totalTimeoutMs: 20_000,
  /** For each request until its headers have arrived. */
  headersTimeoutMs: 10_000,
  /** Between two pieces of a body. */
  idleTimeoutMs: 5_000,
  extractionTimeoutMs: 2_000,
  pdfTimeoutMs: 10_000,
  /** Threads that extract texts. */
  maxThreads: 2,
  /** After which a thread without work ends. */
  idleThreadMs: 30_000,
  /** Finds the addresses of a name. */
  lookup: systemLookup,
};

/** Settings of a page reader; what is left out has its default. */
export type PageReaderOptions = Readonly<Partial<typeof pageReaderDefaults>>;
