import { maxUrlLength } from './link-target.js';

/** What follows the `]` of Markdown, if it makes a link. Places are in the text that was looked at. */
export interface LinkEnd {
  /** `inline`: `](url "title")`; `definition`: `]: url`. */
  readonly kind: 'inline' | 'definition';
  /** As written; '' where it is longer than any URL that is looked at. */
  readonly url: string;
  /** The place after the link. */
  readonly end: number;
  /** Whether the URL goes on, beyond what is looked at. */
  readonly isCut: boolean;
}

/** More text must come before it is known what stands here. */
export const undecided = 'undecided';
export type Undecided = typeof undecided;

const maxBlank = 32;
const maxTitle = 512;
/** As renderers limit it. */
const maxDepth = 32;

interface Text {
  readonly text: string;
  /** Whether nothing follows the text. */
  readonly isWhole: boolean;
}

/** The place of the first character that is not blank; at most one line break is skipped. */
function skipBlank(text: string, at: number): number {
  let end = at;
  let breaks = 0;
  for (; end < text.length && end - at < maxBlank; end++) {
    const character = text[end]!;
    if (
      character === '\n'
        ? ++breaks > 1
        : character !== ' ' && character !== '\t' && character !== '\r'
    )
      break;
  }
  return end;
}

/** Reads what follows a `]`. @param at the place after it @returns null if it makes no link */
export function linkEndAt(text: string, at: number, isWhole: boolean): LinkEnd | null | Undecided {
  if (at >= text.length) return isWhole ? null : undecided;
  if (text[at] === '(') return inlineAt({ text, isWhole }, at + 1);
  return text[at] === ':' ? definitionAt({ text, isWhole }, at + 1) : null;
}

type Destination = Pick<LinkEnd, 'url' | 'end' | 'isCut'>;

function inlineAt(given: Text, at: number): LinkEnd | null | Undecided {
  const { text, isWhole } = given;
  const ended = isWhole ? null : undecided;
  const urlAt = skipBlank(text, at);
  if (urlAt >= text.length) return ended;
  const found = text[urlAt] === '<' ? inAngles(given, urlAt) : plainDestination(given, urlAt);
  if (found === null || found === undecided) return found;
  const cut: LinkEnd = { kind: 'inline', url: found.url, end: found.end, isCut: true };
  if (found.isCut) return cut;
  let end = skipBlank(text, found.end);
  if (end >= text.length) return ended;
  if (text[end] !== ')' && end > found.end) {
    const title = titleEnd(given, end);
    if (title === null || title === undecided) return title;
    if (title === -1) return { ...cut, url: '' };
    end = skipBlank(text, title);
    if (end >= text.length) return ended;
  }
  return text[end] === ')' ? { ...cut, end: end + 1, isCut: false } : null;
}

/** `<url>`: without line breaks and other angles. */
function inAngles({ text, isWhole }: Text, at: number): Destination | null | Undecided {
  for (let end = at + 1; end < text.length; end++) {
    const character = text[end]!;
    if (end - at > maxUrlLength) return { url: '', end, isCut: true };
    if (character === '\\') end++;
    else if (character === '>') return { url: text.slice(at + 1, end), end: end + 1, isCut: false };
    else if (character === '<' || character === '\n') return null;
  }
  return isWhole ? null : undecided;
}

/** Without blanks; brackets in it are in pairs. */
function plainDestination({ text, isWhole }: Text, at: number): Destination | null | Undecided {
  let depth = 0;
  for (let end = at; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (end - at > maxUrlLength) return { url: '', end, isCut: true };
    const isEnd = code <= 32 || code === 127 || (code === 41 && depth === 0);
    if (isEnd) return depth > 0 ? null : { url: text.slice(at, end), end, isCut: false };
    if (code === 92) end++;
    else if (code === 40 && ++depth > maxDepth) return null;
    else if (code === 41) depth--;
  }
  return isWhole ? null : undecided;
}

/** The place after a title; -1 if it is longer than what is looked at. */
function titleEnd({ text, isWhole }: Text, at: number): number | null | Undecided {
  const opening = text[at]!;
  if (!/["'(]/.test(opening)) return null;
  const closing = opening === '(' ? ')' : opening;
  for (let end = at + 1; end < text.length; end++) {
    if (end - at > maxTitle) return -1;
    const character = text[end]!;
    if (character === '\\') end++;
    else if (character === closing) return end + 1;
    else if (character === '(' && opening === '(') return null;
  }
  return isWhole ? null : undecided;
}

const address =
  /^<?(?:[a-z][a-z0-9+.-]{0,30}:\/\/|www\.|\/\/|javascript:|vbscript:|data:|\w{1,40}&)/i;
const beginsAddress = /^<?(?:[\w+.-]*(?::\/?)?|\/)$/;
const addressLength = 44;

/** `]: url`, wherever it stands: what is a definition only in some renderers is one here. */
function definitionAt(given: Text, at: number): LinkEnd | null | Undecided {
  const { text, isWhole } = given;
  const urlAt = skipBlank(text, at);
  const rest = text.slice(urlAt, urlAt + addressLength);
  if (!address.test(rest))
    return !isWhole && rest.length < addressLength && beginsAddress.test(rest) ? undecided : null;
  // the end of the text ends the URL
  const ended = { text: isWhole ? `${text}\n` : text, isWhole };
  const found = text[urlAt] === '<' ? inAngles(given, urlAt) : plainDestination(ended, urlAt);
  if (found === null || found === undecided) return found;
  const { url, end, isCut } = found;
  return { kind: 'definition', url, end, isCut };
}
