import { scanHtml } from './scan-html.js';
import type { ExtractedText, ExtractionTask } from './task.js';

/** A shorter article is not the page's main part, but a piece of a list or a form. */
const minArticleLength = 250;

/**
 * The text of an HTML page: of its main part where there is one, else of the whole page.
 * @param onScan is given the text of the whole page before the main part is looked for
 */
export async function htmlText(
  html: string,
  { url, limits }: ExtractionTask,
  onScan: (page: ExtractedText) => void,
): Promise<ExtractedText> {
  const { html: scanned, ...page } = scanHtml(html, url, limits.maxTextLength);
  onScan(page);
  const article = await readableArticle(scanned);
  if (!article) return page;
  const { text } = scanHtml(article.html, url, limits.maxTextLength);
  return text.length < minArticleLength
    ? page
    : { ...page, text, title: article.title ?? page.title };
}

/**
 * Finds the main part of a page without navigation, advertisements and comments. The time that it
 * takes grows faster than the page's depth, so it belongs in a thread that can be terminated.
 * @param html scanned
 * @returns null if the page has no such part
 */
async function readableArticle(
  html: string,
): Promise<{ readonly html: string; readonly title: string | null } | null> {
  // only pages in HTML need them
  const { Readability } = await import('@mozilla/readability');
  const { DOMParser } = await import('linkedom');
  const document = new DOMParser().parseFromString(html, 'text/html');
  const article = new Readability(document, { disableJSONLD: true }).parse();
  return article?.content == null
    ? null
    : { html: article.content, title: article.title?.trim() || null };
}
