import { atOnce } from '../../../src/async/turns.js';
import { describe, expect, it } from 'vitest';
import type { ProviderSpan } from '../../../src/grounding/citations/find-citations.js';
import { CitedText } from '../../../src/grounding/citations/cited-text.js';
import { answerSources, filtered } from '../../helpers/cited-answers.js';

/** The sources and claims of an answer to which three sources were given. */
function claimsOf(text: string, spans: readonly ProviderSpan[] = []): [number, string][] {
  const answer = new CitedText(answerSources());
  for (const span of spans) answer.cite(span);
  const out = answer.push(text) + answer.end();
  return atOnce(answer.citations()).map(({ source, start, end }) => [
    source,
    out.slice(start, end),
  ]);
}

describe('a marker', () => {
  it.each<[string, [number, string][]]>([
    ['Water is wet [1].', [[1, 'Water is wet']]],
    ['Fire is hot. Water is wet [1]. Ice is cold.', [[1, 'Water is wet']]],
    ['Fire is hot. Water is wet. [1] Ice is cold.', [[1, 'Water is wet.']]],
    [
      'Water is wet[1][3].',
      [
        [1, 'Water is wet'],
        [3, 'Water is wet'],
      ],
    ],
    [
      'Water is wet [1, 2].',
      [
        [1, 'Water is wet'],
        [2, 'Water is wet'],
      ],
    ],
    [
      'Water is wet [1-3].',
      [
        [1, 'Water is wet'],
        [2, 'Water is wet'],
        [3, 'Water is wet'],
      ],
    ],
    [
      'Water is wet [1] [2], [3].',
      [
        [1, 'Water is wet'],
        [2, 'Water is wet'],
        [3, 'Water is wet'],
      ],
    ],
    [
      'Water is wet [1] and ice is cold [2].',
      [
        [1, 'Water is wet'],
        [2, 'and ice is cold'],
      ],
    ],
    [
      'Water is wet [^1] and ice is cold 【2】.',
      [
        [1, 'Water is wet'],
        [2, 'and ice is cold'],
      ],
    ],
    ['It is wet【1†source】.', [[1, 'It is wet']]],
    [
      'Dr. J. Smith of the U.S. measured 3.5 m, e.g. in St. Gallen [1].',
      [[1, 'Dr. J. Smith of the U.S. measured 3.5 m, e.g. in St. Gallen']],
    ],
    ['Am 3. Oktober 1990 war es z. B. nass [1].', [[1, 'Am 3. Oktober 1990 war es z. B. nass']]],
    [
      'Er kam. Am 3. Oktober 1990 war es bzw. ist es nass [1].',
      [[1, 'Am 3. Oktober 1990 war es bzw. ist es nass']],
    ],
    [
      '水是湿的。冰是冷的[1]。火是热的[2]。',
      [
        [1, '冰是冷的'],
        [2, '火是热的'],
      ],
    ],
    ['水は濡れている。氷は冷たい！【1】火', [[1, '氷は冷たい！']]],
    ['هل الماء رطب؟ نعم هو رطب [1]', [[1, 'نعم هو رطب']]],
    [
      '- Fire is hot\n- Water is wet [1]\n1. Ice is cold [2]',
      [
        [1, 'Water is wet'],
        [2, 'Ice is cold'],
      ],
    ],
    [
      '| City | People |\n|---|---|\n| Bonn | 336,000 [1] |\n| Köln | many [2] |',
      [
        [1, '336,000'],
        [2, 'many'],
      ],
    ],
    ['# Water\n\nIt is wet [1]', [[1, 'It is wet']]],
    [
      'A line that is as long as all lines of this text are\nand goes on here [1]',
      [[1, 'A line that is as long as all lines of this text are\nand goes on here']],
    ],
    ['"Is it wet?" he asked [1].', [[1, '"Is it wet?" he asked']]],
    [
      'Water is **wet**.[1] Ice is cold.[2]',
      [
        [1, 'Water is **wet**.'],
        [2, 'Ice is cold.'],
      ],
    ],
    ['See [[1]](https://known.example/source-1) for it.', [[1, '1']]],
    ['Wet, see [1](https://known.example/source-2).', [[2, '1']]],
    ['[1] Title of the first page\n[2] Title of the second', []],
    ['', []],
  ])('cites the claim before it: %j', (text, expected) => {
    expect(filtered(text)).toEqual({ text, links: 0, markers: 0 });
    expect(claimsOf(text)).toEqual(expected);
  });

  it.each([
    ['Water is wet [9].', 'Water is wet.', 1],
    ['Water is wet[9], ice [7] [8] is cold【12】.', 'Water is wet, ice is cold.', 4],
    ['Water is wet [1, 9].', 'Water is wet [1].', 1],
    ['Water is wet [9, 2, 8, 1].', 'Water is wet [2, 1].', 2],
    ['Water is wet [2-5].', 'Water is wet [2, 3].', 1],
    ['Water is wet [^9].', 'Water is wet.', 1],
    ['Water is wet【4:0†source】.', 'Water is wet.', 1],
  ])('that names no source goes, with the space before it: %j', (text, expected, count) => {
    expect(filtered(text)).toEqual({ text: expected, links: 0, markers: count });
  });

  it.each([
    ['Water is wet [1](https://fake.example/x).', 'Water is wet [1].'],
    ['Water is wet [[2]](https://fake.example/x).', 'Water is wet [2].'],
    ['Water is wet [9](https://fake.example/x).', 'Water is wet.'],
  ])('loses an address that nobody retrieved: %j', (text, expected) => {
    expect(filtered(text)).toMatchObject({ text: expected, links: 1 });
  });

  it.each([
    'a[1] = b[9]; arr[1].name, self.items_[9] and data[9] += 1',
    'the years [1990] and [2024-2025], x ∈ [1, 9], [0, 9], [-1, 9]',
    'in `code [9]` and\n```\nx [9]\n```\n',
    '[text][9] and [ ] a task, [x] done',
    '[^9]: a footnote\n',
    '【注意】 and 【9',
    '\\[9\\]',
    '[9](local/page.md)',
    'Node.js[9] is not known here',
  ])('is something else in %j', (text) => {
    expect(filtered(text)).toEqual({ text, links: 0, markers: 0 });
    expect(claimsOf(text)).toEqual([]);
  });
});

