import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestedLength } from '../../../src/routing/answer-length/requested-length.js';

const tokens = (text: string): number | undefined => requestedLength(text)?.tokens;

describe('the length that a request states', () => {
  it.each([
    ['English', 'Write a story of 1,500 words about a lighthouse.', 1800, 2200],
    ['English, as an adjective', 'a 500-word essay on love', 600, 750],
    ['a range', 'between 300 and 400 words on taxes, please write', 420, 520],
    ['a range with a dash', '300-400 words about taxes', 420, 520],
    ['in words', 'Write three short paragraphs about cats.', 250, 450],
    ['points', 'Give me 10 bullet points on tides', 200, 400],
    ['pages', 'Write 2 pages about the war', 1000, 1500],
    ['parts of a page', 'Write a 1.5 page memo', 750, 1100],
    ['so many words in each part', 'Write 5 paragraphs of 100 words each', 600, 750],
    ['German', 'Schreibe einen Aufsatz mit 1.500 Wörtern.', 2400, 3000],
    ['German sentences', 'Fasse es in drei Sätzen zusammen', 70, 130],
    ['French', 'Écris 1 500 mots sur la mer', 2000, 2500],
    ['Spanish', 'Escribe una historia de 800 palabras', 1000, 1400],
    ['Portuguese', 'Resuma em 3 frases', 60, 120],
    ['Italian', 'Scrivi un tema di 600 parole', 800, 1000],
    ['Dutch', 'Schrijf een verhaal van 400 woorden', 500, 700],
    ['Polish', 'Napisz esej na 300 słów', 550, 750],
    ['Russian', 'Напиши рассказ на 1000 слов', 1900, 2500],
    ['Turkish', '2 paragrafta açıkla, en fazla 300 kelime', 400, 700],
    ['Arabic', 'اكتب مقالا من 500 كلمة', 850, 1150],
    ['Arabic digits', 'اكتب مقالا من ٥٠٠ كلمة', 850, 1150],
    ['Hindi', '500 शब्दों में निबंध लिखें', 850, 1150],
    ['Chinese', '请写一篇800字的文章', 550, 750],
    ['Chinese numerals', '写一篇五百字的文章', 350, 450],
    ['Chinese sentences', '用三句话总结', 50, 110],
    ['Japanese', '500字以内で説明してください', 250, 400],
    ['Korean', '500자 이내로 써 주세요', 250, 400],
    ['Korean numerals', '세 문장으로 요약해줘', 50, 110],
  ])('is read in %s', (_, text, least, most) => {
    expect(tokens(text)).toBeGreaterThan(least);
    expect(tokens(text)).toBeLessThan(most);
  });

  it('is about a sentence for "in one sentence"', () => {
    expect(tokens('Explain gravity in one sentence.')).toBeCloseTo(25, -1);
  });

  it('is what a limit leaves room for', () => {
    expect(requestedLength('Summarise this, max. 200 characters')).toMatchObject({ bound: 'most' });
    expect(tokens('Summarise this, max. 200 characters')).toBeLessThan(200 / 4.4);
    expect(requestedLength('Write at least 300 words')).toMatchObject({ bound: 'least' });
    expect(tokens('Write no more than 300 words')).toBeLessThan(
      tokens('Write at least 300 words')!,
    );
  });

  it.each([
    'What is the capital of France?',
    'How many characters are in strawberry?',
    'A book has 300 pages and each page has 250 words. How many words does it have?',
    'In 1945 the war ended.',
    '',
  ])('is not found in "%s"', (text) => {
    expect(requestedLength(text)).toBeNull();
  });

  it('is not that of the text that is given', () => {
    expect(tokens('Summarize the following 2000-word article in 3 sentences.')).toBeLessThan(120);
    const report = `${'The committee met on a Tuesday. '.repeat(60)} It wrote a paper with 9,000 words. ${'Nobody read it. '.repeat(60)}`;
    expect(requestedLength(`${report}\nWho met?`)).toBeNull();
  });

  it('is finite and within bounds for any text', () => {
    const words = fc.constantFrom(
      'words',
      '字',
      'pages',
      'write',
      'max',
      '9',
      '-',
      ',',
      'each',
      'a',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(words, { maxLength: 60 }).map((parts) => parts.join(' ')),
      fc.array(words, { maxLength: 60 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const found = requestedLength(text);
        if (found === null) return;
        expect(found.tokens).toBeGreaterThanOrEqual(1);
        expect(found.tokens).toBeLessThanOrEqual(100_000);
      }),
    );
  });

  it.each(['1 ', '10 words ', '1,', 'write 5 ', '五', '한 ', 'a-', '9'])(
    'takes no time that grows with the square of the text, for %j repeated',
    (piece) => {
      const text = piece.repeat(2_000_000 / piece.length);
      const startedAt = performance.now();
      for (let round = 0; round < 20; round++) requestedLength(text);
      expect(performance.now() - startedAt).toBeLessThan(10_000);
    },
  );
});
