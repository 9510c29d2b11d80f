import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CustomRows } from '../../../../src/chooser/training/custom/custom-rows.js';
import {
  isCheaper,
  judgeSavings,
  type RouterComparison,
  type TrainedSavings,
} from '../../../../src/chooser/training/custom/judge-savings.js';
import { runs } from '../../../helpers/runs.js';
import { bestSingleOf } from '../../../../src/chooser/training/custom/choices.js';

const count = 60;
const tolerance = 0.05;
const everyRow = (...values: number[]): Float32Array =>
  Float32Array.from({ length: count * values.length }, (_, at) => values[at % values.length]!);

/** Rows in which every answer is good, at the same costs throughout. */
function rowsOf(changes: Partial<CustomRows> = {}): CustomRows {
  return {
    models: ['large', 'small'],
    count,
    width: 0,
    points: new Float32Array(0),
    mean: new Float32Array(0),
    scale: new Float32Array(0),
    odds: new Float32Array(count * 2),
    earlierOdds: null,
    scores: everyRow(1, 1),
    costs: everyRow(0.01, 0.001),
    expectedCosts: everyRow(NaN, NaN),
    groups: Int32Array.from({ length: count }, (_, row) => row),
    known: new Float32Array(2),
    ...changes,
  };
}

const always = (place: number): Int32Array => new Int32Array(count).fill(place);
/** The shipped predictor thinks that the small model is much worse; the trained one knows better. */
const learned = {
  router: everyRow(0.8, 0.6),
  offsets: everyRow(0.8, 0.6),
  fitted: everyRow(0.9, 0.88),
};
const terms = { tolerance, economy: 5, seed: 1, mayOffset: true };
const judge = (rows: CustomRows, heldOut = learned): TrainedSavings => {
  const judged = judgeSavings(rows, heldOut, always(0), terms);
  if (!judged.savings) throw new Error(judged.unjudged ?? '');
  return judged.savings;
};