describe('a link to a source', () => {
  it('cites with its text', () => {
    expect(claimsOf('By [a page](https://known.example/source-2/ "T") it is wet.')).toEqual([
      [2, 'a page'],
    ]);
    expect(claimsOf('By <a href="http://www.known.example/source-3">a page</a>.')).toEqual([
      [3, 'a page'],
    ]);
    expect(claimsOf('![a picture](https://known.example/source-2)')).toEqual([]);
  });
});

describe('a span of a provider', () => {
  const url = 'https://known.example/source-2';
  const text = 'See [x](https://fake.example) [9]. Water is wet. Ice is cold.';

  it('is moved by what was dropped before it', () => {
    const start = text.indexOf('Water');
    expect(claimsOf(text, [{ url, start, end: start + 13 }])).toEqual([[2, 'Water is wet.']]);
  });

  it('loses what was dropped in it', () => {
    expect(claimsOf(text, [{ url, start: 0, end: text.indexOf(' Water') }])).toEqual([
      [2, 'See x.'],
    ]);
    expect(claimsOf(text, [{ url, start: 4, end: 29 }])).toEqual([[2, 'x']]);
    expect(claimsOf(text, [{ url, start: 5, end: 6 }])).toEqual([[2, 'x']]);
  });

  it('stands beside others that overlap it, and once where it is repeated', () => {
    const spans = [
      { url, start: 35, end: 48 },
      { url, start: 35, end: 61 },
      { url, start: 35, end: 48 },
    ];
    expect(claimsOf(text, spans)).toEqual([
      [2, 'Water is wet.'],
      [2, 'Water is wet. Ice is cold.'],
    ]);
  });

  it('is left out where its page is no source, or no text is left of it', () => {
    const other = 'https://other.example';
    expect(
      claimsOf(text, [
        { url: other, start: 0, end: 20 },
        { url, start: 29, end: 33 },
      ]),
    ).toEqual([]);
  });

  it('is verified by its provider, or by the text if its quote is there', () => {
    const answer = new CitedText(answerSources([{ text: 'Water  is “very” wet – always.', url }]));
    answer.cite({ url, start: 0, end: 12, quote: 'water is "very" wet - always' });
    answer.cite({ url, start: 13, end: 25, quote: 'ice is cold' });
    answer.cite({ url, start: 13, end: 20 });
    answer.push('Water is wet. Ice is cold.');
    answer.end();
    expect(atOnce(answer.citations())).toEqual([
      { source: 1, start: 0, end: 12, quote: 'water is "very" wet - always', verified: 'text' },
      { source: 1, start: 13, end: 20, quote: '', verified: 'provider' },
      { source: 1, start: 13, end: 25, quote: 'ice is cold', verified: 'provider' },
    ]);
  });
});

it('a source that was read meanwhile is looked through again', () => {
  const sources = [{ id: 1, url: 'https://a.example', title: '', text: '' }];
  const answer = new CitedText({
    byId: (id) => sources.find((source) => source.id === id),
    byUrl: () => undefined,
    isKnown: () => false,
  });
  answer.push('Bonn has 336,000 inhabitants [1]. ');
  expect(atOnce(answer.citations())).toMatchObject([{ quote: '', verified: false }]);
  sources[0] = { ...sources[0]!, text: 'In 2023, Bonn had 336,000 inhabitants.' };
  expect(atOnce(answer.citations())).toMatchObject([
    { quote: 'In 2023, Bonn had 336,000 inhabitants.', verified: 'text' },
  ]);
});
