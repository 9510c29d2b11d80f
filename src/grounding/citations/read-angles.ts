import type { AnswerText } from './answer-text.js';
import { undecided, type Undecided } from './link-syntax.js';
import { type LinkTarget, linkTarget, loadedTarget, maxUrlLength } from './link-target.js';
import type { Piece } from './pending-text.js';

/** A link of HTML that is not closed yet; null: its tag was taken out. */
export type OpenAnchor = { readonly open: Piece; readonly target: LinkTarget } | null;

/** A model never nests them so deeply. */
const maxAnchors = 64;
/** Syntax that a description must not bring into the text. */
const markup = /[[\]<>`\\]|[a-z]+:\/\/|javascript:|www\./gi;

/**
 * Reads what begins with the `<` at the reading position.
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
    text.replaceLink(end, target.host);
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

/** What begins with a `<`. Places are in the text that was looked at. */
type AngleSyntax =
  /** `<https://example.org>` */
  | {
      readonly kind: 'autolink';
      readonly url: string;
      readonly end: number;
      readonly isCut: boolean;
    }
  /** A tag that may lead somewhere. */
  | {
      readonly kind: 'tag';
      readonly name: string;
      readonly urls: readonly string[];
      readonly alt: string;
      readonly end: number;
    }
  | { readonly kind: 'anchor-end'; readonly end: number }
  /** A tag longer than what is looked at. */
  | { readonly kind: 'overlong' };

const maxTag = 4_096;
const tagNames =
  /^(?:a|area|audio|base|button|embed|form|frame|iframe|image|img|input|link|meta|object|script|source|track|use|video)$/i;
const urlAttributes =
  /^(?:href|xlink:href|src|srcset|action|formaction|data|poster|background|cite|longdesc|ping|content)$/i;

const scheme = /^<(?:[a-z][a-z0-9+.-]{1,31}:\/\/|javascript:|vbscript:|data:)/i;
const maxScheme = 36;

/** Reads what begins with the `<` at a place. @returns null if it is a plain `<` */
function angleAt(text: string, at: number, isWhole: boolean): AngleSyntax | null | Undecided {
  const head = text.slice(at, at + maxScheme);
  if (scheme.test(head)) return autolinkAt(text, at, isWhole);
  const name = /^<(\/?[a-z][a-z0-9]{0,9})(?=[\s/>])/i.exec(head)?.[1];
  if (name !== undefined) {
    if (/^\/a$/i.test(name)) return anchorEnd(text, at, isWhole);
    return tagNames.test(name) ? tagAt(text, at, name, isWhole) : null;
  }
  const isOpen =
    !isWhole && head.length < maxScheme && /^<\/?(?:[a-z][a-z0-9+.-]*:?\/?)?$/i.test(head);
  return isOpen ? undecided : null;
}

function autolinkAt(text: string, at: number, isWhole: boolean): AngleSyntax | null | Undecided {
  const within = text.slice(at, at + maxUrlLength + 2);
  const length = within.slice(1).search(/[\s<>]/);
  if (length >= 0)
    return within[length + 1] === '>'
      ? { kind: 'autolink', url: within.slice(1, length + 1), end: at + length + 2, isCut: false }
      : null;
  if (within.length === maxUrlLength + 2)
    return { kind: 'autolink', url: within.slice(1), end: at + within.length, isCut: true };
  return isWhole ? null : undecided;
}

function anchorEnd(text: string, at: number, isWhole: boolean): AngleSyntax | null | Undecided {
  const found = /^<\/a\s{0,32}(>|$)?/i.exec(text.slice(at, at + 40));
  if (found?.[1] === '>') return { kind: 'anchor-end', end: at + found[0].length };
  return found && at + found[0].length === text.length && !isWhole ? undecided : null;
}

const wholeTag = /^<[a-z][a-z0-9]*((?:[^"'<>]|"[^"]*"|'[^']*')*)>/i;
const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;

function tagAt(
  text: string,
  at: number,
  name: string,
  isWhole: boolean,
): AngleSyntax | null | Undecided {
  const within = text.slice(at, at + maxTag);
  const found = wholeTag.exec(within);
  if (!found) {
    // a `<` ends it, unless it stands in quotes
    if (/^<(?:[^"'<>]|"[^"]*"|'[^']*')*</.test(within)) return null;
    return within.length === maxTag ? { kind: 'overlong' } : isWhole ? null : undecided;
  }
  const attributes = [...(found[1] ?? '').matchAll(attribute)].map(
    ([, key = '', double, single, plain]) => ({ key, value: double ?? single ?? plain ?? '' }),
  );
  const urls = attributes
    .filter(({ key }) => urlAttributes.test(key))
    .flatMap(({ key, value }) =>
      /^srcset$/i.test(key)
        ? value.split(',').map((each) => each.trim().split(/\s/)[0] ?? '')
        : /^content$/i.test(key)
          ? [...value.matchAll(/url\s*=\s*(\S+)/gi)].map(([, url = '']) => url)
          : [value],
    );
  // where HTML is shown as text, these are links too
  const bare = found[0].match(/(?:https?:\/\/|ftp:\/\/|www\.)[^\s"'<>]+/gi) ?? [];
  const alt = attributes.find(({ key }) => /^alt$/i.test(key))?.value ?? '';
  return {
    kind: 'tag',
    name: name.toLowerCase(),
    urls: [...urls, ...bare],
    alt,
    end: at + found[0].length,
  };
}
