import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutCourtesy } from '../../../../src/chooser/predictor/features/courtesy.js';
import {
  denseNames,
  type Features,
  featuresOf,
} from '../../../../src/chooser/predictor/features/features.js';
import { shippedOutlook } from '../../../../src/chooser/outlook/shipped-outlook.js';

const question = 'Which gas do plants take in?';
const readAs = (content: string): number[] =>
  Array.from(featuresOf({ messages: [{ role: 'user', content }] }).dense);

describe('courtesy around a request', () => {
  it.each([
    (text: string) =>
      `Hello! Could you please help me with this?\n\n${text}\n\nThank you very much.`,
    (text: string) => `Hey, I hope you're doing well. I have a quick question: ${text} Thanks!`,
    (text: string) => `Hallo, kannst du mir bitte dabei helfen?\n${text}\nVielen Dank im Voraus!`,
    (text: string) => `Hola, ¿podrías ayudarme con esto? ${text} Muchas gracias.`,
    (text: string) => `Bonjour ! ${text} Merci beaucoup d'avance`,
    (text: string) => `Please: ${text}`,
    (text: string) => `Answer: ${text}`,
    (text: string) => `${text}\nAnswer:`,
    (text: string) => `Dzień dobry! ${text}\nOdpowiedź:`,
    (text: string) => `こんにちは。${text}\nありがとうございます。`,
    (text: string) => `नमस्ते! ${text}\nबहुत धन्यवाद।`,
  ])('is left out: %s', (polite) => {
    expect(withoutCourtesy(polite(question))).toBe(question);
    expect(readAs(polite(question))).toEqual(readAs(question));
  });

  it.each([
    question,
    'Translate into French: Thank you very much.',
    'What does "thanks a lot" mean?',
    'Hi! Prove it.\nHello',
    'Help me write a poem about the sea',
    'Hi! Can you help me with 12 * 37, please?',
    'Please help me with this: ∫∑',
    ' \n\n 7 \n',
    '把你好翻译成英文',
    'x',
  ])('stays where it may be what is asked about: %s', (text) => {
    expect(text).toContain(withoutCourtesy(text));
    expect(withoutCourtesy(text)).not.toBe('');
  });

  it.each([
    'hi',
    'Hello there!',
    'Can you help me with this, please?',
    'Thank you so much!!',
    '你好',
    'नमस्ते!',
    'Dziękuję bardzo.',
  ])('is all of some requests, which are then read as they are: %s', (text) => {
    expect(withoutCourtesy(text)).toBe('');
    expect(featuresOf({ messages: [{ role: 'user', content: text }] }).isCourtesy).toBe(true);
  });

  it('is not all of a request with a picture', () => {
    const content = [
      { type: 'text', text: 'Can you help me with this, please?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ];
    expect(featuresOf({ messages: [{ role: 'user', content }] }).isCourtesy).toBe(false);
  });

  it('leaves a mark at the end of what is asked as it is', () => {
    expect(withoutCourtesy('Is it „gut“?\nAnswer:')).toBe('Is it „gut“?');
    expect(withoutCourtesy('Translate to German:\nThank you.')).toContain('Thank you.');
  });

  it('takes bounded work away from any text, and nothing from its middle', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const left = withoutCourtesy(text);
        expect(text).toContain(left);
        expect(text.length - left.length).toBeLessThanOrEqual(left === '' ? text.length : 700);
      }),
    );
  });
});

describe('harmless wording', () => {
  const words = fc.array(
    fc.constantFrom(
      'Which',
      'gas',
      'do',
      'plants',
      'take',
      'in,',
      '12',
      'x^2',
      '植物',
      'दिन',
      'b)',
    ),
    { minLength: 2, maxLength: 12 },
  );
  const blanks = fc.constantFrom(' ', '  ', '\t', '   ', '\u00a0 ');
  const marks = fc.constantFrom('', '.', '?', '!', '。', '？', '।', '...', ' ?');
  const asks = denseNames.indexOf('endsAsking');
  const features = (content: string): Features => {
    const read = featuresOf({ messages: [{ role: 'user', content }] });
    read.dense[asks] = 0;
    return read;
  };

  it('is not read: white space between words and at the ends, and the mark at the end', () => {
    fc.assert(
      fc.property(words, blanks, blanks, marks, (written, between, around, mark) => {
        const plain = written.join(' ');
        expect(features(`${around}${written.join(between)}${mark}${around}`)).toEqual(
          features(plain),
        );
      }),
    );
  });

  it('of a short turn is not read either, where the turn before it belongs to it', () => {
    const about = 'Plan a walk near the harbour for a family with a pram.';
    const asked = (content: string): Features =>
      featuresOf({
        messages: [
          { role: 'user', content: about },
          { role: 'assistant', content: 'The lighthouse path takes forty minutes.' },
          { role: 'user', content },
        ],
      });
    expect(asked(' Hello!  and with a dog ')).toEqual(asked('and with a dog.'));
  });

  it('does not change by a hair what is expected of a request', () => {
    const expected = (content: string): unknown =>
      shippedOutlook().read(featuresOf({ messages: [{ role: 'user', content }] }));
    for (const other of [
      'Which gas do plants take in',
      ' Which gas do  plants take in?!\n',
      'which gas do PLANTS take in?',
      'Hello! Which gas do plants take in?\nAnswer:',
    ])
      expect(expected(other)).toEqual(expected(question));
  });
});
