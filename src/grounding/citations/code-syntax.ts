import type { AnswerText } from './answer-text.js';
import type { CodeFence } from './line-state.js';
import { undecided, type Undecided } from './link-syntax.js';

/** Longer code within a line is text, so that what is held back has a bound. */
const maxCodeSpan = 1_024;
/** Longer runs of backticks are text. */
const maxRun = 64;
const maxOpeningLine = 200;

/** How many backticks stand at a place; 0 if more of them may come. */
function runAt({ buffer, isWhole }: AnswerText, at: number): number {
  let end = at;
  while (buffer[end] === '`' && end - at < maxRun) end++;
  return end === buffer.length && end - at < maxRun && !isWhole ? 0 : end - at;
}

/** The fence that opens with the backticks at the reading position, and the place after it. */
export function fenceAt(text: AnswerText): { fence: CodeFence; end: number } | null | Undecided {
  const { buffer, at, isWhole, lines } = text;
  const length = runAt(text, at);
  if (length === 0) return undecided;
  const fence = length < maxRun ? lines.fence('`', length) : null;
  if (!fence) return null;
  const rest = buffer.slice(at + length, at + length + maxOpeningLine);
  const end = rest.search(/[`\n]/);
  if (end === -1 && rest.length < maxOpeningLine && !isWhole) return undecided;
  if (end === -1 ? rest.length === maxOpeningLine : rest[end] === '`') return null;
  return { fence, end: at + length };
}

/** What code within a line does not reach beyond: the end of the paragraph, another block. */
const blockStart = /`+|\n[ \t\r]*(?:\n|[-*+>#|~<=]|\d{1,9}[.)]|```)/g;
const cellEnd = /`+|\||\n/g;
const lineEnd = /`+|\n/g;

/**
 * The place after the code that begins with the backticks at the reading position; where nothing
 * closes it, the place after the backticks. If renderers may disagree about what is code, nothing
 * is code until the paragraph ends: then no link passes unchecked.
 */
export function codeSpanAt(text: AnswerText): number | Undecided {
  const { buffer, at, isWhole } = text;
  const length = runAt(text, at);
  if (length === 0) return undecided;
  const start = at + length;
  // the rest of a run that was too long
  if (length === maxRun || /(?<!\\)`$/.test(text.before(at))) return endOfLongRun(buffer, start);
  if (text.lines.isHtml || text.doubtfulRuns.has(length)) return start;
  const limit = start + maxCodeSpan;
  const within = buffer.slice(0, limit);
  const end = closingRun(text, within, start, length);
  if (end === undecided || (end === null && within.length < limit && !isWhole)) return undecided;
  if (end !== null && end > start) return end;
  if (end === null) text.doubtfulRuns.add(length);
  return start;
}

/** The place after the run that closes; that of the opening one if another block comes before. */
function closingRun(
  text: AnswerText,
  within: string,
  start: number,
  length: number,
): number | null | Undecided {
  const { lines, isWhole } = text;
  const stops = lines.isInTable ? cellEnd : lines.isHeading ? lineEnd : blockStart;
  stops.lastIndex = start;
  for (let found = stops.exec(within); found; found = stops.exec(within)) {
    const end = found.index + found[0].length;
    if (!found[0].startsWith('`')) {
      if (!/^\n\s*\n/.test(found[0])) text.doubtfulRuns.add(length);
      return start;
    }
    if (end === within.length && within.length < start + maxCodeSpan && !isWhole) return undecided;
    if (found[0].length === length) return end;
  }
  return null;
}

function endOfLongRun(buffer: string, start: number): number {
  let end = start;
  while (buffer[end] === '`') end++;
  return end;
}
