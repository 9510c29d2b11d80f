/**
 * A URL as browsers understand the text, or null. Node.js 20 has no `URL.parse`, and its
 * `URL.canParse` refuses addresses such as `https://münchen.example` once it was called some
 * thousand times (measured with 20.20).
 */
export function parseUrl(text: string, from?: URL | string): URL | null {
  try {
    return new URL(text, from);
  } catch {
    return null;
  }
}

/** A part of a URL with its percent escapes decoded; unchanged if they are invalid. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
