/** A piece of a text: the UTF-16 units from `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

// In weights, of which about four are a token: a passage of 160 tokens holds an answer with what
// explains it, and several of them from several pages fit into a small budget.
const minWeight = 220;
const targetWeight = 640;
const maxWeight = 960;
/** What precedes a heading may be shorter: what follows is about something else. */
const minBeforeHeading = 100;
const maxHeadingLength = 90;

/** The weight of a UTF-16 unit by its high byte: scripts outside Latin take more tokens. */
const weights = Uint8Array.from({ length: 256 }, (_, high) => (high < 1 ? 1 : high < 0x2e ? 2 : 3));

/** The weight of a span; of a long one a number over the maximum. */
function weigh(text: string, start: number, end: number): number {
  let weight = 0;
  for (let at = start; at < end && weight <= maxWeight; at++)
    weight += weights[text.charCodeAt(at) >> 8]!;
  return weight;
}

const newline = 10;
const isBlank = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000;

/** Marks that end a sentence if a space follows, and those of scripts without spaces. */
const spacedEnds = '.!?…؟۔।॥։።';
const fullEnds = '。！？｡．។၊။';
const closers = '"\')]}”’»›」』）】〉》';
const set = (marks: string): ReadonlySet<number> =>
  new Set(Array.from(marks, (mark) => mark.charCodeAt(0)));
const [spaced, full, closing] = [set(spacedEnds), set(fullEnds), set(closers)];

/** A line with the blank lines after it. */
interface Line extends Span {
  readonly weight: number;
  readonly isHeading: boolean;
  readonly endsParagraph: boolean;
}

/** The place after the line that begins at `start`, with its line break. */
function endOfLine(text: string, start: number): number {
  const found = text.indexOf('\n', start);
  return found === -1 ? text.length : found + 1;
}

/** The place of the first character from `start` that is not blank. */
function skipBlank(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function* linesOf(text: string): Generator<Line> {
  let start = 0;
  while (start < text.length) {
    const lineEnd = endOfLine(text, start);
    const next = skipBlank(text, lineEnd, text.length);
    // the indentation of the next line stays with it
    const end = next === text.length ? next : text.lastIndexOf('\n', next) + 1;
    const endsParagraph = end > lineEnd;
    yield {
      start,
      end: Math.max(end, lineEnd),
      weight: weigh(text, start, lineEnd),
      isHeading: isHeading(text.slice(start, Math.min(lineEnd, start + maxHeadingLength + 10))),
      endsParagraph,
    };
    start = Math.max(end, lineEnd);
  }
}

/** A line of Markdown that is marked as a heading, or a short one that does not end as a sentence. */
function isHeading(line: string): boolean {
  const text = line.trim();
  if (/^#{1,6}\s/.test(text)) return true;
  if (text.length === 0 || text.length > maxHeadingLength) return false;
  const last = text.charCodeAt(text.length - 1);
  return !spaced.has(last) && !full.has(last) && !/^[-*+•|>]|[,;:|]$/.test(text);
}

/**
 * Splits a text into passages of about 160 tokens, at most 250: at headings and paragraphs, in long
 * paragraphs at the ends of sentences, and in long sentences between words, also in scripts that
 * have no spaces. The passages follow each other without gaps: together they are the text. Takes
 * time in proportion to its length.
 */
export function* splitText(text: string): Generator<Span, void> {
  let start = 0;
  let weight = 0;
  let afterHeading = false;
  const close = function* (end: number): Generator<Span, void> {
    if (end > start) yield { start, end };
    start = end;
    weight = 0;
  };
  for (const line of linesOf(text)) {
    const isNewTopic = line.isHeading && !afterHeading && weight >= minBeforeHeading;
    if (isNewTopic || (weight >= minWeight && weight + line.weight > maxWeight))
      yield* close(line.start);
    if (weight + line.weight > maxWeight)
      for (const end of endsWithin(text, start, line.end)) yield* close(end);
    weight =
      start === line.end
        ? 0
        : start < line.start
          ? weight + line.weight
          : weigh(text, start, line.end);
    afterHeading = line.isHeading;
    const isWhole = line.endsParagraph ? weight >= minWeight : weight >= targetWeight;
    if (isWhole && !line.isHeading) yield* close(line.end);
  }
  yield* close(text.length);
}

/** Where to cut a span that is too long for one passage. The rest after the last cut may be short. */
function* endsWithin(text: string, from: number, to: number): Generator<number> {
  let start = from;
  let weight = 0;
  let sentence = -1;
  let space = -1;
  for (let at = from; at < to; at++) {
    weight += weights[text.charCodeAt(at) >> 8]!;
    if (weight < minWeight) continue;
    if (isBlank(text.charCodeAt(at))) space = at + 1;
    if (endsSentence(text, at)) sentence = at + 1;
    if (weight < (sentence === -1 ? maxWeight : targetWeight)) continue;
    const end =
      sentence !== -1 ? sentence : space !== -1 ? space : betweenWords(text, start, at + 1);
    yield end;
    start = end;
    at = end - 1;
    weight = 0;
    sentence = space = -1;
  }
}

/** Whether a sentence ends with this character: a mark with its closing quotes, and a space. */
function endsSentence(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (isBlank(code)) {
    let mark = at - 1;
    while (mark > 0 && at - mark < 4 && closing.has(text.charCodeAt(mark))) mark--;
    return code === newline || (spaced.has(text.charCodeAt(mark)) && !isInitial(text, mark));
  }
  // of several marks and quotes the last one
  return (
    full.has(code) && !full.has(text.charCodeAt(at + 1)) && !closing.has(text.charCodeAt(at + 1))
  );
}

/** `J.` in `J. Smith` ends no sentence. */
const isInitial = (text: string, dot: number): boolean =>
  text[dot] === '.' && /(^|[\s.(])\p{Lu}$/u.test(text.slice(Math.max(0, dot - 2), dot));

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
/** More than the longest word of a script without spaces. */
const windowLength = 120;

/** The last place up to `end` between two words, where there is no space. */
function betweenWords(text: string, start: number, end: number): number {
  const from = Math.max(start, end - windowLength);
  // a long text is slow to segment: the time grows with the square of its length
  const window = text.slice(from, Math.min(text.length, end + 20));
  const word = segmenter.segment(window).containing(end - from);
  const cut = word === undefined || word.index === 0 ? end : from + word.index;
  const splitsPair = /[\uD800-\uDBFF]/.test(text[cut - 1] ?? '') && cut - 1 > start;
  return splitsPair ? cut - 1 : cut;
}
