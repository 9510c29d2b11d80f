import type { AnswerText } from './answer-text.js';
import { angleAt, type AngleSyntax } from './html-syntax.js';
import { undecided } from './link-syntax.js';
import { type LinkTarget, linkTarget, loadedTarget } from './link-target.js';
import type { Piece } from './pending-text.js';

/** A link of HTML that is not closed yet; null: its tag was taken out. */
export type OpenAnchor = { readonly open: Piece; readonly target: LinkTarget } | null;

/** A model never nests them so deeply. */
const maxAnchors = 64;
/** What would make more than text of a description. */
const markup = /[[\]<>`\\]|[a-z]+:\/\/|javascript:|www\./gi;

/**
 * Reads what begins with the `<` at the place of reading.
 * @returns false if more must come before; `cut` if the rest of a URL is to be left out
 */
export function readAngle(text: AnswerText, anchors: OpenAnchor[]): boolean | 'cut' {
  const found = angleAt(text.buffer, text.at, text.isWhole);
  if (found === undecided) return false;
  if (found === null) text.keep(text.at + 1);
  else if (found.kind === 'overlong') text.drop(text.at + 1);
  else if (found.kind === 'autolink') return readAutolink(text, found);
  else if (found.kind === 'anchor-end') endAnchor(text, anchors.pop(), found.end);
  else readTag(text, anchors, found);
  return true;
}

function readAutolink(
  text: AnswerText,
  { url, end, isCut }: AngleSyntax & { kind: 'autolink' },
): true | 'cut' {
  const target = linkTarget(url, text.sources, false);
  if (target.kind !== 'unknown') text.keep(end);
  else {
    text.droppedLinks++;
    text.replace(end, target.host);
  }
  return isCut ? 'cut' : true;
}

function readTag(
  text: AnswerText,
  anchors: OpenAnchor[],
  { name, urls, alt, end }: AngleSyntax & { kind: 'tag' },
): void {
  const targets = urls
    .map((url) => linkTarget(url, text.sources, false))
    .map((target) => (name === 'a' ? target : loadedTarget(target)));
  const isDropped = targets.some(({ kind }) => kind === 'unknown');
  if (anchors.length === maxAnchors) anchors.shift();
  if (!isDropped) {
    const open = text.keep(end);
    if (name === 'a') anchors.push({ open, target: targets[0] ?? { kind: 'relative' } });
    return;
  }
  text.droppedLinks++;
  const description = alt.replace(markup, '').trim();
  if (name === 'a') anchors.push(null);
  if (description === '') text.drop(end);
  else text.replace(end, description);
}

function endAnchor(text: AnswerText, anchor: OpenAnchor | undefined, end: number): void {
  if (anchor === null) {
    text.drop(end);
    return;
  }
  const close = text.keep(end);
  if (anchor) text.placeLink(anchor.open, close, anchor.target);
}
