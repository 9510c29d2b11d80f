/** How a character takes part in words. */
const none = 0,
  letter = 1,
  pair = 2,
  triple = 3;

/** Scripts without spaces between words; Korean has some, with endings that vary. */
const pairs = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[ー々]/u;
/** Letters of these scripts say less: two of them are in almost every text. */
const triples = /\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}/u;
const letters = /[\p{L}\p{N}\p{M}]/u;

interface CharacterTable {
  /** By UTF-16 unit. */
  readonly kinds: Uint8Array;
  /** The letter in lower case without accents, 0 for a mark that is left out. */
  readonly folded: Uint16Array;
}

let characters: CharacterTable | undefined;

/** Made on first use: it takes some milliseconds. */
function characterTable(): CharacterTable {
  if (characters) return characters;
  const kinds = new Uint8Array(65_536);
  const folded = new Uint16Array(65_536);
  for (let code = 0; code < 65_536; code++) {
    if (code >= 0xd800 && code <= 0xf8ff) continue;
    const text = String.fromCharCode(code);
    folded[code] = foldedCode(code, text);
    if (!letters.test(text)) continue;
    kinds[code] = pairs.test(text) ? pair : triples.test(text) ? triple : letter;
  }
  return (characters = { kinds, folded });
}

function foldedCode(code: number, text: string): number {
  // full-width letters and digits are those of ASCII
  if (code >= 0xff01 && code <= 0xff5e)
    return foldedCode(code - 0xfee0, String.fromCharCode(code - 0xfee0));
  if (code >= 0x0300 && code <= 0x036f) return 0;
  if (code >= 0x2e80) return code;
  return text.normalize('NFD').toLowerCase().charCodeAt(0);
}

const seed = 0x811c9dc5;
const factor = 0x01000193;
/** Keeps hashes of beginnings apart from those of whole words. */
const prefixSalt = 0x5bd1e995;
const signSalt = 0x1b873593;
/** Words that begin alike are often forms of one: `reactor`, `reactors`. */
const prefixLength = 5;
const minPrefixedLength = 6;

const exactWeight = 1;
/**
 * Short words are particles in most languages, unless they have a digit or several capitals. Their
 * frequency tells that too, but not among a few short texts.
 */
const smallWeight = 0.4;
const maxSmallLength = 3;
const firstCapital = 65;
const firstSmallLetter = 97;
/** A word that only begins like one of the question. */
const prefixWeight = 0.5;
const maxTerms = 256;
/** Of a long question the beginning. */
const maxQuestionLength = 8_000;

/** What one scan of a text does with the hashes that it finds. */
type Found = (hash: number, weight: number) => void;

/**
 * What to look for: the words of a question, in any language. Case, accents and the widths of
 * letters do not count, nor do endings of long words as much as their beginnings. Of scripts
 * without spaces pairs of characters are compared, of those of South-East Asia triples.
 */
export class QuestionTerms {
  /** The place of each term, by its hash. */
  private readonly terms = new Map<number, number>();
  private readonly table = characterTable();
  /** How much each term counts. */
  readonly weights: number[] = [];
  private counts: Uint8Array = new Uint8Array(0);

  constructor(question: string) {
    const text = question.slice(0, maxQuestionLength);
    this.scan(text, 0, text.length, (hash, weight) => this.add(hash, weight));
  }

  /** How many terms there are. */
  get size(): number {
    return this.weights.length;
  }

  /**
   * Counts the terms in a part of a text.
   * @param counts is added to, by term; a count stops at 255
   * @returns the length of the part in words
   */
  countIn(text: string, start: number, end: number, counts: Uint8Array): number {
    this.counts = counts;
    return this.scan(text, start, end, null);
  }

  /** Reads a part of a text once. @param found null: what is found is counted */
  private scan(text: string, start: number, end: number, found: Found | null): number {
    const { kinds } = this.table;
    let words = 0;
    let at = start;
    while (at < end) {
      const kind = kinds[text.charCodeAt(at)]!;
      if (kind === none) {
        at++;
        continue;
      }
      const next =
        kind === letter ? this.word(text, at, end, found) : this.run(text, at, end, found);
      words += kind === letter ? 1 : next - at;
      at = next;
    }
    return words;
  }

  /** @returns the place after the word */
  private word(text: string, start: number, end: number, found: Found | null): number {
    const { kinds, folded } = this.table;
    let hash = seed;
    let prefix = 0;
    let length = 0;
    let signs = 0;
    let at = start;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (kinds[code] !== letter) break;
      const plain = folded[code]!;
      if (plain === 0) continue;
      if (code < firstSmallLetter) signs += code < firstCapital ? 2 : 1;
      hash = Math.imul(hash ^ plain, factor);
      if (++length === prefixLength) prefix = hash ^ prefixSalt;
    }
    const isSmall = length <= maxSmallLength && signs < 2;
    this.take(hash, isSmall ? smallWeight : exactWeight, found);
    if (length >= minPrefixedLength) this.take(prefix, prefixWeight, found);
    return at;
  }

  /** @returns the place after the run of characters of one script */
  private run(text: string, start: number, end: number, found: Found | null): number {
    const { kinds, folded } = this.table;
    const kind = kinds[text.charCodeAt(start)]!;
    let first = 0;
    let before = 0;
    let at = start;
    for (; at < end && kinds[text.charCodeAt(at)] === kind; at++) {
      const last = folded[text.charCodeAt(at)]!;
      // a question of one sign looks for that sign
      if (found === null || (at === start && kinds[text.charCodeAt(at + 1)] !== kind))
        this.take(Math.imul(signSalt ^ last, factor), exactWeight, found);
      if (kind === pair ? before !== 0 : first !== 0) {
        const beginning = kind === pair ? seed : Math.imul(seed ^ first, factor);
        const middle = Math.imul(beginning ^ before, factor);
        this.take(Math.imul(middle ^ last, factor), exactWeight, found);
      }
      first = before;
      before = last;
    }
    return at;
  }

  private take(hash: number, weight: number, found: Found | null): void {
    if (found !== null) {
      found(hash, weight);
      return;
    }
    const term = this.terms.get(hash);
    if (term !== undefined && this.counts[term]! < 255) this.counts[term]!++;
  }

  private add(hash: number, weight: number): void {
    if (this.size >= maxTerms || this.terms.has(hash)) return;
    this.terms.set(hash, this.size);
    this.weights.push(weight);
  }
}
