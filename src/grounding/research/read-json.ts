import { parsedJson } from '../../text/json-values.js';

/** Answers are limited by tokens; a longer text is no answer. */
const maxLength = 32_000;
/** The most places that are tried as the beginning of the JSON. */
const maxBeginnings = 8;

/**
 * The JSON in a model's answer: alone, in a code block, among sentences, with comments, trailing
 * commas or typographic quotation marks, or cut off at its end.
 * @returns undefined if there is no object or list in it
 */
export function answeredJson(answer: string): unknown {
  // some models reason in their text
  const thought = /^\s*<think>/.test(answer) ? answer.indexOf('</think>') : -1;
  const text = answer.slice(thought + 1, thought + 1 + maxLength);
  let best: { readonly value: unknown; readonly length: number } | undefined;
  let readTo = 0;
  for (const begin of beginnings(text)) {
    if (begin < readTo) continue;
    const end = endOfJson(text, begin);
    const value = readPart(text.slice(begin, end));
    if (typeof value !== 'object' || value === null) continue;
    readTo = end;
    // what is short is often a remark, such as `[1]`
    if (end - begin > (best?.length ?? 0)) best = { value, length: end - begin };
  }
  return best?.value;
}

const readPart = (text: string): unknown =>
  parsedJson(text) ?? parsedJson(repaired(text)) ?? parsedJson(repaired(straightened(text)));

/** Where JSON may begin: a brace or bracket before what JSON has there. */
function* beginnings(text: string): Generator<number> {
  let count = 0;
  for (const { index } of text.matchAll(/[{[]/g)) {
    if (!/^[{[]\s*(["'“{[\]}/]|\w)/.test(text.slice(index, index + 200))) continue;
    if (++count > maxBeginnings) return;
    yield index;
  }
}

/** The end of an object or list; that of the text if it is cut off. */
function endOfJson(text: string, begin: number): number {
  let depth = 0;
  for (let at = begin; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

/** The place of the quotation mark that ends a string; the text's length if none does. */
function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

const straightened = (text: string): string =>
  text.replace(/[“”„]/g, '"').replace(/(?<=[[{,:]\s*)'([^'\n]*)'(?=\s*[\]},:])/g, '"$1"');

/** With what is often wrong put right: outside of strings, and at the end. */
function repaired(text: string): string {
  const open: string[] = [];
  const parts: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') {
      const end = endOfString(text, at);
      parts.push(wholeString(text.slice(at, end + 1), end >= text.length));
      at = end;
    } else if (character === '/' && /[/*]/.test(text[at + 1] ?? '')) {
      at = endOfComment(text, at);
    } else {
      if (character === '{') open.push('}');
      else if (character === '[') open.push(']');
      else if (character === '}' || character === ']') open.pop();
      if (character !== ',' || !isTrailing(text, at)) parts.push(character);
    }
  }
  return closed(parts.join(''), open);
}

/** Whether what follows a comma needs none. */
function isTrailing(text: string, comma: number): boolean {
  let next = comma + 1;
  while (/\s/.test(text[next] ?? '')) next++;
  return /[\]}]/.test(text[next] ?? ']');
}

function endOfComment(text: string, begin: number): number {
  const mark = text[begin + 1] === '*' ? '*/' : '\n';
  const end = text.indexOf(mark, begin + 2);
  return end === -1 ? text.length : end + mark.length - 1;
}

/** A string with its line breaks escaped, closed where the text was cut off. */
function wholeString(string: string, isCut: boolean): string {
  const line = string.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return isCut ? `${line.replace(/\\(u[0-9a-f]{0,3})?$/i, '')}"` : line;
}

/** The end of a text in which a half field is looked for. */
const maxTail = 1_000;

/** A text that was cut off, without its last half field. */
function closed(text: string, open: readonly string[]): string {
  if (open.length === 0) return text;
  const tail = text
    .slice(-maxTail)
    .replace(/,?\s*"[^"]*"\s*:\s*$/, '')
    .replace(/([{,])\s*"[^"]*"$/, (last, mark: string) => (open.at(-1) === '}' ? mark : last))
    .replace(/,\s*$/, '');
  return text.slice(0, -maxTail) + tail + open.toReversed().join('');
}
