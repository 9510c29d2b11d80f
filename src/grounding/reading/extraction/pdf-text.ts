import type { getDocumentProxy as openPdf } from 'unpdf';
import { publishedAt } from '../../search/published-at.js';
import { cutText } from '../../../text/cut-text.js';
import { visible } from './plain-text.js';
import type { ExtractedText, ExtractionTask } from './task.js';

/** A PDF of pictures, such as a scanned one. */
class NoTextError extends Error {
  override readonly name = 'NoTextError';
}

type PdfDocument = Awaited<ReturnType<typeof openPdf>>;

/**
 * The text of a PDF, page after page.
 * @param onPages is given the text so far after each page
 * @throws NoTextError, or pdf.js's error if it is damaged or needs a password
 */
export async function pdfText(
  { bytes, limits }: ExtractionTask,
  onPages: (page: ExtractedText) => void,
): Promise<ExtractedText> {
  const { getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(bytes, {
    verbosity: 0,
    useSystemFonts: false,
    maxImageSize: 1,
  });
  const facts = await readFacts(document);
  const pages = Math.min(document.numPages, limits.maxPdfPages);
  let text = '';
  for (let number = 1; number <= pages && text.length < limits.maxTextLength; number++) {
    text = `${text}\n\n${await pageText(document, number)}`.trimStart();
    if (text !== '')
      onPages({ ...facts, text: cutText(text, limits.maxTextLength), isTruncated: true });
  }
  if (text.trim() === '') throw new NoTextError('no text on any page');
  return {
    ...facts,
    text: cutText(text.trim(), limits.maxTextLength),
    isTruncated: pages < document.numPages || text.length > limits.maxTextLength,
  };
}

async function pageText(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  const pieces = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''));
  return visible(pieces.join(''))
    .replace(/[ \t]+/g, ' ')
    .trim();
}

async function readFacts(
  document: PdfDocument,
): Promise<Pick<ExtractedText, 'title' | 'publishedAt'>> {
  const { info } = await document.getMetadata();
  const { Title: title, CreationDate: created } = info as {
    Title?: unknown;
    CreationDate?: unknown;
  };
  const [, year, month, day] =
    /^D:(\d{4})(\d{2})?(\d{2})?/.exec(typeof created === 'string' ? created : '') ?? [];
  return {
    title:
      typeof title === 'string' && title.trim() !== '' ? cutText(visible(title).trim(), 300) : null,
    publishedAt: publishedAt([year, month ?? '01', day ?? '01'].join('-'), Date.now()),
  };
}
