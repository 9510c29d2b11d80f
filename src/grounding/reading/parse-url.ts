/** A URL as browsers understand the text, or null. Node.js 20 has no `URL.parse`. */
export const parseUrl = (text: string, from?: URL): URL | null =>
  URL.canParse(text, from?.href) ? new URL(text, from) : null;
