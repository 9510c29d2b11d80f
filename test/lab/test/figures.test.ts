import { describe, expect, it } from 'vitest';
import { zeroRouterShares } from '../baselines/single-models.js';
import {
  averageQuality,
  hullOf,
  scoreAtCost,
  type Point,
} from '../../../src/chooser/training/custom/cost-curve.js';
import {
  areaOf,
  calibrationError,
  costOfScore,
  curveFigures,
  summarizeSingles,
} from '../figures.js';
import { orderOfGains, pairFigures } from '../pair-figures.js';

const cheap: Point = { cost: 1, score: 0.5 },
  middling: Point = { cost: 2, score: 0.55 },
  good: Point = { cost: 5, score: 0.9 },
  dear: Point = { cost: 9, score: 0.7 };
const singles = [cheap, middling, good, dear];
const once = (rows: number): Float64Array => new Float64Array(rows).fill(1);

describe('the hull of cost and quality', () => {
  it('leaves out models that cost more without being better, and models that a mixture beats', () => {
    expect(hullOf(singles)).toEqual([cheap, good]);
  });

  it('interpolates the score for a cost and the cost of a score', () => {
    const hull = hullOf(singles);
    expect(scoreAtCost(hull, 3)).toBeCloseTo(0.7);
    expect(costOfScore(hull, 0.7)).toBeCloseTo(3);
    expect(scoreAtCost(hull, 100)).toBe(0.9);
    expect(costOfScore(hull, 0.91)).toBe(Infinity);
    expect(averageQuality(hull, 1, 9)).toBeCloseTo((0.7 * 4 + 0.9 * 4) / 8, 4);
  });
});

describe('the figures of a curve', () => {
  const reference = summarizeSingles(singles, 2);

  it('compare it with the best model', () => {
    const figures = curveFigures(
      [
        { cost: 4, score: 0.95 },
        { cost: 1, score: 0.5 },
      ],
      reference,
    );
    expect(figures.accuracy).toBe(0.95);
    expect(figures.gain).toBeCloseTo(0.05);
    expect(figures.costOfBest).toBeCloseTo((1 + 3 * (0.4 / 0.45)) / 5);
    expect(figures.costOf95).toBeCloseTo((1 + 3 * (0.355 / 0.45)) / 5);
  });

  it('are infinite for a score that is never reached', () => {
    expect(curveFigures([{ cost: 4, score: 0.8 }], reference).costOfBest).toBe(Infinity);
  });

  it('give a curve no credit for costs below its first point', () => {
    // nothing but the best model: a mixture with the cheapest up to its cost
    expect(areaOf([good], reference)).toBeCloseTo(areaOf(singles, reference), 6);
    expect(areaOf([], reference)).toBeCloseTo(0.5);
  });
});

describe('the zero router', () => {
  it('mixes only models of the hull, from the best to the cheapest', () => {
    const shares = zeroRouterShares(singles);
    expect(shares[0]).toEqual([0, 0, 1, 0]);
    expect(shares.at(-1)).toEqual([1, 0, 0, 0]);
    for (const one of shares) {
      expect(one.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
      expect([one[1], one[3]]).toEqual([0, 0]);
    }
  });

  it('reaches exactly the hull of single models', () => {
    const points = zeroRouterShares(singles).map((shares) => ({
      cost: shares.reduce((sum, share, model) => sum + share * singles[model]!.cost, 0),
      score: shares.reduce((sum, share, model) => sum + share * singles[model]!.score, 0),
    }));
    expect(areaOf(points, summarizeSingles(singles, 2))).toBeCloseTo(
      areaOf(singles, summarizeSingles(singles, 2)),
      6,
    );
  });

  it('is a single model if that is cheapest and best', () => {
    expect(
      zeroRouterShares([dear, { cost: 1, score: 0.95 }]).every((shares) => shares.join() === '0,1'),
    ).toBe(true);
  });
});

describe('the calibration error', () => {
  it('is 0 for correct chances and the distance otherwise', () => {
    expect(
      calibrationError(Float64Array.from([0.5, 0.5]), Float64Array.from([1, 0]), once(2)),
    ).toBeCloseTo(0);
    expect(
      calibrationError(Float64Array.from([0.9, 0.9]), Float64Array.from([1, 0]), once(2)),
    ).toBeCloseTo(0.4);
    // .9 and .1 in bins of their own: .4 + .4 over two
    expect(
      calibrationError(Float64Array.from([0.9, 0.1]), Float64Array.from([0.5, 0.5]), once(2)),
    ).toBeCloseTo(0.4);
  });

  it('counts a row as often as its weight says', () => {
    expect(
      calibrationError(
        Float64Array.from([0.9, 0.1]),
        Float64Array.from([1, 1]),
        Float64Array.from([1, 0]),
      ),
    ).toBeCloseTo(0.1);
  });
});

describe('the figures of choosing between two models', () => {
  const differences = Float64Array.from([1, 1, 0, 0]);

  it('are the best possible for the true gains', () => {
    const { apgr, cpt50, cpt80 } = pairFigures(orderOfGains(differences), differences, once(4));
    expect(apgr).toBeCloseTo(0.75);
    expect(cpt50).toBeCloseTo(0.25);
    expect(cpt80).toBeCloseTo(0.5);
  });

  it('are the worst possible for reversed gains', () => {
    expect(
      pairFigures(orderOfGains(differences.map((one) => -one)), differences, once(4)).apgr,
    ).toBeCloseTo(0.25);
  });

  it('are about a half for equal predictions, however the rows are sorted', () => {
    const sorted = Float64Array.from({ length: 4000 }, (_, row) => (row < 2000 ? 1 : 0));
    expect(pairFigures(orderOfGains(new Float64Array(4000)), sorted, once(4000)).apgr).toBeCloseTo(
      0.5,
      1,
    );
  });

  it('are NaN if the stronger model is not better', () => {
    expect(
      pairFigures(
        orderOfGains(differences),
        differences.map((one) => -one),
        once(4),
      ).apgr,
    ).toBeNaN();
  });
});
