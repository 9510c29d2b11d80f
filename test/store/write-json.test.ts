import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeJson } from '../../src/store/write-json.js';
import { runs } from '../helpers/runs.js';

const figure = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.double({ min: -3e6, max: 3e6, noNaN: true }).map((value) => Math.round(value * 1e9) / 1e9),
  fc.integer({ min: -1e9, max: 1e9 }).map((value) => value / 1e9),
  fc.constantFrom(0, -0, 0.1, 1e-9, 1e-7, 123_456, 999_999.999999999, 2e6, 1e21, Infinity),
);
const value = fc.oneof(
  figure,
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\n', 'é', 'ÿ', 'Ā', '\ud800', '\0', null, true, false, undefined),
  fc.dictionary(fc.string(), fc.oneof(figure, fc.string()), { maxKeys: 3 }),
);

describe('a list that is written as JSON', () => {
  it('is read as what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(value, fc.array(value))), (list) => {
        expect(JSON.parse(writeJson(list))).toEqual(JSON.parse(JSON.stringify(list)));
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('has the digits that JSON.stringify writes', () => {
    const list = [0.848024074, 3.5, 0.003544009, 1562, -12.25, 0.1, 100, 0.000001, 1999999.5];
    expect(writeJson(list)).toBe(JSON.stringify(list));
  });

  it('may be of any length', () => {
    const list = Array.from({ length: 9_000 }, (_, at) => [`name ${at}`, at / 1e3, [at]]);
    expect(writeJson(list)).toBe(JSON.stringify(list));
    const long = ['x'.repeat(70_000), 'y'.repeat(65_530), 1];
    expect(writeJson(long)).toBe(JSON.stringify(long));
  });
});