describe('what tradeoff: cost saves', () => {
  it('is the share of the cost of the best single model and of the shipped predictor', () => {
    const savings = judge(rowsOf());
    expect(savings.trained.saved.value).toBeCloseTo(0.9);
    expect(savings.overShipped.saved.low).toBeCloseTo(0.9);
    expect(savings.shipped.saved.value).toBe(0);
    expect(savings.cost.trained).toBeCloseTo(0.001);
    expect(savings).toMatchObject({ source: 'evaluations', rows: count });
    expect(isCheaper(savings)).toBe(true);
  });

  it('names the model that does the same if it is always called, and none where choosing is needed', () => {
    expect(judge(rowsOf()).sameAs).toBe('small');
    // each model answers every second prompt
    const halves = (one: number[], other: number[]): Float32Array =>
      Float32Array.from(
        { length: count * 2 },
        (_, at) => (Math.floor(at / 2) % 2 ? one : other)[at % 2]!,
      );
    const heldOut = { ...learned, fitted: halves([1, 0], [0, 1]) };
    expect(judge(rowsOf({ scores: halves([1, 0], [0, 1]) }), heldOut).sameAs).toBeNull();
  });

  it('is compared with the cheapest of the best single models, in whatever order they come', () => {
    expect(bestSingleOf(rowsOf()).best).toBe(1);
    expect(bestSingleOf(rowsOf({ costs: everyRow(0.001, 0.01) })).best).toBe(0);
    const byPrices = { costs: null, expectedCosts: everyRow(0.01, 0.001) };
    expect(bestSingleOf(rowsOf(byPrices)).best).toBe(1);
    expect(bestSingleOf(rowsOf({ costs: null })).best).toBe(0);
    expect(bestSingleOf(rowsOf({ costs: null, models: ['small', 'large'] })).best).toBe(1);
    expect(bestSingleOf(rowsOf({ scores: everyRow(1, 0.9) })).best).toBe(0);
  });

  it('is nothing if the quality of the small model is not within the tolerance', () => {
    const savings = judge(rowsOf(), { ...learned, fitted: everyRow(0.9, 0.84) });
    expect(savings.trained.saved).toEqual({ value: 0, low: 0, high: 0 });
    expect(isCheaper(savings)).toBe(false);
  });

  it('of the shipped predictor is what routing would save', () => {
    const alike = everyRow(0.9, 0.87);
    const heldOut = { router: alike, offsets: alike, fitted: alike };
    expect(judge(rowsOf(), heldOut).shipped.saved.value).toBeCloseTo(0.9);
  });

  it('does not count where more quality is lost than tolerated', () => {
    const scores = Float32Array.from({ length: count * 2 }, (_, at) =>
      at % 2 && at % 20 === 1 ? 0 : 1,
    );
    const savings = judge(rowsOf({ scores }));
    expect(savings.trained.score.value).toBeCloseTo(-0.1);
    expect(isCheaper(savings)).toBe(false);
  });

  it('does not count where the shipped predictor is as good for less', () => {
    const mixed = Float32Array.from({ length: count * 2 }, (_, at) =>
      at % 2 === 0 ? 0.9 : at % 8 === 1 ? 0.5 : 0.9,
    );
    const savings = judge(rowsOf(), { router: everyRow(0.8, 0.8), offsets: mixed, fitted: mixed });
    expect(savings.trained.saved.low).toBeGreaterThan(0);
    expect(savings.overShipped.saved.value).toBeLessThan(0);
    expect(isCheaper(savings)).toBe(false);
  });

  it('goes by the prices that routing knows, and is counted in what the answers cost', () => {
    const turned = rowsOf({ expectedCosts: everyRow(0.001, 0.01) });
    expect(judge(turned).trained.saved.value).toBe(0);
    expect(judge(rowsOf({ costs: null, expectedCosts: everyRow(0.01, 0.005) }))).toMatchObject({
      source: 'prices',
      trained: { saved: { value: 0.5 } },
    });
  });

  it('is judged on the rows whose costs are known, and by prices if they are few', () => {
    const known = (rows: number): Float32Array =>
      everyRow(0.01, 0.001).map((cost, at) => (at < rows * 2 ? cost : NaN));
    expect(judge(rowsOf({ costs: known(30) })).rows).toBe(30);
    const few = rowsOf({ costs: known(19) });
    expect(judgeSavings(few, learned, always(0), terms)).toEqual({
      unjudged:
        'fewer than 20 prompts have the costs of all their scores, and the gateway knows no price of large, small',
    });
    expect(judge({ ...few, expectedCosts: everyRow(0.01, 0.001) }).source).toBe('prices');
  });

  it('comes from offsets alone where they save more, if they may be used', () => {
    const mixed = Float32Array.from({ length: count * 2 }, (_, at) =>
      at % 2 === 0 ? 0.9 : at % 8 === 1 ? 0.5 : 0.9,
    );
    const heldOut = { ...learned, offsets: everyRow(0.9, 0.9), fitted: mixed };
    const { by, cost } = judge(rowsOf(), heldOut);
    expect(by).toBe('offsets');
    expect(cost.trained).toBeCloseTo(0.001);
    const without = judgeSavings(rowsOf(), heldOut, always(0), { ...terms, mayOffset: false });
    expect(without).toMatchObject({ savings: { by: 'fitted' } });
    expect(judge(rowsOf(), { ...heldOut, offsets: everyRow(0.9, 0.6) }).by).toBe('fitted');
  });

  it('is nothing where answers cost nothing', () => {
    const savings = judge(rowsOf({ costs: everyRow(0, 0) }));
    expect(savings.trained.saved).toEqual({ value: 0, low: 0, high: 0 });
    expect(isCheaper(savings)).toBe(false);
  });

  it('is never claimed without an interval above 0, nor for a score beyond the tolerance', () => {
    const estimate = fc
      .tuple(
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 0.2, noNaN: true }),
      )
      .map(([value, half]) => ({ value, low: value - half, high: value + half }));
    const known = judge(rowsOf());
    const comparison: fc.Arbitrary<RouterComparison> = fc.record({
      score: estimate,
      saved: estimate,
    });
    fc.assert(
      fc.property(comparison, comparison, comparison, (trained, shipped, overShipped) => {
        const savings = { ...known, trained, shipped, overShipped };
        if (!isCheaper(savings)) return;
        expect(Math.max(trained.saved.low, overShipped.saved.low)).toBeGreaterThan(0);
        expect(trained.score.value).toBeGreaterThanOrEqual(-tolerance);
      }),
      { numRuns: runs(1000), seed: 1 },
    );
  });
});
