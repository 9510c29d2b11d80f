import { seeded, shuffle } from '../../src/training/custom/seeded.js';
import { cheapestOf } from './baselines/single-models.js';
import {
  averageQuality,
  costOfScore,
  hullOf,
  type Point,
} from '../../src/training/custom/cost-curve.js';

/** What is told of a way to choose on a pool. */
export const figureNames = [
  'accuracy',
  'gain',
  'aiq',
  'overZero',
  'overKnownZero',
  'costOfBest',
  'costOf95',
  'apgr',
  'cpt50',
  'cpt80',
  'apgrLater',
  'cpt50Later',
  'cpt80Later',
  'calibration',
] as const;

/** Name of a figure. */
export type FigureName = (typeof figureNames)[number];

/** The models of a pool one by one: what every curve is held against. */
export interface Bar {
  /** The model of the best score, by its mean over the rows that are judged. */
  readonly best: Point;
  readonly cheapest: Point;
  /** USD. */
  readonly dearest: number;
}

/** The bar of a pool. @param best the place of its best model */
export function barOf(singles: readonly Point[], best: number): Bar {
  return {
    best: singles[best]!,
    cheapest: singles[cheapestOf(singles)]!,
    dearest: Math.max(...singles.map(({ cost }) => cost)),
  };
}

/**
 * Area under a curve of points, from the cheapest to the dearest single model (AIQ). Every curve may also call the cheapest model: one that
 * begins further on is not credited for what it does not offer.
 */
export function areaOf(points: readonly Point[], { cheapest, dearest }: Bar): number {
  const hull = hullOf([cheapest, ...points]);
  return dearest > cheapest.cost
    ? averageQuality(hull, cheapest.cost, dearest)
    : hull.at(-1)!.score;
}

/** Figures of a curve of points, the first of them at any price. */
export function curveFigures(
  points: readonly Point[],
  bar: Bar,
): Partial<Record<FigureName, number>> {
  const hull = hullOf(points);
  const { best } = bar;
  return {
    accuracy: points[0]!.score,
    gain: points[0]!.score - best.score,
    aiq: areaOf(points, bar),
    costOfBest: costOfScore(hull, best.score) / best.cost,
    costOf95: costOfScore(hull, 0.95 * best.score) / best.cost,
  };
}

const bins = 15;

/**
 * Expected calibration error: how far chances are from what came true, in 15 bins of equal width, over all rows and models.
 * @param weights by row
 */
export function calibrationError(
  chances: Float64Array,
  scores: Float64Array,
  weights: Float64Array,
): number {
  const width = chances.length / weights.length;
  const gaps = new Float64Array(bins);
  let whole = 0;
  for (let at = 0; at < chances.length; at++) {
    const weight = weights[Math.floor(at / width)]!;
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(chances[at]! * bins)));
    gaps[bin]! += weight * (chances[at]! - scores[at]!);
    whole += weight;
  }
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / whole;
}

/** RouteLLM's figures of choosing between two models. */
export interface PairFigures {
  /** Mean share of the performance gap that is recovered, over all shares of calls to the strong model. */
  readonly apgr: number;
  /** Least share of calls to the strong model that recovers half of the gap, and four fifths. */
  readonly cpt50: number;
  readonly cpt80: number;
}

/** Rows in the order in which they go to the strong model: the largest predicted gain first; equals in an order that is drawn, since that in which they stand tells their source. */
export function orderOfGains(gains: Float64Array): Int32Array {
  const order = Int32Array.from(gains.keys());
  shuffle(order, seeded(1));
  return order.sort((a, b) => gains[b]! - gains[a]!);
}

/**
 * The gap is that of the rows as they are weighed; where the strong model is not better there is none, and no figure.
 * @param differences by row: score of the strong model less that of the weak one
 * @param weights by row
 */
export function pairFigures(
  order: Int32Array,
  differences: Float64Array,
  weights: Float64Array,
): PairFigures {
  let gap = 0,
    whole = 0;
  for (let row = 0; row < weights.length; row++) {
    gap += weights[row]! * differences[row]!;
    whole += weights[row]!;
  }
  if (gap <= 0) return { apgr: NaN, cpt50: NaN, cpt80: NaN };
  let recovered = 0,
    called = 0,
    area = 0,
    cpt50 = NaN,
    cpt80 = NaN;
  for (const row of order) {
    const before = recovered;
    recovered += (weights[row]! * differences[row]!) / gap;
    called += weights[row]! / whole;
    area += ((before + recovered) / 2) * (weights[row]! / whole);
    if (Number.isNaN(cpt50) && recovered >= 0.5) cpt50 = called;
    if (Number.isNaN(cpt80) && recovered >= 0.8) cpt80 = called;
  }
  return { apgr: area, cpt50, cpt80 };
}
