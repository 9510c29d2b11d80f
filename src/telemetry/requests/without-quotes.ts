/** A quotation of at least this many characters is removed. */
const minRun = 16;
/** Any run of `2 * block - 1` characters has a whole block at a multiple of the block's length. */
const block = minRun / 2;
/** The shortest message that is removed where it is repeated whole. */
const minWhole = 4;
const maxDepth = 64;
const space = 32;
/** The search gives up after this many comparisons: a crafted request can match very often. */
const maxComparisons = 2_000_000;
/** The search gives up after this many characters of a request, which take about 30 ms. */
const maxCharacters = 4_194_304;
const removed = '[…]';
/** The longest text of the gateway before a provider's text, such as `groq answered 400: `. */
const maxPrefix = 100;
/** Fields whose text is no prompt: words of ordinary error messages, and files. */
const noPrompts: ReadonlySet<string> = new Set([
  'role',
  'type',
  'detail',
  'format',
  'data',
  'file_data',
]);
const fileUrl = /^data:[\w.+-]+\/[\w.+-]+;base64,/;

/**
 * Removes quotations of a request from texts about it (a provider's error messages): every run of
 * at least 16 characters that occurs in one of the request's strings, and short messages that are
 * repeated whole. Ignores differences in case, white space and JSON's escapes. If the request is
 * too long to search, keeps only the text up to the first colon.
 * @param request messages, or a whole body; null leaves the texts as they are
 */
export function withoutQuotes(texts: readonly string[], request: unknown): string[] {
  if (request === null || request === undefined) return [...texts];
  const search = new QuoteSearch(texts);
  visitStrings(request, 0, true, (text, isContent) => search.look(text, isContent));
  return texts.map((text, index) => search.shown(text, index));
}

/** A normalized text, in which copies that differ in case, white space or escapes are equal. */
interface Reading {
  readonly text: string;
  /** The position of each character in the original text; one more entry for its end. */
  readonly origins: readonly number[];
  /** 1 for each character that is quoted. */
  readonly quoted: Uint8Array;
}

const characters = /./gsu;
const charactersOrEscapes = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))|./gsu;

/** Readings with and without escapes: a request may contain `\n` as a new line or as two signs. */
function readingsOf(text: string): Reading[] {
  const asItIs = readingOf(text, characters);
  return text.includes('\\') ? [asItIs, readingOf(text, charactersOrEscapes)] : [asItIs];
}

/** Normalizes: lower case, white space as one space; resolves escapes if `units` matches them. */
function readingOf(text: string, units: RegExp): Reading {
  let plain = '';
  const origins: number[] = [];
  for (const { 0: all, 1: code, 2: escaped, index: origin } of text.matchAll(units)) {
    let character = all;
    if (code !== undefined) character = String.fromCharCode(parseInt(code, 16));
    else if (escaped !== undefined) character = /[bfnrt]/.test(escaped) ? ' ' : escaped;
    for (let unit = 0; unit < character.length; unit++) {
      const same = plainCode(character.charCodeAt(unit));
      if (same === space && plain.endsWith(' ')) continue;
      origins.push(origin);
      plain += String.fromCharCode(same);
    }
  }
  origins.push(text.length);
  return { text: plain, origins, quoted: new Uint8Array(plain.length) };
}

const filterSize = 65_536;

interface Place {
  readonly reading: Reading;
  readonly at: number;
}

/** Finds the characters of some texts that are quoted from the strings given to `look`. */
class QuoteSearch {
  private readonly places = new Map<number, Place[]>();
  /** A Bloom filter of the sums in `places`, which is faster to read. */
  private readonly mayHave = new Uint8Array(filterSize);
  private readonly readings: readonly Reading[][];
  private comparisons = 0;
  private characters = 0;

  constructor(texts: readonly string[]) {
    this.readings = texts.map(readingsOf);
    for (const reading of this.readings.flat()) this.addBlocksOf(reading);
  }

  /** @param isContent whether the string is a text that somebody wrote */
  look(string: string, isContent: boolean): void {
    this.characters += string.length;
    if (this.isGivenUp) return;
    if (isContent && string.length < 2 * minRun) this.lookForWhole(string);
    if (string.length >= minRun) this.lookForRuns(string);
  }

  /** The original text without what is quoted in one of its readings. */
  shown(original: string, index: number): string {
    if (this.isGivenUp) return withoutReason(original);
    const gone = new Uint8Array(original.length);
    for (const { quoted, origins } of this.readings[index]!)
      for (const [start, end] of marked(quoted)) gone.fill(1, origins[start], origins[end]);
    let shown = '';
    let kept = 0;
    for (const [start, end] of marked(gone)) {
      shown += original.slice(kept, start) + removed;
      kept = end;
    }
    return shown + original.slice(kept);
  }

  private get isGivenUp(): boolean {
    return this.comparisons > maxComparisons || this.characters > maxCharacters;
  }

