import { describe, expect, it } from 'vitest';
import { anchorOf, shownText, TextSeam } from '../../src/text/text-seam.js';
import { seeded } from '../helpers/hostile-clients.js';
import { scriptedText } from '../helpers/scripted-text.js';

/** The text before, and what goes on of a continuation that comes in pieces. */
function joined(before: string, pieces: readonly string[], isPrefilled = false): string {
  const seam = new TextSeam(before, isPrefilled);
  return before + pieces.map((piece) => seam.push(piece)).join('') + seam.end();
}

/** A text in pieces of random length. */
function cut(text: string, random: () => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + 1 + Math.floor(random() * 12);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

/** Whether a text has words, and not only figures and signs. */
const hasWords = (text: string): boolean => (text.match(/\p{L}/gu)?.length ?? 0) >= 8;

/** The last words, at least so many. */
function lastWords(before: string, count: number): string {
  const starts = [...before.matchAll(/(?<![\p{L}\p{N}_])[\p{L}\p{N}_]/gu)].map(
    ({ index }) => index,
  );
  const parts = starts.reverse().map((start) => before.slice(start));
  return parts.find((part, at) => at >= count - 1 && hasWords(part)) ?? before;
}

/** The last line; where it has hardly a word, the lines before it too. */
function lastLine(before: string): string {
  let start = before.lastIndexOf('\n', before.length - 2) + 1;
  while (start > 0 && !hasWords(before.slice(start)))
    start = before.lastIndexOf('\n', start - 2) + 1;
  return before.slice(start);
}

const texts = Array.from({ length: 200 }, (_, number) => {
  const random = seeded(number + 1);
  const text = scriptedText(random);
  const characters = Array.from(text);
  const at = 20 + Math.floor(random() * (characters.length - 40));
  const before = characters.slice(0, at).join('');
  // the model goes on from what it is shown
  const shown = shownText(before);
  return { number, text, before, shown, rest: text.slice(shown.length), random };
});

describe('200 texts of words, code, lists, tables and emoji, cut anywhere, are whole', () => {
  it('where the continuation is exactly the rest', () => {
    for (const { number, text, before, rest, random } of texts)
      expect(joined(before, cut(rest, random)), `text ${number}`).toBe(text);
  });

  it('where the model takes the beginning of its answer, and gives that again or not', () => {
    for (const { number, text, before, shown, rest, random } of texts)
      for (const again of ['', shown])
        expect(joined(before, cut(again + rest, random), true), `text ${number}`).toBe(text);
  });

  it('where it repeats the last words', () => {
    for (const { number, text, before, shown, rest, random } of texts) {
      const again = lastWords(shown, 3 + Math.floor(random() * 6));
      expect(joined(before, cut(again + rest, random)), `text ${number}`).toBe(text);
    }
  });

  it('where one that takes the beginning repeats the last words, twenty characters at least', () => {
    for (const { number, text, before, shown, rest, random } of texts) {
      const again = lastWords(shown, 5 + Math.floor(random() * 6));
      // fewer may be content, which such a model goes on with
      if (again.length < 20) continue;
      expect(joined(before, cut(again + rest, random), true), `text ${number}`).toBe(text);
    }
  });

  it('where it begins with the last characters, as it is asked to', () => {
    for (const { number, text, before, shown, rest, random } of texts)
      expect(joined(before, cut(anchorOf(shown) + rest, random)), `text ${number}`).toBe(text);
  });

  it('where it repeats the last line', () => {
    for (const { number, text, before, shown, rest, random } of texts)
      expect(joined(before, cut(lastLine(shown) + rest, random)), `text ${number}`).toBe(text);
  });
});

describe('a continuation', () => {
  const rows: [what: string, before: string, continuation: string, whole: string][] = [
    ['that begins the last word again', 'The quick bro', 'brown fox', 'The quick brown fox'],
    ['that begins the whole text again', 'Hel', 'Hello', 'Hello'],
    ['that begins a line again', '- one\n- tw', '- two\n', '- one\n- two\n'],
    [
      'that begins after white space',
      'It is on the last ',
      '\non the last page',
      'It is on the last page',
    ],
    [
      'that opens the code block again',
      'So:\n```js\nconst a = ',
      '```js\nconst a = 1;\n```',
      'So:\n```js\nconst a = 1;\n```',
    ],
    [
      'that opens the code block again and goes on in the line',
      'So:\n```js\nconst a = ',
      '```js\n1;\n```',
      'So:\n```js\nconst a = 1;\n```',
    ],
    ['that repeats all and adds nothing', 'That is all.', 'That is all.', 'That is all.'],
    [
      'in a script without spaces',
      '春眠不觉晓，处处',
      '不觉晓，处处闻啼鸟',
      '春眠不觉晓，处处闻啼鸟',
    ],
  ];
  it.each(rows)('%s is joined without that', (_what, before, continuation, whole) => {
    expect(joined(before, [continuation])).toBe(whole);
    expect(joined(before, Array.from(continuation))).toBe(whole);
  });

  const meant: [what: string, before: string, rest: string][] = [
    ['a word twice', 'It was very', ' very late'],
    ['a word that is twice its beginning', 'She heard the mu', 'murmur'.slice(2)],
    ['figures', 'f(0, 0', ', 0, 0)'],
    ['a rule', 'a\n-', '--\n'],
    ['rows of a table', '| yes | no |', '\n| yes | no |'],
    ['brackets', '  }\n', '  }\n}'],
    ['the end of a code block', '```\nls\n', '```\n\nDone.'],
    ['a refrain', 'He sang la la la', ' la la'],
    ['emoji', '🎉🎉', '🎉'],
  ];
  it.each(meant)('that has %s keeps them', (_what, before, rest) => {
    expect(joined(before, [rest])).toBe(before + rest);
    expect(joined(before, Array.from(rest))).toBe(before + rest);
  });

  it.each(['upon', 'upon a ', 'upon a time, the cat'])(
    'that ends within the last words, which it was asked to repeat, adds nothing (%j)',
    (continuation) => {
      const before = 'A tale. Once upon a time, the cat\n\nUs';
      expect(joined(before, Array.from(continuation))).toBe(before);
    },
  );

  it('is joined to half a character, which the model is not shown', () => {
    const before = `Done ${'🎉'.slice(0, 1)}`;
    expect(shownText(before)).toBe('Done');
    // models begin without the white space too
    for (const rest of [' 🎉!', '🎉!']) expect(joined(before, [rest])).toBe('Done 🎉!');
  });

  it('is held back for 4,000 characters at most', () => {
    const long = 'x '.repeat(10_000);
    const seam = new TextSeam(long, false);
    const pieces = Array.from({ length: 100 }, () => seam.push('x '.repeat(50)));
    expect(pieces.findIndex((piece) => piece !== '')).toBeLessThan(41);
  });
});

/** Texts that repeat themselves, and with characters of several units. */
const repetitive = {
  laughter: 'He laughed: ha ha ha ha ha ha ha ha ha ha, and again ha ha ha ha! No more.',
  figures: 'const a = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0];',
  table: '| a | b |\n|---|---|\n| yes | no |\n| yes | no |\n| yes | no |\n| no | no |\n\nDone.',
  code: 'So:\n\n```py\nfor i in x:\n    print(i)\n    print(i)\n```\n\n~~~\nx\n~~~\n',
  sentences: 'The cat sat. The cat sat. The cat sat. The cat sat. The cat ran.',
  song: 'Row, row, row your boat,\nGently down.\nMerrily, merrily, merrily,\n\nRow, row, row your boat,\nGently down.',
  markup: '<ul><li>one</li><li>one</li><li>one</li></ul>',
  marks: 'Le cafe\u0301 est tre\u0300s bon, le cafe\u0301 est tre\u0300s bon, voila\u0300.',
  pictures: 'Family 👨‍👩‍👧‍👦👨‍👩‍👧‍👦, flags 🇩🇪🇫🇷🇩🇪🇫🇷, skin 👍🏽👍🏽👍🏽.',
  windows: 'One\r\nOne\r\n\r\n```sh\r\nls\r\nls\r\n```\r\nEnd.\r\n',
};

describe.each(Object.entries(repetitive))(
  'a text that repeats itself (%s), cut at every place, is whole',
  (_name, text) => {
    const cuts = Array.from({ length: text.length - 2 }, (_, at) => text.slice(0, at + 2));
    it.each<[string, (shown: string) => string, boolean]>([
      ['from a model that goes on exactly, because it takes the beginning', () => '', true],
      ['from one that takes the beginning and gives it again', (shown) => shown, true],
      ['from one that begins with the last characters, as it is asked to', anchorOf, false],
    ])('%s', (_title, again, isPrefilled) => {
      for (const before of cuts) {
        const shown = shownText(before);
        const continuation = again(shown) + text.slice(shown.length);
        for (const pieces of [[continuation], continuation.match(/[\s\S]{1,3}/g) ?? []])
          expect(joined(before, pieces, isPrefilled)).toBe(text);
      }
    });
  },
);

it('a long text that a model gives again from its start is joined without that, in linear time', () => {
  const before = Array.from({ length: 200_000 }, (_, n) => `word${n} `).join('');
  const pieces = `${before}end`.match(/[\s\S]{1,8}/g) ?? [];
  expect(joined(before, pieces, true)).toBe(`${before}end`);
  const other = `${before.slice(0, 9_000)}other`.match(/[\s\S]{1,8}/g) ?? [];
  expect(joined(before, other, true)).toBe(`${before}${before.slice(0, 9_000)}other`);
});
