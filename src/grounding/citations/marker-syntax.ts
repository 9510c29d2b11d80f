import { undecided, type Undecided } from './link-syntax.js';

/** `[1]`, `[2, 3]`, `[^1]`, `[1-3]` or `【1】` in the text of a model. */
export interface MarkerSyntax {
  /** The sources that it names; a range has `from` and `to`. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
  readonly isFootnote: boolean;
  readonly end: number;
}

const numbered = /^\[(\^?\d{1,3}(?:\s?[,;–—-]\s?\^?\d{1,3}){0,15})\]/;
const beginsNumbered = /^\[[\^\d\s,;–—-]*$/;
const wide = /^【(\d{1,3}(?:[,，、]\s?\d{1,3}){0,15})(?:†[^】\n]{0,80})?】/;
/** A place in a file, as some models write it: no source of ours. */
const wideOther = /^【\d{1,3}:\d{1,3}†[^】\n]{0,80}】/;
const beginsWide = /^【\d[\d,，、\s:]*(?:†[^】\n]{0,80})?$/;
const maxLength = 100;
const maxRange = 20;

/**
 * Reads the marker that begins at a place. Years and lists with a zero, such as intervals, are none.
 * @returns null if there is none
 */
export function markerAt(
  text: string,
  at: number,
  isWhole: boolean,
): MarkerSyntax | null | Undecided {
  const within = text.slice(at, at + maxLength);
  const isNarrow = within.startsWith('[');
  const found = (isNarrow ? numbered : wide).exec(within);
  const numbers = found?.[1];
  if (numbers !== undefined) {
    const ranges = rangesOf(numbers);
    const end = at + found![0].length;
    return ranges && { ranges, isFootnote: numbers.startsWith('^'), end };
  }
  const other = wideOther.exec(within);
  if (other) return { ranges: [{ from: 0, to: 0 }], isFootnote: false, end: at + other[0].length };
  const isOpen = !isWhole && within.length < maxLength;
  return isOpen && (isNarrow ? beginsNumbered : beginsWide).test(within) ? undecided : null;
}

function rangesOf(numbers: string): MarkerSyntax['ranges'] | null {
  const ranges: { from: number; to: number }[] = [];
  for (const part of numbers.split(/[,;，、]/)) {
    const [from = 0, to = from, ...more] = part
      .split(/[–—-]/)
      .map((number) => Number(number.replace('^', '')));
    if (more.length > 0 || from < 1 || to < from || to - from >= maxRange) return null;
    ranges.push({ from, to });
  }
  return ranges;
}

const afterMathSign = /(?:[=∈∉<>≤≥≈+*/^±×]|\\in|\\left)\s?$/;
const afterName = /[\p{L}\p{N}_$)\]]$/u;
const codeName = /(?:^|[^\p{L}\p{N}])(?:[a-z]|\w*[_$]\w*)$/u;
const mixedName = /(?:[a-z][A-Z]\w*|\w\.[a-z]\w*)$/;
const beforeCode = /^(?:\.[a-z_]\w|\s?[-+*/|&]?=|\s?[-+*/]\s?\d|\[\p{L})/u;

/** Whether a name stands directly before, of which brackets could be the index. */
export const isAfterName = (before: string): boolean => afterName.test(before);

/**
 * Whether brackets with numbers are the index of a variable or an interval, not a marker.
 * @param isSource whether there is a source of that number
 */
export function isIndex(before: string, after: string, isSource: boolean): boolean {
  if (afterMathSign.test(before)) return true;
  if (!afterName.test(before)) return false;
  return codeName.test(before) || beforeCode.test(after) || (!isSource && mixedName.test(before));
}
