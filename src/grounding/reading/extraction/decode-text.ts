import { TextDecoder } from 'node:util';
import { guessCharset } from './guess-charset.js';

/** How far a document's own statement of its charset may stand from its beginning. */
const statedWithinBytes = 2_048;

/**
 * Decodes a document: by its byte order mark, else the charset of the header, else the one that
 * the document states, else UTF-8 where that fits, else the likeliest. Never fails: bytes that do
 * not fit become U+FFFD.
 * @param isMarkup whether the document can state a charset itself
 */
export function decodeText(bytes: Uint8Array, declared: string | null, isMarkup: boolean): string {
  const decoder =
    decoderFor(markOf(bytes)) ??
    decoderFor(declared) ??
    decoderFor(isMarkup ? statedCharset(bytes) : null) ??
    new TextDecoder(guessCharset(bytes));
  const text = decoder.decode(bytes);
  return decoder.encoding === 'windows-1252' ? withQuotes(text) : text;
}

/** The characters of windows-1252 from 0x80 to 0x9f; a dot for bytes that mean nothing. */
const windows1252 = '€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ';

/** Node.js 20 decodes windows-1252 as ISO 8859-1, which has no quotation marks and dashes. */
const withQuotes = (text: string): string =>
  text.replace(/[\x80-\x9f]/g, (sign) => windows1252.charAt(sign.charCodeAt(0) - 0x80));

function markOf(bytes: Uint8Array): string | null {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : null;
}

/** Null for no label, and for one that browsers do not know either. */
function decoderFor(label: string | null): TextDecoder | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}

/** What `<meta charset>`, `<meta http-equiv>` or the XML declaration say. */
function statedCharset(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, statedWithinBytes)).toString('latin1');
  const label =
    /^\s*<\?xml\s[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{2,40})["']/i.exec(start)?.[1] ??
    /<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([\w:.-]{2,40})/i.exec(start)?.[1] ??
    null;
  // the statement itself could be read, so it is not UTF-16
  return label !== null && /^utf-?16/i.test(label) ? 'utf-8' : label;
}
