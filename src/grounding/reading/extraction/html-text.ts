import { readableArticle } from './readable-article.js';
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
