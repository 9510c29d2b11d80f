import { atOnce } from '../../../src/async/turns.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packPassages } from '../../../src/grounding/search/passages/pack-passages.js';
import { scorePassages } from '../../../src/grounding/search/passages/score-passages.js';
import { splitText } from '../../../src/grounding/search/passages/split-text.js';
import { estimateTokens } from '../../../src/models/tokens.js';
import { runs } from '../../helpers/runs.js';

const partsOf = (text: string): string[] =>
  [...splitText(text)].map(({ start, end }) => text.slice(start, end));

/** A half of a surrogate pair without the other. */
const halfCharacter = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

const sentence = 'The lamp was lit by hand each evening before the ships came in. ';
const chinese =
  '灯塔建于一九五四年，位于港口的北侧。它的光可以照到很远的海面上！船长们都认识它吗？';
const japanese =
  'この灯台は港の北側にあります。光は遠くの海まで届きます。「とても明るい。」と船長は言いました。';
const thai = 'ประภาคารแห่งนี้สร้างขึ้นใกล้กับท่าเรือและมองเห็นได้จากระยะไกลในเวลากลางคืน';

/** Texts of many shapes: of scripts with and without spaces, and of what breaks parsers. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          sentence,
          chinese,
          japanese,
          thai,
          '\n',
          '\n\n',
          '\r\n',
          '  \n \n',
          '# Heading\n',
          '- item\n',
        ],
        ...[
          'Short line\n',
          ' ',
          '. ',
          '." ',
          '。」',
          '\u{1F469}\u200D\u{1F467}',
          'e\u0301',
          '\ud800',
          '\u00a0',
        ],
        ...[
          'x'.repeat(700),
          '. '.repeat(90),
          '\n'.repeat(50),
          '#'.repeat(100),
          'Dr. J. Smith said 3.5. ',
        ],
      ),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

describe('the passages of a text', () => {
  it('are the whole text, in order, with nothing lost or twice', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const spans = [...splitText(text)];
        expect(spans.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
        for (const { start, end } of spans) expect(end).toBeGreaterThan(start);
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('have at most about 250 tokens, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const part of partsOf(text))
          expect(estimateTokens(part.replace(/[^\x21-\x7e\u3000-\u9fff]+/g, ' '))).toBeLessThan(
            700,
          );
        for (const part of partsOf(text)) expect(part.trim().length).toBeLessThanOrEqual(1_100);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('never begin within a character', () => {
    for (const text of ['\u{1F600}'.repeat(5_000), `x${'\u{20000}'.repeat(3_000)}`])
      for (const part of partsOf(text)) expect(part).not.toMatch(halfCharacter);
  });

  it('end with paragraphs where these are long enough, else with sentences', () => {
    const paragraphs = Array.from({ length: 6 }, (_, n) => `Paragraph ${n}. ${sentence.repeat(5)}`);
    expect(partsOf(paragraphs.join('\n\n')).map((part) => part.trim())).toEqual(
      paragraphs.map((part) => part.trim()),
    );
    for (const part of partsOf(sentence.repeat(200))) expect(part).toMatch(/^The .* in\. $/s);
    for (const part of partsOf(`He said: "${sentence.trim()}" `.repeat(90)))
      expect(part).toMatch(/^He .*" $/s);
    for (const part of partsOf(chinese.repeat(50))) expect(part).toMatch(/[。！？]$/);
    for (const part of partsOf(japanese.repeat(50))) expect(part).toMatch(/[。」]$/);
  });

  it('end between words in scripts without spaces and without marks', () => {
    const words = new Intl.Segmenter('th', { granularity: 'word' });
    const text = thai.repeat(40);
    const bounds = new Set([...words.segment(text)].map(({ index }) => index));
    const ends = [...splitText(text)].map(({ end }) => end);
    expect(ends.length).toBeGreaterThan(5);
    for (const end of ends.slice(0, -1)) expect(bounds).toContain(end);
  });

  it('do not end after an initial or within a number', () => {
    const name = 'It was J. R. Smith who paid 3.50 for the lamps of the old harbour then. ';
    for (const part of partsOf(name.repeat(60))) expect(part).toMatch(/^It .* then\. $/s);
  });

  it('keep headings with what follows', () => {
    const chapter = (n: number) => `## Chapter ${n}\n\n${sentence.repeat(4)}\n\n`;
    const parts = partsOf([1, 2, 3, 4].map(chapter).join(''));
    expect(parts.map((part) => part.slice(0, 12))).toEqual(
      [1, 2, 3, 4].map((n) => `## Chapter ${n}`),
    );
  });

  it('take no longer for hostile texts than for others', () => {
    const million = (part: string) => part.repeat(Math.ceil(1_000_000 / part.length));
    const texts = [
      ' ',
      '\n',
      '\n ',
      '. ',
      '."',
      '"',
      'x',
      thai,
      '。',
      '\ud83d\ude00',
      '# A\n',
      '>\n',
      'a.b',
    ];
    for (const text of texts) expect(partsOf(million(text)).join('')).toBe(million(text));
  });
});

const bestOf = (question: string, texts: readonly string[]): string => {
  const scored = atOnce(
    scorePassages(
      question,
      texts.map((text) => ({ title: '', text })),
    ),
  );
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  return texts[best.source]!;
};

describe('the best passage', () => {
  const others = [
    'Bread is baked from flour and water in an oven.',
    'The football club won the cup in spring.',
    'Prices of houses rose again last year.',
  ];
  it.each([
    ['When were the reactors shut down?', 'The reactor was shut down after the storm.'],
    ['wer hat das Café eröffnet', 'Das CAFE wurde von Maria Huber eröffnet.'],
    ['Où est né Émile Zola ?', 'EMILE ZOLA est né à Paris.'],
    ['когда построен маяк', 'Маяк был построен в 1954 году.'],
    ['灯塔是什么时候建的', '灯塔建于一九五四年，在港口北侧。'],
    ['灯台はどこにありますか', 'この灯台は港の北側にあります。'],
    ['등대는 언제 지어졌나', '이 등대는 1954년에 지어졌다.'],
    ['ประภาคารสร้างเมื่อไร', 'ประภาคารแห่งนี้สร้างขึ้นในปี 2497'],
    ['متى بنيت المنارة', 'المنارة القديمة بنيت عام 1954'],
    ['猫', '那只猫坐在窗台上。'],
    ['ＡＰＩ　ｖ２ limits', 'The API v2 allows sixty calls a minute.'],
    ['What is error E4021?', 'Error E4021 means that the lamp is dirty.'],
  ])('for %j is found', (question, answer) => {
    expect(bestOf(question, [others[0]!, others[1]!, answer, others[2]!])).toBe(answer);
  });

  it('is the one with the rare words, not with those that are everywhere', () => {
    const texts = [
      'What is the name of the thing that is in the house of the man?',
      'Everyone knows what the answer to the question of the day is.',
      'Pharos: built under Ptolemy.',
      'The one and the other are what they are.',
    ];
    expect(bestOf('What is the thing that Ptolemy built?', texts)).toBe(texts[2]);
  });

  it('is the first one where the question fits none', () => {
    expect(bestOf('zzz', others)).toBe(others[0]);
    expect(bestOf('', others)).toBe(others[0]);
  });

  it('gains by the title of its text', () => {
    const texts = [
      { title: 'Bridges of Ulm', text: 'It was opened in 1912 by the mayor.' },
      { title: 'The lighthouse of Rügen', text: 'It was opened in 1912 by the mayor of Putbus.' },
    ];
    const scored = atOnce(scorePassages('When was the lighthouse of Rügen opened?', texts));
    expect(scored[1]!.score).toBeGreaterThan(scored[0]!.score);
  });
});

describe('packed passages', () => {
  const page = (about: string, paragraphs: number) => ({
    title: about,
    text: Array.from(
      { length: paragraphs },
      (_, n) => `Part ${n} of what is known about ${about}. ${sentence.repeat(4)}`,
    ).join('\n\n'),
  });

  it('never take more tokens than allowed, are in order, and are what is there', () => {
    const texts = fc.array(fc.record({ title: fc.string(), text: anyText }), { maxLength: 6 });
    const limits = fc.record({
      maxTokens: fc.integer({ min: 0, max: 3_000 }),
      tokensPerText: fc.integer({ min: 0, max: 50 }),
      minShare: fc.constantFrom(0, 0.1),
    });
    fc.assert(
      fc.property(fc.string(), texts, limits, (question, given, limit) => {
        const packed = atOnce(packPassages(question, given, limit));
        let tokens = 0;
        for (const { source, passages } of packed) {
          tokens += limit.tokensPerText;
          let last = 0;
          for (const text of passages) {
            const start = given[source]!.text.indexOf(text, last);
            expect(text.trim()).toBe(text);
            expect(start).toBeGreaterThanOrEqual(last);
            last = start + text.length;
            tokens += estimateTokens(text);
          }
        }
        expect(tokens).toBeLessThanOrEqual(limit.maxTokens);
        expect(new Set(packed.map(({ source }) => source)).size).toBe(packed.length);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('are all that is there where there is room', () => {
    const texts = [page('lamps', 5), page('ships', 3)];
    const packed = atOnce(packPassages('lamps', texts, { maxTokens: 100_000, minShare: 0 }));
    expect(packed.map(({ source }) => source)).toEqual([0, 1]);
    for (const { source, passages } of packed) {
      expect(passages).toEqual([texts[source]!.text.trim()]);
    }
  });

  it('leave out what is far from the question, unless the room is to be filled', () => {
    const texts = [page('lamps', 5), page('ships', 3)];
    const packed = atOnce(packPassages('tell me of lamps', texts, { maxTokens: 100_000 }));
    expect(packed.map(({ source }) => source)).toEqual([0]);
  });

  it('of one text stay in its order, whichever is best; neighbours are one', () => {
    const parts = ['wicks', 'sails', 'oil', 'oil for lamps'].map(
      (about, n) => `Chapter ${n} tells of ${about}. ${sentence.replace('lamp', 'fire').repeat(4)}`,
    );
    parts.splice(1, 0, ...Array.from({ length: 3 }, (_, n) => `${n} ${sentence.repeat(5)}`));
    const texts = [{ title: '', text: parts.join('\n\n') }];
    const [packed] = atOnce(packPassages('wicks and oil for lamps', texts, { maxTokens: 240 }));
    expect(packed!.passages).toEqual([parts[0]!.trim(), parts.slice(5).join('\n\n').trim()]);
  });

  it('come from several pages, not all from one', () => {
    const texts = [page('oil lamps and more oil lamps', 40), page('oil lamps', 3), page('oil', 3)];
    const packed = atOnce(packPassages('oil lamps', texts, { maxTokens: 2_000 }));
    expect(packed.length).toBeGreaterThan(1);
  });

  it('have no passage twice', () => {
    const same = page('lamps', 6);
    const texts = [same, { ...same, text: same.text.toUpperCase() }, page('more lamps', 2)];
    const packed = atOnce(packPassages('lamps', texts, { maxTokens: 100_000, minShare: 0 }));
    expect(packed.map(({ source }) => source)).toEqual([0, 2]);
  });
});
