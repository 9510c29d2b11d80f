import {
  averageQuality,
  hullOf,
  type Point,
} from '../../src/chooser/training/custom/cost-curve.js';
import { cheapestOf } from './baselines/single-models.js';

/**
 * The figures of one method of choosing on a pool. `gain` is accuracy above the best single model;
 * `overZero` and `overKnownZero` are AIQ above the two zero routers; `costOfBest` and `costOf95`
 * are the costs of 100 % and 95 % of the best single model's accuracy, as shares of its cost.
 */
export type FigureName =
  | 'accuracy'
  | 'gain'
  | 'aiq'
  | 'overZero'
  | 'overKnownZero'
  | 'costOfBest'
  | 'costOf95'
  | 'apgr'
  | 'cpt50'
  | 'cpt80'
  | 'apgrLater'
  | 'cpt50Later'
  | 'cpt80Later'
  | 'calibration';

/** The single models that every curve of a pool is compared with. */
export interface SingleModels {
  /** The model with the best mean score on the judged rows. */
  readonly best: Point;
  readonly cheapest: Point;
  /** Cost of the most expensive model, USD. */
  readonly maxCost: number;
}

/** Summarises the single models of a pool. @param best the index of its best model */
export function summarizeSingles(singles: readonly Point[], best: number): SingleModels {
  return {
    best: singles[best]!,
    cheapest: singles[cheapestOf(singles)]!,
    maxCost: Math.max(...singles.map(({ cost }) => cost)),
  };
}

/**
 * Area under a curve of points between the costs of the cheapest and the most expensive single
 * model (AIQ). Every method may also call the cheapest model, so a curve that starts at a higher
 * cost earns nothing for the costs that it does not offer.
 */
export function areaOf(points: readonly Point[], { cheapest, maxCost }: SingleModels): number {
  const hull = hullOf([cheapest, ...points]);
  return maxCost > cheapest.cost
    ? averageQuality(hull, cheapest.cost, maxCost)
    : hull.at(-1)!.score;
}

/** The lowest cost for which a hull reaches a score; infinite if it never does. */
export function costOfScore(hull: readonly Point[], score: number): number {
  const next = hull.findIndex((point) => point.score >= score);
  if (next < 0) return Infinity;
  if (next === 0) return hull[0]!.cost;
  const a = hull[next - 1]!,
    b = hull[next]!;
  return a.cost + ((b.cost - a.cost) * (score - a.score)) / (b.score - a.score);
}

/** Figures of a curve. The first point must be the choice at any price. */
export function curveFigures(
  points: readonly Point[],
  singles: SingleModels,
): Partial<Record<FigureName, number>> {
  const hull = hullOf(points);
  const { best } = singles;
  return {
    accuracy: points[0]!.score,
    gain: points[0]!.score - best.score,
    aiq: areaOf(points, singles),
    costOfBest: costOfScore(hull, best.score) / best.cost,
    costOf95: costOfScore(hull, 0.95 * best.score) / best.cost,
  };
}

const bins = 15;

/**
 * Expected calibration error: the distance between predicted chances and actual scores in 15 bins
 * of equal width, over all rows and models.
 * @param weights by row: how often the row counts
 */
export function calibrationError(
  chances: Float64Array,
  scores: Float64Array,
  weights: Float64Array,
): number {
  const width = chances.length / weights.length;
  const gaps = new Float64Array(bins);
  let total = 0;
  for (let at = 0; at < chances.length; at++) {
    const weight = weights[Math.floor(at / width)]!;
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(chances[at]! * bins)));
    gaps[bin]! += weight * (chances[at]! - scores[at]!);
    total += weight;
  }
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / total;
}
