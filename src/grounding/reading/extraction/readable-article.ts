/** The main part of a page. */
export interface ReadableArticle {
  readonly html: string;
  readonly title: string | null;
}

/**
 * Finds the main part of a page without navigation, advertisements and comments. The time that it
 * takes grows faster than the page's depth, so it belongs in a thread that can be terminated.
 * @param html scanned
 * @returns null if the page has no such part
 */
export async function readableArticle(html: string): Promise<ReadableArticle | null> {
  // only pages in HTML need them
  const { Readability } = await import('@mozilla/readability');
  const { DOMParser } = await import('linkedom');
  const document = new DOMParser().parseFromString(html, 'text/html');
  const article = new Readability(document, { disableJSONLD: true }).parse();
  return article?.content == null
    ? null
    : { html: article.content, title: article.title?.trim() || null };
}
