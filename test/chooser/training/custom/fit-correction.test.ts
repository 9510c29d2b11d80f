import { expect, it } from 'vitest';
import type { CustomRows } from '../../../../src/chooser/training/custom/custom-rows.js';
import { fitOffsets, fitSlopes } from '../../../../src/chooser/training/custom/fit-correction.js';
import { seeded } from '../../../../src/chooser/training/custom/bootstrap.js';

const count = 40_000;

/**
 * Rows of one coordinate that varies only in every other row; the higher it is, the better the
 * model does.
 */
function turns(): CustomRows {
  const random = seeded(7);
  const points = Float32Array.from({ length: count }, (_, row) =>
    row % 2 ? (random() - 0.5) * 6 : 0,
  );
  const scores = Float32Array.from(points, (point) =>
    random() < 1 / (1 + Math.exp(-point)) ? 1 : 0,
  );
  const known = Float32Array.of(0.5);
  return {
    models: ['a'],
    count,
    width: 1,
    points,
    mean: new Float32Array(1),
    scale: Float32Array.of(1),
    odds: new Float32Array(count),
    earlierOdds: null,
    scores,
    costs: null,
    expectedCosts: new Float32Array(count),
    groups: Int32Array.from(points, (_, row) => row),
    known,
  };
}

it('alternating rows are fitted like rows in any other order', () => {
  const rows = turns();
  const all = Int32Array.from({ length: count }, (_, row) => row);
  const { slopes } = fitSlopes(rows, all, 1, 30, fitOffsets(rows, all, 1));
  expect(slopes[0]).toBeGreaterThan(0.9);
  expect(slopes[0]).toBeLessThan(1.1);
});
