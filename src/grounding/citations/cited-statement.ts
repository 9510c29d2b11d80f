import { sentencesOf } from './sentences.js';

/** What a marker or a link says of the text, in its UTF-16 units. */
export interface CitedStatement {
  readonly start: number;
  readonly end: number;
  /** What is looked up in the source: the statement, without Markdown syntax. */
  readonly text: string;
  /** The sentence or row around it, where the statement is only a part of it. */
  readonly context: string;
}

/** Statements are not looked for further away. */
const maxDistance = 1_200;
const maxIndent = 20;
const maxEntry = 200;

const separators = /^[\s,;.&、，；。]*(?:(?:and|und|et|y|e)\s+)?$/;
const leading = /^(?:[\s|>#,.;:!?)\]、，。；：）]|[-*+•–—]\s|\d{1,3}[.)]\s)+/;

/**
 * The sentence, item or cell before a marker, back to the previous marker.
 * @param markerStart where the marker begins
 * @param previous the marker before, and its statement
 * @returns null if nothing stands there, or the marker begins an entry of a list of sources
 */
export function statementBefore(
  text: string,
  markerStart: number,
  previous: { readonly end: number; readonly statement: CitedStatement | null } | null,
): CitedStatement | null {
  const from = Math.max(0, markerStart - maxDistance);
  if (beginsEntry(text, markerStart)) return null;
  const end = from + text.slice(from, markerStart).trimEnd().length;
  if (previous && previous.end >= from && separators.test(text.slice(previous.end, markerStart)))
    return previous.statement;
  const sentence = [...sentencesOf(text.slice(from, end))].at(-1);
  if (!sentence) return null;
  const rowStart = from + text.slice(from, end).lastIndexOf('\n') + 1;
  const isRow = /^[ \t>]*\|/.test(text.slice(rowStart, rowStart + 20));
  const cellStart = isRow ? from + text.slice(from, end - 1).lastIndexOf('|') + 1 : 0;
  const sentenceStart = from + sentence.start;
  const first = Math.max(sentenceStart, cellStart, previous?.end ?? 0);
  const start = first + (leading.exec(text.slice(first, end))?.[0].length ?? 0);
  if (start >= end) return null;
  const context = text.slice(isRow ? rowStart : sentenceStart, end);
  return {
    start,
    end,
    text: withoutMarkdown(text.slice(start, end)),
    context: withoutMarkdown(context),
  };
}

/** Whether a marker stands before what it names, as in a list of sources. */
function beginsEntry(text: string, markerStart: number): boolean {
  const near = Math.max(0, markerStart - maxIndent);
  const lineStart = near + text.slice(near, markerStart).lastIndexOf('\n') + 1;
  if (lineStart === near && near > 0) return false;
  const after = text.slice(markerStart, markerStart + maxEntry).split('\n', 1)[0]!;
  return (
    /^[ \t>]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?[*_]*$/.test(text.slice(lineStart, markerStart)) &&
    /\p{L}/u.test(after.replace(/^(?:[[【][^\]】]*[\]】]\s*)+/, ''))
  );
}

/** The sentence in which a span of the text stands. */
export function sentenceAround(text: string, start: number, end: number): string {
  const from = Math.max(0, start - maxDistance);
  const within = text.slice(from, end + maxDistance);
  const around = [...sentencesOf(within)].filter(
    (each) => from + each.end > start && from + each.start < end,
  );
  const [first, last] = [around[0], around.at(-1)];
  return first && last ? withoutMarkdown(within.slice(first.start, last.end)) : '';
}

/** Without Markdown syntax, markers and addresses of links. */
export const withoutMarkdown = (markdown: string): string =>
  markdown
    .replace(/!?\[([^[\]]{0,500})\]\([^()\s]{0,2048}(?:\s"[^"]{0,500}")?\)/g, '$1')
    .replace(/\[\^?\d[\d\s,;–-]{0,40}\]|【\d[^】]{0,100}】/g, ' ')
    .replace(/<\/?[a-z][^<>]{0,2000}>/gi, ' ')
    .replace(/\*{1,3}|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])|`+|\|/gu, ' ')
    .trim();
