import { PageError } from './page-error.js';

/** What kind of document a body is, which decides how its text is found. */
export type PageKind = 'html' | 'xml' | 'text' | 'pdf';

const kinds: readonly (readonly [RegExp, PageKind])[] = [
  [/^(text\/html|application\/xhtml\+xml)$/, 'html'],
  [/^application\/(x-)?pdf$/, 'pdf'],
  [/^(application|text)\/(xml|[\w.-]+\+xml)$/, 'xml'],
  [/^text\/[\w.+-]+$/, 'text'],
  [/^application\/(json|x-ndjson|yaml|toml|[\w.-]+\+json)$/, 'text'],
];
/** Types that servers send where they do not know. */
const unknownTypes = /^(|application\/octet-stream|binary\/octet-stream|unknown\/unknown)$/;

/** A media type without parameters, in lower case; empty if there is none. */
export const mediaType = (header: string | string[] | undefined): string =>
  (typeof header === 'string' ? header : (header?.[0] ?? ''))
    .split(';', 1)[0]!
    .trim()
    .toLowerCase()
    .slice(0, 100);

/** What a declared type allows; null if only the bytes can tell. */
export function declaredKind(type: string): PageKind | null {
  if (unknownTypes.test(type)) return null;
  const kind = kinds.find(([pattern]) => pattern.test(type))?.[1];
  if (kind) return kind;
  throw new PageError('unsupported_type', 'pages of this content type are not read');
}

/** Bytes in which a binary file shows what it is. */
const sniffedBytes = 4_096;

/**
 * Checks the declared kind against the bytes: a PDF is a PDF whatever it is called, an HTML page
 * under a PDF's name is an HTML page, and other binary files are refused.
 * @throws PageError `unsupported_type`
 */
export function actualKind(declared: PageKind | null, bytes: Uint8Array): PageKind {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, sniffedBytes));
  if (/^[\s\ufeff]{0,64}%PDF-/.test(start.toString('latin1'))) return 'pdf';
  if (isBinary(start))
    throw new PageError('unsupported_type', 'the page is a binary file, whatever it is called');
  if (declared !== null && declared !== 'pdf') return declared;
  const text = start.toString('latin1');
  if (/^\s*(<!--[^]{0,2000}?-->\s*)?<(!doctype\s+html|html|head|body)\b/i.test(text)) return 'html';
  if (/^\W{0,8}<\?xml\b/.test(text)) return /<html\b/i.test(text) ? 'html' : 'xml';
  if (declared === 'pdf') throw new PageError('unreadable', 'the page is not a PDF');
  return 'text';
}

/** How archives, images, sounds, programs and fonts begin. Not all of them have a NUL soon. */
const signatures = [
  ...['PK\x03\x04', '\x1f\x8b', '7z\xbc', 'Rar!', 'BZh', '\xfd7zXZ', '\x28\xb5\x2f\xfd'],
  ...['GIF8', '\x89PNG', '\xff\xd8\xff', 'RIFF', 'OggS', 'ID3'],
  ...['\x7fELF', 'MZ\x90', 'wOFF', 'wOF2'],
];

/** UTF-16 with its mark has NULs between its letters. */
const isUtf16 = (start: Buffer): boolean =>
  (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);

/** No text has NULs; control characters other than white space and escape are rare in texts. */
function isBinary(start: Buffer): boolean {
  if (isUtf16(start)) return false;
  let controls = 0;
  for (const byte of start) {
    if (byte === 0) return true;
    if (byte < 32 && (byte < 8 || byte > 13) && byte !== 27) controls++;
  }
  const text = start.toString('latin1', 0, 16);
  return controls > start.length / 50 || signatures.some((signature) => text.startsWith(signature));
}
