/** What may come next in a JSON text. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | 'end of value';

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const spaces = /[ \t\n\r]*/y;
const literals = ['true', 'false', 'null'];

/**
 * Says where a text stops being JSON, without repeating any of it: `line 3, column 14`. Reads the
 * text once, without recursion.
 * @returns null for valid JSON
 */
export function jsonFault(text: string): string | null {
  const index = faultIndex(text);
  if (index === null) return null;
  const before = text.slice(0, index);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = lineStart === 0 ? 1 : before.split('\n').length;
  const place = `line ${line}, column ${index - lineStart + 1}`;
  return index < text.length ? `error at ${place}` : `it ends at ${place} before it is complete`;
}

function faultIndex(text: string): number | null {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  for (let index = skip(spaces, text, 0); ; index = skip(spaces, text, index)) {
    const sign = text[index];
    if (expected === 'end of value') {
      const within = open.at(-1);
      if (within === undefined) return sign === undefined ? null : index;
      if (sign === ',') expected = within === '{' ? 'name' : 'value';
      else if (sign === (within === '{' ? '}' : ']')) open.pop();
      else return index;
      index += 1;
    } else if (expected === ':') {
      if (sign !== ':') return index;
      [expected, index] = ['value', index + 1];
    } else if (
      (sign === ']' && expected === 'value or ]') ||
      (sign === '}' && expected === 'name or }')
    ) {
      open.pop();
      [expected, index] = ['end of value', index + 1];
    } else if (expected === 'name' || expected === 'name or }') {
      if (sign !== '"') return index;
      const end = endOfText(text, index);
      if (end.isFault) return end.index;
      [expected, index] = [':', end.index];
    } else if (sign === '{' || sign === '[') {
      open.push(sign);
      [expected, index] = [sign === '{' ? 'name or }' : 'value or ]', index + 1];
    } else {
      const end = sign === '"' ? endOfText(text, index) : endOfPlain(text, index);
      if (end.isFault) return end.index;
      [expected, index] = ['end of value', end.index];
    }
  }
}

interface End {
  readonly index: number;
  readonly isFault: boolean;
}

function endOfText(text: string, start: number): End {
  for (let index = start + 1; index < text.length;) {
    const code = text.charCodeAt(index);
    if (code === 0x22) return { index: index + 1, isFault: false };
    if (code < 0x20) return { index, isFault: true };
    const next = code === 0x5c ? skip(escape, text, index) : index + 1;
    if (next === index) return { index, isFault: true };
    index = next;
  }
  return { index: text.length, isFault: true };
}

function endOfPlain(text: string, start: number): End {
  const literal = literals.find((word) => text.startsWith(word, start));
  const index = literal === undefined ? skip(number, text, start) : start + literal.length;
  return { index, isFault: index === start };
}

/** The index behind what the pattern matches at an index; the index itself where it does not. */
function skip(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : index;
}
