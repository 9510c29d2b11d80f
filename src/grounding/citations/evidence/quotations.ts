import { atOnce } from '../../../async/turns.js';
import { readableText, type ReadableText } from './readable-text.js';

const quotations =
  /"([^"\n]{1,600})"|“([^”\n]{1,600})”|«([^»\n]{1,600})»|»([^«\n]{1,600})«|„([^“”\n]{1,600})[“”]|「([^」\n]{1,600})」|『([^』\n]{1,600})』/g;
const minWords = 3;
const minLength = 8;
/** Of scripts without spaces. */
const minCharacters = 4;
const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** What a text quotes literally, without names and single words. */
export const quotationsIn = (text: string): string[] =>
  [...text.matchAll(quotations)]
    .map((found) => found.slice(1).join('').trim())
    .filter((part) =>
      withoutSpaces.test(part)
        ? part.length >= minCharacters
        : part.length >= minLength && part.split(/\s+/).length >= minWords,
    );

/** Where a text quotes another one with gaps. */
const gap = /\s*(?:\[?(?:…|\.\.\.)\]?)\s*/;
const maxGap = 600;
/** The most places that are tried for the first part of a quotation. */
const maxTries = 50;

/**
 * Finds a quotation in a text, apart from blanks, quotation marks, dashes, case and Unicode's forms.
 * Parts with `…` between them are looked for in their order.
 * @returns its place in the original of the text, or null
 */
export function findQuotation(
  quotation: string,
  source: ReadableText,
): { readonly start: number; readonly end: number } | null {
  const parts = quotation
    .split(gap)
    .map((part) => atOnce(readableText(part)).text.replace(/^[\s.,;:!?'-]+|[\s.,;:!?'-]+$/g, ''))
    .filter((part) => part !== '');
  const [first] = parts;
  if (first === undefined) return null;
  let at = find(source.text, first, 0);
  for (let tries = 0; at !== -1 && tries < maxTries; tries++) {
    const end = endOfParts(source.text, parts.slice(1), at + first.length);
    if (end !== -1) return { start: source.places[at]!, end: source.places[end - 1]! + 1 };
    at = find(source.text, first, at + 1);
  }
  return null;
}

function endOfParts(text: string, parts: readonly string[], from: number): number {
  let end = from;
  for (const part of parts) {
    const within = text.slice(end, end + maxGap);
    const at = find(within, part, 0);
    if (at === -1) return -1;
    end += at + part.length;
  }
  return end;
}

/** More places within longer words are not looked at. */
const maxWithinWords = 2_000;

/** Where words stand that are not a part of longer ones. */
function find(text: string, part: string, from: number): number {
  let at = text.indexOf(part, from);
  for (
    let tries = 0;
    at !== -1 && tries < maxWithinWords;
    tries++, at = text.indexOf(part, at + 1)
  ) {
    const isInWord = isLatin(text[at - 1], part[0]) || isLatin(part.at(-1), text[at + part.length]);
    if (!isInWord) return at;
  }
  return -1;
}

const letter = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
const isLatin = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && letter.test(a) && letter.test(b);