  private addBlocksOf(reading: Reading): void {
    const { text } = reading;
    for (let at = 0; at + block <= text.length; at++) {
      let sum = 0;
      for (let offset = 0; offset < block; offset++)
        sum = (Math.imul(sum, 31) + text.charCodeAt(at + offset)) | 0;
      this.mayHave[sum & (filterSize - 1)] = 1;
      const same = this.places.get(sum);
      if (same) same.push({ reading, at });
      else this.places.set(sum, [{ reading, at }]);
    }
  }

  private lookForWhole(string: string): void {
    const whole = spaced(string).trim();
    if (whole.length < minWhole) return;
    for (const { text, quoted } of this.readings.flat())
      for (let at = text.indexOf(whole); at >= 0; at = text.indexOf(whole, at + whole.length))
        quoted.fill(1, at, at + whole.length);
  }

  /** Reads the string once, block by block, and compares only blocks that a text may contain. */
  private lookForRuns(string: string): void {
    const { mayHave } = this;
    let [sum, filled, wasSpace] = [0, 0, false];
    for (let at = 0; at < string.length; at++) {
      const unit = string.charCodeAt(at);
      const code = unit < 128 ? plainAscii[unit]! : plainCode(unit);
      if (code === space && wasSpace) continue;
      wasSpace = code === space;
      sum = (Math.imul(sum, 31) + code) | 0;
      if (++filled < block) continue;
      if (mayHave[sum & (filterSize - 1)]) this.compare(string, at, this.places.get(sum) ?? []);
      sum = filled = 0;
    }
  }

  /** @param last the last character of a block that some of the texts may contain */
  private compare(string: string, last: number, places: readonly Place[]): void {
    for (const place of places) {
      if (this.isGivenUp) return;
      this.comparisons++;
      if (!this.isQuotedAround(place)) this.mark(place, string, last);
    }
  }

  /** Whether all around a place is marked already. */
  private isQuotedAround({ reading: { quoted }, at }: Place): boolean {
    const end = Math.min(at + 2 * block, quoted.length);
    for (let near = Math.max(0, at - block); near < end; near++) if (!quoted[near]) return false;
    return true;
  }

  /** Marks the run around a block, if it is long enough. */
  private mark({ reading, at }: Place, string: string, last: number): void {
    const { text } = reading;
    // a short reach first: most matches are chance, which a few characters show
    for (const reach of [minRun, text.length]) {
      const { text: around, end: blockEnd } = surroundings(string, last, reach);
      const shift = blockEnd - (at + block);
      let [start, end] = [at + block, at + block];
      while (start > 0 && text[start - 1] === around[start - 1 + shift]) start--;
      while (end < text.length && text[end] === around[end + shift]) end++;
      this.comparisons += around.length + end - start;
      if (start > at || end - start < minRun) return;
      reading.quoted.fill(1, start, end);
    }
  }
}

/** Start and end of every run of ones. */
function* marked(marks: Uint8Array): Generator<[number, number]> {
  for (let start = marks.indexOf(1); start >= 0;) {
    const next = marks.indexOf(0, start);
    const end = next < 0 ? marks.length : next;
    yield [start, end];
    start = marks.indexOf(1, end);
  }
}

/** One UTF-16 unit: lower case, and white space as a space. */
function plainCode(code: number): number {
  if (code >= 97 && code <= 122) return code;
  if (code >= 65 && code <= 90) return code + 32;
  if (code <= space) return space;
  if (code < 128) return code;
  const character = String.fromCharCode(code);
  return /\s/.test(character) ? space : character.toLowerCase().charCodeAt(0);
}

const plainAscii = Uint8Array.from({ length: 128 }, (_, code) => plainCode(code));

function withoutReason(text: string): string {
  const end = text.indexOf(': ') + 1;
  return end > 0 && end <= maxPrefix ? `${text.slice(0, end)} ${removed}` : removed;
}

/** The normalized text around the end of a block in a string, and where the block ends in it. */
function surroundings(string: string, last: number, length: number): { text: string; end: number } {
  const before = spaced(string.slice(Math.max(0, last + 1 - 2 * length), last + 1));
  const after = spaced(string.slice(last + 1, last + 1 + 2 * length));
  const doubled = before.endsWith(' ') && after.startsWith(' ');
  return { text: before + (doubled ? after.slice(1) : after), end: before.length };
}

function spaced(string: string): string {
  let plain = '';
  for (let at = 0; at < string.length; at++) {
    const code = plainCode(string.charCodeAt(at));
    if (code !== space || !plain.endsWith(' ')) plain += String.fromCharCode(code);
  }
  return plain;
}

function visitStrings(
  value: unknown,
  depth: number,
  isContent: boolean,
  visit: (text: string, isContent: boolean) => void,
): void {
  if (typeof value === 'string') {
    if (!fileUrl.test(value)) visit(value, isContent);
  } else if (typeof value !== 'object' || value === null || depth > maxDepth) return;
  else if (Array.isArray(value))
    for (const item of value) visitStrings(item, depth + 1, isContent, visit);
  else
    for (const [name, inner] of Object.entries(value))
      if (!noPrompts.has(name))
        visitStrings(inner, depth + 1, name === 'content' || name === 'text', visit);
}
