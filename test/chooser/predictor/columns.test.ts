import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addRows, sumOfNumbers, sumOfRows } from '../../../src/chooser/predictor/columns.js';

const matrices = fc.integer({ min: 1, max: 21 }).chain((width) =>
  fc.record({
    width: fc.constant(width),
    numbers: fc
      .array(fc.integer({ min: -127, max: 127 }), { minLength: width, maxLength: width * 9 })
      .map((all) => Int8Array.from(all.slice(0, all.length - (all.length % width)))),
    picks: fc.array(
      fc.record({ row: fc.nat(), amount: fc.float({ min: -1, max: 1, noNaN: true }) }),
      { maxLength: 30 },
    ),
  }),
);

describe('sums over the rows of a matrix', () => {
  it('equal the sums computed column by column, for any width', () => {
    fc.assert(
      fc.property(matrices, ({ width, numbers, picks }) => {
        const rows = Int32Array.from(picks, ({ row }) => row % (numbers.length / width)),
          amounts = Float32Array.from(picks, ({ amount }) => amount);
        const plain = Array.from({ length: width }, (_, column) =>
          rows.reduce((sum, row, at) => sum + amounts[at]! * numbers[row * width + column]!, 0),
        );
        const sums = sumOfRows(numbers, width, rows, amounts);
        plain.forEach((sum, column) => {
          const numbersOfColumn = numbers.filter((_, at) => at % width === column);
          expect(sums[column]).toBeCloseTo(sum, 6);
          expect(sumOfNumbers(numbersOfColumn, rows, amounts)).toBeCloseTo(sum, 6);
        });
      }),
    );
  });

  it('are added to the given sums', () => {
    fc.assert(
      fc.property(matrices, ({ width, numbers }) => {
        const amounts = Float64Array.from({ length: numbers.length / width }, (_, at) => at - 1.5),
          before = Float64Array.from({ length: width }, (_, at) => at);
        const plain = before.map((value, column) =>
          amounts.reduce(
            (sum, amount, row) => sum + amount * numbers[row * width + column]!,
            value,
          ),
        );
        expect([...addRows(Float32Array.from(numbers), amounts, before.slice())]).toEqual([
          ...plain,
        ]);
      }),
    );
  });
});
