import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutCourtesy } from '../../../../src/chooser/predictor/features/courtesy.js';
import { featuresOf } from '../../../../src/chooser/predictor/features/features.js';

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
    '你好',
    'x',
  ])('stays where it may be what is asked about: %s', (text) => {
    expect(text).toContain(withoutCourtesy(text));
    expect(withoutCourtesy(text)).not.toBe('');
  });

  it.each(['hi', 'Hello there!', 'Can you help me with this, please?', 'Thank you so much!!'])(
    'is all of some requests, which are then read as they are: %s',
    (text) => {
      expect(withoutCourtesy(text)).toBe('');
      expect(featuresOf({ messages: [{ role: 'user', content: text }] }).isCourtesy).toBe(true);
    },
  );

  it('is not all of a request with a picture', () => {
    const content = [
      { type: 'text', text: 'Can you help me with this, please?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ];
    expect(featuresOf({ messages: [{ role: 'user', content }] }).isCourtesy).toBe(false);
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
