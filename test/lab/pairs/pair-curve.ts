import type { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import { foldOf } from '../fit/published-evaluations.js';
import { type EvaluatedPool, partOf } from '../pools.js';
import {
  type CurveOptions,
  drawRows,
  type FitOnRows,
  qualityOf,
  withoutTools,
} from '../protocols/learning-curve.js';
import { predictionsOf } from '../protocols/trial.js';
import { apgrOf, orderedGaps } from './signal-areas.js';
import type { GapFamily } from './signals.js';
import type { Pair } from './zero-shot-pairs.js';

/** How well pairs share the prompts of a family of which some prompts are labelled. */
export interface PairCurve {
  /** Prompts that were judged. */
  readonly prompts: number;
  readonly length: number;
  /** APGR by the number of labelled prompts; the first has none. */
  readonly points: readonly { readonly rows: number; readonly apgr: number }[];
}

/**
 * Trains on prompts of one half of a family's largest pool and judges its pairs on the other half;
 * means over several draws of prompts.
 * @param predictor fitted without the family
 */
export function pairCurve(
  { pools }: GapFamily,
  predictor: QualityPredictor,
  fitOnRows: FitOnRows,
  { sizes, repeats, seed }: CurveOptions,
): PairCurve {
  const { pool, pairs } = pools.reduce((one, other) =>
    other.pool.rows > one.pool.rows ? other : one,
  );
  const asked = withoutTools(pool);
  const half = (from: EvaluatedPool, number: number): EvaluatedPool =>
    partOf(from, (row) => foldOf(from.groups[row]!, 2) === number);
  const labelled = half(asked, 0),
    judged = half(asked, 1);
  const apgrBy = (quality: Float64Array): number =>
    apgrOfPairs(judged, pairs, (pair) => gainsIn(judged, quality, pair));
  const trained = (size: number, drawSeed: number): number => {
    const predict = fitOnRows(drawRows(labelled, size, drawSeed), predictor, drawSeed);
    return apgrBy(qualityOf(judged, predict));
  };
  const points = sizes
    .filter((size) => size <= labelled.rows)
    .map((rows) => {
      const apgrs = Array.from({ length: repeats }, (_, repeat) => trained(rows, seed + repeat));
      return { rows, apgr: apgrs.reduce((sum, one) => sum + one, 0) / repeats };
    });
  // the tools count for the length of a prompt, as in the other tables
  const lengths = Float64Array.from(half(pool, 1).prompts, ({ length }) => length);
  return {
    prompts: judged.rows,
    length: apgrOfPairs(judged, pairs, () => lengths),
    points: [{ rows: 0, apgr: apgrBy(predictionsOf(predictor, judged).quality) }, ...points],
  };
}

/** @param gainOf what the strong model of a pair is expected to add, by row */
function apgrOfPairs(
  pool: EvaluatedPool,
  pairs: readonly Pair[],
  gainOf: (pair: Pair) => Float64Array,
): number {
  const parts = pairs.map((pair) => orderedGaps(gainOf(pair), gainsIn(pool, pool.scores, pair)));
  return apgrOf(parts, new Float64Array(pool.rows).fill(1));
}

/** By row, the strong model's number less the weak one's. @param table laid out as the scores */
const gainsIn = (
  { rows, models }: EvaluatedPool,
  table: Float64Array,
  [strong, weak]: Pair,
): Float64Array =>
  Float64Array.from(
    { length: rows },
    (_, row) => table[row * models.length + strong]! - table[row * models.length + weak]!,
  );
