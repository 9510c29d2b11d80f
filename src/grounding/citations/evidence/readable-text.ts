/** A text as it is compared, and where its characters come from. */
export interface ReadableText {
  readonly text: string;
  /** For each UTF-16 unit its place in the original, and at last the original's length. */
  readonly places: Int32Array;
}

const quotes = /["'`´‘’‚‛“”„‟«»‹›「」『』〝〞＂＇]/;
const dashes = /[‐‑‒–—―−﹘﹣－]/;
const ignored = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/;
const mark = /\p{M}/u;

/**
 * Makes texts comparable in which only blanks, quotation marks, dashes, case or Unicode's forms of
 * compatibility differ. Takes time in proportion to the length.
 */
export function readableText(original: string): ReadableText {
  const places: number[] = [];
  const parts: string[] = [];
  let last = ' ';
  for (let at = 0; at < original.length;) {
    const end = endOfCharacter(original, at);
    const text = comparable(original.slice(at, end));
    if (text !== '' && !(text === ' ' && last === ' ')) {
      parts.push(text);
      for (let unit = 0; unit < text.length; unit++) places.push(at);
      last = text;
    }
    at = end;
  }
  places.push(original.length);
  return { text: parts.join(''), places: Int32Array.from(places) };
}

/** The place after a character with its accents. */
function endOfCharacter(text: string, at: number): number {
  let end = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  // most texts have no accents of their own
  while (
    end < text.length &&
    text.charCodeAt(end) > 0x2ff &&
    end - at < 16 &&
    mark.test(text[end]!)
  )
    end++;
  return end;
}

function comparable(character: string): string {
  const code = character.charCodeAt(0);
  if (character.length === 1 && code < 0x80) {
    if (code <= 32) return ' ';
    return quotes.test(character) ? "'" : character.toLowerCase();
  }
  if (ignored.test(character)) return '';
  if (quotes.test(character)) return "'";
  if (dashes.test(character)) return '-';
  const text = character.normalize('NFKC').toLowerCase();
  return /^\s+$/.test(text) ? ' ' : text;
}
