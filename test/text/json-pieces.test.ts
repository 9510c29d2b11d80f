import { atOnce } from '../../src/async/turns.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutJson, parsePieces } from '../../src/text/json-pieces.js';
import { parseFields } from '../../src/text/exact-json.js';
import { runs } from '../helpers/runs.js';

const pause = (): Promise<void> => Promise.resolve();

/** As `parseFields`, in pieces where there are long lists. */
async function parse(text: string, bytes: number): Promise<unknown> {
  const pieces = atOnce(cutJson(Buffer.from(text), bytes));
  return pieces ? parsePieces(pieces, pause) : parseFields(text);
}

/** What came of it, to be compared. */
async function outcome(parsed: () => unknown): Promise<unknown> {
  try {
    return { value: await parsed() };
  } catch (error) {
    return { isSyntaxError: error instanceof SyntaxError };
  }
}

const values = fc.oneof(
  fc.dictionary(fc.string(), fc.array(fc.jsonValue(), { maxLength: 20 })),
  fc.jsonValue(),
);
const written = fc
  .tuple(values, fc.constantFrom(0, 1, 2))
  .map(([value, indent]) => JSON.stringify(value, null, indent));
const sizes = fc.integer({ min: 1, max: 40 });

describe('JSON in pieces', () => {
  it('is what it is as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(written, sizes, async (text, bytes) => {
        expect(await parse(text, bytes)).toEqual(parseFields(text));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('is JSON or not as it is as a whole, wherever it is changed', async () => {
    const signs = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', ' ', '1', 'null', '');
    await fc.assert(
      fc.asyncProperty(
        written,
        sizes,
        fc.nat(),
        fc.nat(3),
        signs,
        async (text, bytes, place, removed, sign) => {
          const at = place % (text.length + 1);
          const changed = text.slice(0, at) + sign + text.slice(at + removed);
          expect(await outcome(() => parse(changed, bytes))).toEqual(
            await outcome(() => parseFields(changed)),
          );
        },
      ),
      // a number of the outermost list that is too large
      { numRuns: runs(5_000), examples: [['[-1.3,3e+301,[0,null]]', 1, 0, 0, '']] },
    );
  });

  it.each([
    '{"a":[1,2,]}',
    '{"a":[,1,2]}',
    '{"a":[1,,2]}',
    '{"a":[1,2 3]}',
    '{"a":[1,2}',
    '{"a":[1,2}}',
    '{"a":[1,2},"b":[3,4]}',
    '{"a":[1,2]]}',
    '{"a":x[1,2]}',
    '{[1,2]}',
    '[1,2',
    '{"a":["1,2]}',
  ])('is refused where the whole is: %s', async (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    await expect(parse(text, 1)).rejects.toThrow(SyntaxError);
  });

  it('keeps the last of two fields, and fields of any name', async () => {
    const text = '{"a":[1,2],"b":"é","a":[3,4],"__proto__":[5,6],"constructor":[7,8]}';
    const parsed = (await parse(text, 1)) as object;
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });

  it('pauses between the pieces', async () => {
    let pauses = 0;
    const pieces = atOnce(cutJson(Buffer.from(JSON.stringify({ a: Array(100).fill('item') })), 70));
    await parsePieces(pieces!, () => {
      pauses++;
      return pause();
    });
    expect(pauses).toBe(10);
  });

  it.each(['{}', '{"a":"[1,2,3]"}', '{"a":{"b":[1,2,3]}}', '7', ''])(
    'has none where there is no long list: %j',
    (text) => {
      expect(atOnce(cutJson(Buffer.from(text), 1))).toBeNull();
    },
  );
});
