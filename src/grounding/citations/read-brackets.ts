import type { AnswerText } from './answer-text.js';
import { type LinkEnd, linkEndAt, undecided, type Undecided } from './link-syntax.js';
import { type LinkTarget, linkTarget, loadedTarget } from './link-target.js';

/** How many characters after a marker tell it from the index of a variable. */
const lookAhead = 4;

/** A marker, and the link that it is instead, such as in `[1](url)` and `[[1]](url)`. */
interface FoundMarker extends MarkerSyntax {
  readonly link: LinkEnd | null;
}

/**
 * Reads what begins and ends with brackets. Methods return false if more text must come before, and
 * `cut` if the rest of a URL is to be left out.
 */
export class BracketReader {
  /** The place after the last bracket that closed no marker. */
  private lastClose = -1;

  constructor(private readonly text: AnswerText) {}

  /** @param at the place of the bracket, which may have a space before it that is not read yet */
  open(opening: string, at: number): boolean | 'cut' {
    const { text } = this;
    const found = opening === '![' ? null : this.markerAt(at);
    if (found === undecided) return false;
    if (found) return this.readMarker(found, at);
    if (at > text.at) text.keep(at);
    if (opening === '【') text.keep(at + 1);
    else text.openBracket(at + opening.length);
    return true;
  }

  /** Reads a `]` and what follows it. */
  close(at: number): boolean | 'cut' {
    const { text } = this;
    const found = linkEndAt(text.buffer, at + 1, text.isWhole);
    if (found === undecided) return false;
    const bracket = text.output.close(text.rawOffset(at));
    const opened = bracket?.isImage === true || found?.kind === 'definition';
    const written = found && this.targetOf(found);
    const target = written && opened ? loadedTarget(written) : written;
    if (!found || target?.kind !== 'unknown') {
      const closing = text.keep(found?.end ?? at + 1);
      if (found?.kind === 'inline' && target && !bracket?.isImage)
        text.placeLink(bracket, closing, target);
    } else if (found.kind === 'definition') {
      text.droppedLinks++;
      text.replace(found.end, `] ${target.host}`);
    } else {
      text.droppedLinks++;
      if (bracket) text.output.unwrap(bracket);
      else text.keep(at + 1);
      text.drop(found.end);
    }
    this.lastClose = text.rawOffset();
    return found?.isCut ? 'cut' : true;
  }

  private targetOf({ kind, url, isCut }: LinkEnd): LinkTarget {
    const target = linkTarget(url, this.text.sources, kind === 'inline');
    return isCut ? { kind: 'unknown', host: target.kind === 'unknown' ? target.host : '' } : target;
  }

  private markerAt(at: number): FoundMarker | null | Undecided {
    const { buffer, isWhole } = this.text;
    if (at + 1 === buffer.length && !isWhole) return undecided;
    const isWrapped = buffer.startsWith('[[', at);
    const marker = markerAt(buffer, isWrapped ? at + 1 : at, isWhole);
    if (marker === null || marker === undecided) return marker;
    if (isWrapped) return this.wrapped(marker);
    if (buffer[at] === '【') return { ...marker, link: null };
    const link = linkEndAt(buffer, marker.end, isWhole);
    if (link === undecided) return undecided;
    if (link) {
      const isMarker = link.kind === 'inline' && this.targetOf(link).kind !== 'relative';
      return isMarker ? { ...marker, link } : null;
    }
    // `[text][1]` refers to a definition
    if (this.lastClose === this.text.rawOffset(at)) return null;
    return this.isText(marker, at);
  }

  /** Whether a marker is a part of code, or the beginning of a footnote. */
  private isText(marker: MarkerSyntax, at: number): FoundMarker | null | Undecided {
    const { buffer, isWhole, lines, sources } = this.text;
    const before = this.text.before(at);
    const after = buffer.slice(marker.end, marker.end + lookAhead);
    if (marker.isFootnote && after.startsWith(':') && lines.isAtStart) return null;
    if (afterName.test(before) && after.length < lookAhead && !isWhole) return undecided;
    const isAny = idsOf(marker).some((id) => sources.byId(id) !== undefined);
    return isIndex(before, after, isAny) ? null : { ...marker, link: null };
  }

  /** `[[1]](url)`, of which the inner brackets were read. */
  private wrapped(marker: MarkerSyntax): FoundMarker | null | Undecided {
    const { buffer, isWhole } = this.text;
    const { end } = marker;
    if (end === buffer.length && !isWhole) return undecided;
    const link = buffer[end] === ']' ? linkEndAt(buffer, end + 1, isWhole) : null;
    if (link === undecided) return undecided;
    return link?.kind === 'inline' && this.targetOf(link).kind !== 'relative'
      ? { ...marker, end: end + 1, link }
      : null;
  }

  private readMarker(found: FoundMarker, at: number): true | 'cut' {
    const { text } = this;
    const { link } = found;
    const target = link && this.targetOf(link);
    if (link && target?.kind === 'known') {
      text.keep(at);
      const depth = text.buffer.startsWith('[[', at) ? 2 : 1;
      const open = text.keep(at + depth);
      text.keep(found.end - depth);
      text.placeLink(open, text.keep(link.end), target);
      return true;
    }
    if (link) text.droppedLinks++;
    this.placeMarker(found, at, link?.end ?? found.end);
    return link?.isCut ? 'cut' : true;
  }

  private placeMarker(found: MarkerSyntax, at: number, end: number): void {
    const { text } = this;
    const isKnown = (id: number): boolean => text.sources.byId(id) !== undefined;
    text.droppedMarkers += found.ranges.filter(
      ({ from, to }) => !isKnown(from) || !isKnown(to),
    ).length;
    const all = idsOf(found);
    const ids = all.filter(isKnown);
    if (ids.length === 0) {
      text.drop(end);
      return;
    }
    text.keep(at);
    const isWhole = ids.length === all.length && end === found.end;
    const piece = isWhole ? text.keep(end) : text.replace(end, `[${ids.join(', ')}]`);
    text.markers.push({ piece, ids });
  }
}

const idsOf = ({ ranges }: MarkerSyntax): number[] => [
  ...new Set(
    ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, n) => from + n)),
  ),
];

/** `[1]`, `[2, 3]`, `[^1]`, `[1-3]` or `【1】` in the text of a model. */
interface MarkerSyntax {
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
function markerAt(text: string, at: number, isWhole: boolean): MarkerSyntax | null | Undecided {
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
/** A name: brackets after it could be an index. */
const afterName = /[\p{L}\p{N}_$)\]]$/u;
const codeName = /(?:^|[^\p{L}\p{N}])(?:[a-z]|\w*[_$]\w*)$/u;
const mixedName = /(?:[a-z][A-Z]\w*|\w\.[a-z]\w*)$/;
const beforeCode = /^(?:\.[a-z_]\w|\s?[-+*/|&]?=|\s?[-+*/]\s?\d|\[\p{L})/u;

/**
 * Whether brackets with numbers are the index of a variable or an interval, not a marker.
 * @param isSource whether there is a source of that number
 */
function isIndex(before: string, after: string, isSource: boolean): boolean {
  if (afterMathSign.test(before)) return true;
  if (!afterName.test(before)) return false;
  return codeName.test(before) || beforeCode.test(after) || (!isSource && mixedName.test(before));
}
