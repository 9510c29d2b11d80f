import { describe, expect, it } from 'vitest';
import { paraphrases } from '../paraphrase.js';

const question =
  'Which of the following rivers is big, and which is near?\nA. the Alder\nB. the Brook\nC. the Clear';
const code = 'def f(List, b):\n    Total = {1: 2}; return List[b]';

describe('paraphrases', () => {
  it('change a question, always in the same way', () => {
    for (const say of Object.values(paraphrases)) {
      expect(say(question)).not.toBe(question);
      expect(say(question)).toBe(say(question));
    }
  });

  it('reverse the options under the same letters', () => {
    expect(paraphrases['reversed options']!(question)).toContain(
      'A. the Clear\nB. the Brook\nC. the Alder',
    );
  });

  it('replace words and keep capitals', () => {
    expect(paraphrases['synonyms']!(question)).toContain(
      'What of the below rivers is large, and what is close to?',
    );
  });

  it('leave code and formulas as they are', () => {
    for (const kind of ['case', 'punctuation', 'synonyms', 'reversed options'])
      expect(paraphrases[kind]!(code)).toBe(code);
    expect(paraphrases['polite frame']!(code)).toContain(code);
    expect(paraphrases['all but case']!(`Explain it, please.\n${code}`)).toContain(code);
  });

  it('leave a text unchanged if nothing applies', () => {
    expect(paraphrases['reversed options']!('no options here')).toBe('no options here');
    expect(paraphrases['synonyms']!('constructor')).toBe('constructor');
  });
});
