import type { PageKind } from '../page-kind.js';

/** A document whose text is to be found. Its bytes move to the thread. */
export interface ExtractionTask {
  readonly kind: PageKind;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The page's address, for relative links. */
  readonly url: string;
  /** As the header `Content-Type` names it. */
  readonly charset: string | null;
  readonly limits: ExtractionLimits;
}

/** Bounds of what one document may take. */
export interface ExtractionLimits {
  readonly maxTextLength: number;
  readonly maxPdfPages: number;
}

/** The text of a document, in which nothing is markup but the lines and links of plain text. */
export interface ExtractedText {
  readonly text: string;
  readonly title: string | null;
  /** An ISO date, with the time where that is known. */
  readonly publishedAt: string | null;
  /** Whether the document has more than was taken. */
  readonly isTruncated: boolean;
}

/**
 * What the thread says of its task. `partial` comes before what may take too long and holds what is
 * known so far; `end` holds the result. A failure's reason is one of a few sentences; its detail, a
 * parser's own message, may quote the document.
 */
export type ExtractionMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'partial'; readonly page: ExtractedText }
  | { readonly kind: 'end'; readonly page: ExtractedText }
  | { readonly kind: 'failed'; readonly reason: string; readonly detail: string };
