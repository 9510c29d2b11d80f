import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerChunks } from '../../src/providers/answer-chunks.js';

const sink = { text: () => undefined, chunk: () => undefined, end: () => undefined };
const inAscii = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const inBytes = (text: string): string =>
  Buffer.from(JSON.stringify(text).slice(1, -1)).toString('latin1');

describe('an answer that is translated', () => {
  it('counts the UTF-16 units of its text, however a provider escapes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const escape of [inAscii, inBytes]) {
          const chunks = new AnswerChunks(sink, 'id', 'm');
          chunks.escapedText(escape(text));
          expect(chunks.textLength).toBe(text.length);
        }
      }),
    );
  });
});
