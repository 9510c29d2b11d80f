import { unescape as unescapeQuery } from 'node:querystring';

const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF....WEBP/s, 'image/webp'],
  [/^....ftyp(he(ic|ix|im|is|vc|vx)|mif1)/s, 'image/heic'],
  [/^....ftypavi[fs]/s, 'image/avif'],
  [/^(II[*+]\0|MM\0[*+])/, 'image/tiff'],
  [/^BM.{4}\0{4}/s, 'image/bmp'],
];

/**
 * The media type of an image by its first bytes; that which was stated for all that is no image,
 * or of a type that models do not read. Providers refuse a JPEG that is called a PNG.
 */
export function actualImageType(base64: string, stated: string): string {
  const start = Buffer.from(base64.slice(0, 24), 'base64').toString('latin1');
  return signatures.find(([pattern]) => pattern.test(start))?.[1] ?? stated;
}

/** The types of images that every model with eyes reads. */
export const usualImage = /^image\/(png|jpeg|gif|webp)$/;

/** Types that a URL states where it tells nothing of the bytes. */
const untold = /^(text\/plain|application\/octet-stream|image\/\*|\*\/\*)$/;
const usual = /^data:(image\/(?:png|jpeg|gif|webp));base64,/;
/** `s3:` and `gs:` are opened by AWS and Google, `file:` by a server of one's own. */
const addresses = /^(https?|gs|s3|file):/i;

/**
 * The address of an image in the one form that all providers take: for bytes
 * `data:<type>;base64,<base64>`, of the type that the bytes have. Bare base64 of an image counts as
 * one. @returns null for what is no image, or one that no model reads
 */
export function plainImageUrl(url: string): string | null {
  const stated = usual.exec(url.slice(0, 40));
  if (!stated && addresses.test(url)) return url;
  const given = stated ? url.slice(stated[0].length) : '';
  if (stated && !isOdd(given) && actualImageType(given, stated[1]!) === stated[1]) return url;
  const file = readInlineFile(/^data:/i.test(url) ? url : `data:;base64,${url}`);
  if (!file || file.base64 === '' || untold.test(file.mediaType)) return null;
  if (file.mediaType.startsWith('image/svg')) return null;
  return `data:${file.mediaType};base64,${file.base64}`;
}

/** Searches for a character, which take less time than a pattern for megabytes. */
const isOdd = (base64: string): boolean =>
  ['\n', ' ', '\r', '-', '_', ':'].some((character) => base64.includes(character));

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
  const base64 = attributes.some((attribute) => attribute.trim() === 'base64')
    ? plainBase64(content)
    : Buffer.from(decode(content)).toString('base64');
  const stated = type === 'image/jpg' ? 'image/jpeg' : type || 'text/plain';
  return { mediaType: actualImageType(base64, stated), base64 };
}

/** Without blanks and a second prefix, in the alphabet that providers read; Google has another. */
const plainBase64 = (given: string): string =>
  isOdd(given)
    ? Buffer.from(given.slice(given.lastIndexOf(',') + 1), 'base64').toString('base64')
    : given;
