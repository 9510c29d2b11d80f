import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyPieces } from '../../src/async/body-pieces.js';
import { readBounded } from '../../src/async/read-answer.js';
import { runs } from '../helpers/runs.js';

const collected = (pieces: readonly Buffer[]): readonly Buffer[] => {
  const body = new BodyPieces();
  for (const piece of pieces) body.add(piece);
  return body.list;
};
const singleBytes = (body: Buffer): Buffer[] =>
  Array.from(body, (_byte, at) => body.subarray(at, at + 1));

describe('the pieces of a body', () => {
  it('are joined where they are single bytes, each of which would take as much as a hundred', () => {
    const body = randomBytes(100_000);
    const pieces = collected(singleBytes(body));
    expect(pieces.length).toBeLessThan(1_000);
    expect(Buffer.concat(pieces).equals(body)).toBe(true);
  });

  it('are neither copied nor joined where they are large', () => {
    const large = Array.from({ length: 300 }, () => Buffer.alloc(1_024));
    expect(collected(large).every((piece, index) => piece === large[index])).toBe(true);
    expect(collected(large)).toHaveLength(300);
  });

  it('are the same bytes, whatever their sizes', () => {
    const sizes = fc.array(fc.oneof(fc.nat(3), fc.nat(3_000)), { maxLength: 600 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const pieces = lengths.map((length) => randomBytes(length));
        expect(Buffer.concat(collected(pieces)).equals(Buffer.concat(pieces))).toBe(true);
      }),
      { numRuns: runs(100) },
    );
  });

  it('of an answer make the same text', async () => {
    const text = 'Grüße '.repeat(200);
    async function* sent() {
      for (const byte of singleBytes(Buffer.from(text))) yield await Promise.resolve(byte);
    }
    expect(await readBounded(sent(), 10_000)).toEqual({ text, isCut: false });
    expect(await readBounded(sent(), 3)).toEqual({ text: 'Gr�', isCut: true });
  });
});
