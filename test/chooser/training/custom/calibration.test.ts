import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeCalibration } from '../../../../src/chooser/training/custom/calibration.js';
import type { CustomRows } from '../../../../src/chooser/training/custom/custom-rows.js';
import { inUseAfter } from '../../../../src/chooser/training/custom/verdict.js';
import { runs } from '../../../helpers/runs.js';
import { seeded } from '../../../../src/chooser/training/custom/bootstrap.js';

const count = 60;
const models = ['a', 'b', 'c'];

/** Rows of random scores, some of them missing. */
function rowsOf(random: () => number): CustomRows {
  return {
    models,
    count,
    width: 0,
    points: new Float32Array(0),
    mean: new Float32Array(0),
    scale: new Float32Array(0),
    odds: new Float32Array(count * models.length),
    earlierOdds: null,
    scores: Float32Array.from({ length: count * models.length }, () =>
      random() < 0.1 ? NaN : Math.round(random()),
    ),
    costs: null,
    expectedCosts: new Float32Array(count * models.length).fill(NaN),
    groups: Int32Array.from({ length: count }, (_, row) => row >> 1),
    known: new Float32Array(models.length),
  };
}

const logLossOf = ({ scores }: CustomRows, predicted: Float32Array): number => {
  const rows = Array.from({ length: count }, (_, row) => {
    const losses = models.flatMap((_, model) => {
      const at = row * models.length + model;
      return Number.isNaN(scores[at]!)
        ? []
        : [-Math.log(scores[at] === 1 ? predicted[at]! : 1 - predicted[at]!)];
    });
    return losses.length === 0 ? [] : [losses.reduce((sum, one) => sum + one) / losses.length];
  }).flat();
  return rows.reduce((sum, one) => sum + one) / rows.length;
};

describe('the correction of levels', () => {
  it('is never kept if it does not lower the log loss of held-out prompts', () => {
    const kept: boolean[] = [];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.double({ min: 0.02, max: 0.98, noNaN: true }),
        fc.double({ min: 0.02, max: 0.98, noNaN: true }),
        (seed, one, other) => {
          const random = seeded(seed);
          const rows = rowsOf(random);
          const around = (level: number): Float32Array =>
            Float32Array.from(rows.scores, () => level + (random() - 0.5) * 0.03);
          const [router, offsets] = [around(one), around(other)];
          const calibration = judgeCalibration(rows, { router, offsets }, seed);
          const change = logLossOf(rows, offsets) - logLossOf(rows, router);
          expect(calibration.logLoss.change.value).toBeCloseTo(change, 8);
          const findings = {
            single: 'a',
            gain: { value: 0, low: 0, high: 0 },
            overShipped: { value: 0, low: 0, high: 0 },
            savings: null,
            unjudged: 'the evaluations have none',
            calibration,
          };
          const inUse = inUseAfter('no_use', findings, null);
          expect(inUse).toBe(change < 0 ? 'calibration' : null);
          kept.push(inUse === 'calibration');
        },
      ),
      { numRuns: runs(500), seed: 1 },
    );
    expect(new Set(kept)).toEqual(new Set([true, false]));
  });

  it('tells how far levels are from mean scores', () => {
    const rows = { ...rowsOf(seeded(1)), scores: new Float32Array(count * 3).fill(0.9) };
    const { levelError, logLoss, isBetter } = judgeCalibration(
      rows,
      {
        router: new Float32Array(count * 3).fill(0.6),
        offsets: new Float32Array(count * 3).fill(0.89),
      },
      1,
    );
    expect(levelError.before).toBeCloseTo(0.3);
    expect(levelError.after).toBeCloseTo(0.01);
    expect(logLoss.after).toBeLessThan(logLoss.before);
    expect(logLoss.change.high).toBeLessThan(0);
    expect(isBetter).toBe(true);
  });

  it.each([
    ['no router that an earlier training switched on', 'router', true, 'earlier'],
    ['levels that an earlier training corrected', 'calibration', true, 'calibration'],
    ['no earlier levels where it lowers no log loss', 'calibration', false, 'earlier'],
  ] as const)('replaces %s', (_, earlier, isBetter, inUse) => {
    const none = { value: 0, low: 0, high: 0 };
    const calibration = {
      logLoss: { before: 1, after: 1, change: none },
      levelError: { before: 0, after: 0 },
      isBetter,
    };
    const findings = {
      single: 'a',
      gain: none,
      overShipped: none,
      savings: null,
      unjudged: '',
      calibration,
    };
    expect(inUseAfter('no_use', findings, earlier)).toBe(inUse);
  });
});
