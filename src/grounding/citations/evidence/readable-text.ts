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
const charactersAtOnce = 4_096;
/** The longest that one unit becomes, by Unicode's forms of compatibility. */
const maxGrowth = 18;

/**
 * Makes texts comparable in which only blanks, quotation marks, dashes, case or Unicode's forms of
 * compatibility differ. Takes time in proportion to the length; yields now and then.
 */
export function* readableText(original: string): Generator<unknown, ReadableText> {
  let places = new Int32Array(original.length + maxGrowth);
  const parts: string[] = [];
  let length = 0;
  let last = ' ';
  let pauseAt = charactersAtOnce;
  for (let at = 0; at < original.length;) {
    if (at >= pauseAt) {
      yield;
      pauseAt = at + charactersAtOnce;
    }
    const code = original.charCodeAt(at);
    const isPlain = code < 0x80 && !(original.charCodeAt(at + 1) > 0x2ff);
    const end = isPlain ? at + 1 : endOfCharacter(original, at);
    const text = isPlain ? ascii[code]! : comparable(original.slice(at, end));
    if (text !== '' && !(text === ' ' && last === ' ')) {
      if (length + maxGrowth >= places.length) places = grown(places);
      parts.push(text);
      for (let unit = 0; unit < text.length; unit++) places[length++] = at;
      last = text;
    }
    at = end;
  }
  places[length] = original.length;
  return { text: parts.join(''), places: places.subarray(0, length + 1) };
}

function grown(places: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(places.length + (places.length >> 1) + 2 * maxGrowth);
  larger.set(places);
  return larger;
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

const ascii = Array.from({ length: 0x80 }, (_, code) => comparable(String.fromCharCode(code)));
