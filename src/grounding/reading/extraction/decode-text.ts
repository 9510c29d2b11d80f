import { TextDecoder } from 'node:util';

/** How far a document's own statement of its charset may stand from its beginning. */
const statedWithinBytes = 2_048;

/**
 * Decodes a document: as UTF-16 where a mark says so, else as UTF-8 where most characters beyond
 * ASCII fit it, whose sequences other texts do not have by chance; else by the charset of the header,
 * else the one that the document states, else the likeliest. A charset that most of these characters
 * do not fit is passed over. Never fails: bytes that do not fit become U+FFFD.
 * @param isMarkup whether the document can state a charset itself
 */
export function decodeText(bytes: Uint8Array, declared: string | null, isMarkup: boolean): string {
  const mark = markOf(bytes);
  if (mark !== null) return new TextDecoder(mark).decode(bytes);
  const named = [declared, isMarkup ? statedCharset(bytes) : null]
    .map(decoderFor)
    .filter((decoder) => decoder !== null);
  const unicode = new TextDecoder().decode(bytes);
  const isEscaped =
    unicode.includes('\x1b') && named.some(({ encoding }) => encoding === 'iso-2022-jp');
  // the escape sequences of ISO-2022-JP are ASCII
  if (!isEscaped && !isMisread(unicode)) return unicode;
  for (const decoder of named) {
    const text = decoder.decode(bytes);
    if (!isMisread(text) && !(isWestern(decoder) && meaningless.test(text)))
      return withQuotes(text, decoder);
  }
  const likeliest = new TextDecoder(guessCharset(bytes));
  return withQuotes(likeliest.decode(bytes), likeliest);
}

const isWestern = ({ encoding }: TextDecoder): boolean => encoding === 'windows-1252';

/** Whether at least half of the characters beyond ASCII were replaced: a page may have a few. */
function isMisread(text: string): boolean {
  if (!text.includes('\ufffd')) return false;
  let [replaced, beyondAscii] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) beyondAscii++;
    if (code === 0xfffd) replaced++;
  }
  return replaced * 2 >= beyondAscii;
}

/** What windows-1252 does not have. */
const meaningless = /[\x81\x8d\x8f\x90\x9d]/;
/** The characters of windows-1252 from 0x80 to 0x9f; a dot for bytes that mean nothing. */
const windows1252 = '€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ';

/** Node.js 20 decodes windows-1252 as ISO 8859-1, which has no quotation marks and dashes. */
const withQuotes = (text: string, decoder: TextDecoder): string =>
  isWestern(decoder)
    ? text.replace(/[\x80-\x9f]/g, (sign) => windows1252.charAt(sign.charCodeAt(0) - 0x80))
    : text;

/** Of UTF-16. That of UTF-8 fits UTF-8. */
function markOf(bytes: Uint8Array): string | null {
  const [a, b] = bytes;
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
  const start = Buffer.from(bytes.subarray(0, statedWithinBytes))
    .toString('latin1')
    .replace(/<!--[^]*?-->/g, '');
  const label =
    /^\s*<\?xml\s[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{2,40})["']/i.exec(start)?.[1] ??
    /<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([\w:.-]{2,40})/i.exec(start)?.[1] ??
    null;
  // the statement itself could be read, so it is not UTF-16
  return label !== null && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

const sampleBytes = 65_536;

/**
 * Charsets of texts that state none, with what is frequent in texts that use them, and a share of
 * the characters beyond ASCII that only these texts reach. Letters of Western languages that look
 * Cyrillic in the wrong charset stand alone, so that Cyrillic counts from three letters on.
 */
const candidates: readonly (readonly [charset: string, frequent: RegExp, minShare: number])[] = [
  ['shift_jis', /[\u3041-\u30fe\u3001\u3002]/g, 0.3],
  ['euc-jp', /[\u3041-\u30fe\u3001\u3002]/g, 0.3],
  ['euc-kr', /[\uac00-\ud7a3]/g, 0.8],
  ['gb18030', /[的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也，。]/g, 0.1],
  ['big5', /[的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也，。]/g, 0.1],
  ['windows-1251', /[а-яё]{3,}/g, 0.5],
  ['koi8-r', /[а-яё]{3,}/g, 0.5],
];

/**
 * The likeliest charset of a text that is not UTF-8 and does not state it: the one in which most
 * characters beyond ASCII are frequent ones of a language written in it, else windows-1252, which
 * fits always.
 */
function guessCharset(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, sampleBytes);
  let best = { charset: 'windows-1252', share: 0 };
  for (const [charset, frequent, minShare] of candidates) {
    const text = decoded(sample, charset);
    const beyondAscii = text?.match(/[^\x00-\x7f]/g)?.length ?? 0;
    if (text === null || beyondAscii === 0) continue;
    const share = (text.match(frequent) ?? []).join('').length / beyondAscii;
    if (share >= minShare && share > best.share) best = { charset, share };
  }
  return best.charset;
}

/** Null if there are bytes that do not fit; a character that the sample cuts is left out. */
function decoded(sample: Uint8Array, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(sample, { stream: true });
  } catch {
    return null;
  }
}
