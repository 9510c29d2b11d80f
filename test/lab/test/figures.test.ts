import { describe, expect, it } from 'vitest';
import { zeroRouterShares } from '../baselines/single-models.js';
import {
  averageQuality,
  costOfScore,
  hullOf,
  scoreAtCost,
  type Point,
} from '../../../src/training/custom/cost-curve.js';
import {
  areaOf,
  barOf,
  calibrationError,
  curveFigures,
  orderOfGains,
  pairFigures,
} from '../figures.js';

const cheap: Point = { cost: 1, score: 0.5 },
  middling: Point = { cost: 2, score: 0.55 },
  good: Point = { cost: 5, score: 0.9 },
  dear: Point = { cost: 9, score: 0.7 };
const singles = [cheap, middling, good, dear];
const once = (rows: number): Float64Array => new Float64Array(rows).fill(1);

describe('the hull of cost and quality', () => {
  it('leaves out what costs more and is no better, and what a mixture beats', () => {
    expect(hullOf(singles)).toEqual([cheap, good]);
  });

  it('tells the score for a cost and the cost of a score by mixing two corners', () => {
    const hull = hullOf(singles);
    expect(scoreAtCost(hull, 3)).toBeCloseTo(0.7);
    expect(costOfScore(hull, 0.7)).toBeCloseTo(3);
    expect(scoreAtCost(hull, 100)).toBe(0.9);
    expect(costOfScore(hull, 0.91)).toBe(Infinity);
    expect(averageQuality(hull, 1, 9)).toBeCloseTo((0.7 * 4 + 0.9 * 4) / 8, 4);
  });
});

describe('the figures of a curve', () => {
  const bar = barOf(singles, 2);

  it('hold it against the model that is best', () => {
    const figures = curveFigures(
      [
        { cost: 4, score: 0.95 },
        { cost: 1, score: 0.5 },
      ],
      bar,
    );
    expect(figures.accuracy).toBe(0.95);
    expect(figures.gain).toBeCloseTo(0.05);
    expect(figures.costOfBest).toBeCloseTo((1 + 3 * (0.4 / 0.45)) / 5);
    expect(figures.costOf95).toBeCloseTo((1 + 3 * (0.355 / 0.45)) / 5);
  });

  it('say that a score is never reached where it is not', () => {
    expect(curveFigures([{ cost: 4, score: 0.8 }], bar).costOfBest).toBe(Infinity);
  });

  it('give a curve that begins further on no credit for what it does not offer', () => {
    // nothing but the best model: a mixture with the cheapest up to its cost
    expect(areaOf([good], bar)).toBeCloseTo(areaOf(singles, bar), 6);
    expect(areaOf([], bar)).toBeCloseTo(0.5);
  });
});

describe('the zero router', () => {
  it('mixes the models of the hull and no other, the best one first and the cheapest last', () => {
    const shares = zeroRouterShares(singles);
    expect(shares[0]).toEqual([0, 0, 1, 0]);
    expect(shares.at(-1)).toEqual([1, 0, 0, 0]);
    for (const one of shares) {
      expect(one.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
      expect([one[1], one[3]]).toEqual([0, 0]);
    }
  });

  it('reaches the hull of single models and not more', () => {
    const points = zeroRouterShares(singles).map((shares) => ({
      cost: shares.reduce((sum, share, model) => sum + share * singles[model]!.cost, 0),
      score: shares.reduce((sum, share, model) => sum + share * singles[model]!.score, 0),
    }));
    expect(areaOf(points, barOf(singles, 2))).toBeCloseTo(areaOf(singles, barOf(singles, 2)), 6);
  });

  it('is the one model where a single one is cheapest and best', () => {
    expect(
      zeroRouterShares([dear, { cost: 1, score: 0.95 }]).every((shares) => shares.join() === '0,1'),
    ).toBe(true);
  });
});

describe('the calibration error', () => {
  it('is nothing where chances come true, and the distance where they do not', () => {
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

  it('counts a row as often as it was drawn', () => {
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

  it('are those of the oracle where the gains are known', () => {
    const { apgr, cpt50, cpt80 } = pairFigures(orderOfGains(differences), differences, once(4));
    expect(apgr).toBeCloseTo(0.75);
    expect(cpt50).toBeCloseTo(0.25);
    expect(cpt80).toBeCloseTo(0.5);
  });

  it('are those of the worst order where the gains are the other way round', () => {
    expect(
      pairFigures(orderOfGains(differences.map((one) => -one)), differences, once(4)).apgr,
    ).toBeCloseTo(0.25);
  });

  it('come to half for a predictor that says the same of every row, however the rows are sorted', () => {
    const sorted = Float64Array.from({ length: 4000 }, (_, row) => (row < 2000 ? 1 : 0));
    expect(pairFigures(orderOfGains(new Float64Array(4000)), sorted, once(4000)).apgr).toBeCloseTo(
      0.5,
      1,
    );
  });

  it('are none where the stronger model is not better', () => {
    expect(
      pairFigures(
        orderOfGains(differences),
        differences.map((one) => -one),
        once(4),
      ).apgr,
    ).toBeNaN();
  });
});
