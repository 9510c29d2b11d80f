import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWords } from '../../../src/chooser/answer-length/request-words.js';
import { statedLength } from '../../../src/chooser/answer-length/stated-length.js';

const lengthOf = (text: string) => statedLength(readWords(text), text);

const tokens = (text: string): number | undefined => lengthOf(text)?.tokens;

describe('the length that a request states', () => {
  it.each([
    ['English', 'Write a story of 1,500 words about a lighthouse.', 1800, 2200],
    ['English, as an adjective', 'a 500-word essay on love', 600, 750],
    ['a range with a dash', '300-400 words about taxes', 420, 520],
    ['points', 'Give me 10 bullet points on tides', 200, 400],
    ['pages', 'Write 2 pages about the war', 1000, 1500],
    ['parts of a page', 'Write a 1.5 page memo', 750, 1100],
    ['German', 'Schreibe einen Aufsatz mit 1.500 Wörtern.', 2400, 3000],
    ['French', 'Écris 1 500 mots sur la mer', 2000, 2500],
    ['Spanish', 'Escribe una historia de 800 palabras', 1000, 1400],
    ['Portuguese', 'Resuma em 3 frases', 60, 120],
    ['Italian', 'Scrivi un tema di 600 parole', 800, 1000],
    ['Dutch', 'Schrijf een verhaal van 400 woorden', 500, 700],
    ['Polish', 'Napisz esej na 300 słów', 550, 750],
    ['Russian', 'Напиши рассказ на 1000 слов', 1900, 2500],
    ['Turkish', 'En fazla 300 kelime ile açıkla', 400, 700],
    ['Arabic', 'اكتب مقالا من 500 كلمة', 850, 1150],
    ['Arabic digits', 'اكتب مقالا من ٥٠٠ كلمة', 850, 1150],
    ['Hindi', '500 शब्दों में निबंध लिखें', 850, 1150],
    ['Chinese', '请写一篇800字的文章', 550, 750],
    ['Japanese', '500字以内で説明してください', 250, 400],
    ['Korean', '500자 이내로 써 주세요', 250, 400],
  ])('is read in %s', (_, text, least, most) => {
    expect(tokens(text)).toBeGreaterThan(least);
    expect(tokens(text)).toBeLessThan(most);
  });

  it.each([
    ['2k', 'Write a 2k word essay', 'Write a 2,000 word essay'],
    ['2K with a hyphen', 'Write a 2K-word essay', 'Write a 2,000-word essay'],
    ['1.5k', 'Write a 1.5k-word essay', 'Write a 1,500-word essay'],
    ['a bare form', 'a 10k word thesis chapter', 'a 10,000 word thesis chapter'],
    ['German k', 'Schreibe 2k Wörter', 'Schreibe 2000 Wörter'],
    ['German decimals', 'Schreibe 1,5 Seiten', 'Schreibe 1.5 Seiten'],
    ['Chinese digits and a sign', '写一篇2千字的文章', '写一篇2000字的文章'],
    ['Chinese ten thousands', '写1.5万字', '写15000字'],
    ['Korean digits and a sign', '2천 자로 써 줘', '2000자로 써 줘'],
  ])('reads thousands that a sign stands for: %s', (_, short, inDigits) => {
    expect(tokens(inDigits)).toBeDefined();
    expect(tokens(short)).toBeCloseTo(tokens(inDigits)!);
  });

  it.each([
    ['to', 'Expand this to 1,500 words: bees are nice.', 'Write 1,500 words'],
    ['to about', 'Expand this to about 1,500 words: bees are nice.', 'Write 1,500 words'],
    ['another', 'Continue the story for another 3,000 words.', 'Write 3,000 words'],
    ['to, of a longer text', 'Shorten the 2,000-word article to 500 words.', 'Write 500 words'],
    ['a German wish', 'Kürze den 2000 Wörter langen Text auf 500 Wörter.', 'Schreibe 500 Wörter'],
    ['a Spanish wish', 'Amplía este texto a 1500 palabras', 'Escribe 1500 palabras'],
    ['a word-by-word limit', 'Write 1,500 words, sentences under 20 words', 'Write 1,500 words'],
    ['a limit of its title', 'Write 1,500 words with a title under 9 words', 'Write 1,500 words'],
  ])('is what a text is to become: %s', (_, text, plain) => {
    expect(lengthOf(text)).toEqual(lengthOf(plain));
  });

  it('is the smaller one of a length and a limit that contradict each other', () => {
    const text = 'Write 1,500 words about bees, but keep it under 200 words';
    expect(tokens(text)).toBeLessThan(200 * 1.33);
    expect(tokens('Write 150 words about bees, at most 800 words')).toBeCloseTo(150 * 1.33);
    expect(tokens('Write 1,500 words in at most 5 paragraphs')).toBeCloseTo(1500 * 1.33);
  });

  it.each([
    ['most', 'Write at most 300 words'],
    ['most', 'Write no more than 300 words'],
    ['most', 'Write 300 words or less'],
    ['most', 'Write up to 300 words'],
    ['most', 'Keep it under 300 words'],
    ['most', 'Write no longer than 300 words'],
    ['most', 'Schreibe nicht mehr als 300 Wörter'],
    ['most', 'Schreibe bis zu 300 Wörter'],
    ['most', "Écris jusqu'à 300 mots"],
    ['most', 'Escribe hasta 300 palabras'],
    ['most', 'Escreva até 300 palavras'],
    ['most', 'Scrivi fino a 300 parole'],
    ['most', 'Schrijf hoogstens 300 woorden'],
    ['most', 'Napisz nie więcej niż 300 słów'],
    ['most', 'Напиши не более 300 слов'],
    ['most', 'En fazla 300 kelime yaz'],
    ['most', '300 शब्दों से कम में लिखें'],
    ['most', 'اكتب بحد أقصى 300 كلمة'],
    ['most', '写文章，不超过300字'],
    ['most', '300字以内で書いて'],
    ['most', '300자 이내로 써 줘'],
    ['least', 'Write at least 300 words'],
    ['least', 'Write no less than 300 words'],
    ['least', 'Write 300 words or more'],
    ['least', 'Schreibe mindestens 300 Wörter'],
    ['least', 'Schreibe nicht weniger als 300 Wörter'],
    ['least', 'Écris au moins 300 mots'],
    ['least', 'Escribe al menos 300 palabras'],
    ['least', 'Escreva pelo menos 300 palavras'],
    ['least', 'Scrivi almeno 300 parole'],
    ['least', 'Напиши не менее 300 слов'],
    ['least', 'En az 300 kelime yaz'],
    ['least', 'कम से कम 300 शब्द लिखें'],
    ['about', 'Write more about bees in 300 words'],
    ['about', 'Write the most important facts in 300 words'],
  ])('is bound as the words around it say: %s, "%s"', (bound, text) => {
    expect(lengthOf(text)).toMatchObject({ bound });
  });

  it('is about a sentence for "in one sentence"', () => {
    expect(tokens('Explain gravity in one sentence.')).toBeCloseTo(25, -1);
  });

  it('is what a limit leaves room for', () => {
    expect(lengthOf('Summarise this, max. 200 characters')).toMatchObject({ bound: 'most' });
    expect(tokens('Summarise this, max. 200 characters')).toBeLessThan(200 / 4.4);
    expect(lengthOf('Write at least 300 words')).toMatchObject({ bound: 'least' });
    expect(tokens('Write no more than 300 words')).toBeLessThan(
      tokens('Write at least 300 words')!,
    );
  });

  it.each([
    'What is the capital of France?',
    'How many characters are in strawberry?',
    'A book has 300 pages and each page has 250 words. How many words does it have?',
    'In 1945 the war ended.',
    '천자문에 대해 설명해줘',
    'Explain the Thousand Character Classic.',
    'Write short sentences, each under 20 words.',
    'Write 5 thousand words',
    'Write two thousand words',
    '',
  ])('is not found in "%s"', (text) => {
    expect(lengthOf(text)).toBeNull();
  });

  it('is not that of the text that is given', () => {
    expect(tokens('Summarize the following 2000-word article in 3 sentences.')).toBeLessThan(120);
    expect(tokens('Summarize the 2000-word article in 3 sentences.')).toBeLessThan(120);
    expect(tokens('Summarize a 2000-word article in 3 sentences.')).toBeLessThan(120);
    const report = `${'The committee met on a Tuesday. '.repeat(60)} It wrote a paper with 9,000 words. ${'Nobody read it. '.repeat(60)}`;
    expect(lengthOf(`${report}\nWho met?`)).toBeNull();
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
        const found = lengthOf(text);
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
      for (let round = 0; round < 20; round++) lengthOf(text);
      expect(performance.now() - startedAt).toBeLessThan(10_000);
    },
  );
});
