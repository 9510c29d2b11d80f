import { unescape as unescapeQuery } from 'node:querystring';

const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF....WEBP/s, 'image/webp'],
  [/^....ftyp(heic|heix|mif1)/s, 'image/heic'],
];

/**
 * The media type of an image by its first bytes; that which was stated for all that is no image,
 * or of a type that models do not read. Providers refuse a JPEG that is called a PNG.
 */
export function actualImageType(base64: string, stated: string): string {
  const start = Buffer.from(base64.slice(0, 24), 'base64').toString('latin1');
  return signatures.find(([pattern]) => pattern.test(start))?.[1] ?? stated;
}

/** A file that a `data:` URL contains. */
export interface InlineFile {
  /** By its first bytes, else as the URL says, in lower case. */
  readonly mediaType: string;
  readonly base64: string;
}

/**
 * Reads a `data:` URL; null for any other. Runs no regular expression over content of megabytes.
 * @param decode for content that is not base64; by default stray percent signs stay
 */
export function readInlineFile(url: string, decode = unescapeQuery): InlineFile | null {
  const comma = url.indexOf(',');
  if (!/^data:/i.test(url) || comma === -1) return null;
  const [type = '', ...attributes] = url.slice('data:'.length, comma).toLowerCase().split(';');
  const content = url.slice(comma + 1);
  const base64 = attributes.includes('base64')
    ? content
    : Buffer.from(decode(content)).toString('base64');
  const stated = type === 'image/jpg' ? 'image/jpeg' : type || 'text/plain';
  return { mediaType: actualImageType(base64, stated), base64 };
}
