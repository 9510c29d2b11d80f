import type { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import { sigmoid } from '../../../src/models/numbers.js';
import type { Point } from '../../../src/chooser/training/custom/cost-curve.js';
import type { PublishedEvaluations } from '../fit/published-evaluations.js';
import { poolsOfFamily } from '../named-pools.js';
import { gatherPool, sampleOf, type EvaluatedPool } from '../pools.js';
import { predictionsOf, tryMethods, type Trial } from './trial.js';

/** Bounds on the prompts of a pool that are judged, and that baselines learn from. */
const maxTested = 3000;
const maxTrained = 5000;
/** Baselines need at least so many prompts. */
const minTrained = 300;

/**
 * The rows that a fit without some families may see: no prompt of theirs, and no copy of such a
 * prompt that another source lists under another family.
 */
export function rowsWithoutFamilies(
  { tasks, families, groups }: PublishedEvaluations,
  without: readonly string[],
): Int32Array {
  const isHeldOut = (row: number): boolean => without.includes(families[tasks[row]!]!);
  const heldOut = new Set(groups.filter((_, row) => isHeldOut(row)));
  return Int32Array.from(groups.keys()).filter((row) => !heldOut.has(groups[row]!));
}

/**
 * What is known of a pool's models on an unseen family: their general ability, their prices and the
 * lengths that the predictor expects of their answers.
 */
function knownBeforehand(predictor: QualityPredictor, tested: EvaluatedPool): Point[] {
  const { cost } = predictionsOf(predictor, tested);
  const width = tested.models.length;
  const { ability, general } = predictor.weights;
  return tested.models.map((model, at) => {
    let sum = 0;
    for (let row = 0; row < tested.rows; row++) sum += cost[row * width + at]!;
    return {
      cost: sum / tested.rows,
      score: sigmoid(ability[predictor.weights.models.indexOf(model)]! - general[0]!),
    };
  });
}

/**
 * Trials of one family, one for each source that measured it.
 * @param predictor fitted to `rows`, which are without the family
 */
export function tryFamily(
  evaluations: PublishedEvaluations,
  predictor: QualityPredictor,
  family: string,
  rows: Int32Array,
  seed: number,
): Trial[] {
  const seen = new Set(rows);
  return poolsOfFamily(evaluations, family).map((pool) => {
    const tested = sampleOf(pool, maxTested);
    const trained = sampleOf(
      gatherPool(evaluations, pool.name, pool.models, (row) => seen.has(row)),
      maxTrained,
    );
    return tryMethods({
      predictor,
      tested,
      trained: trained.rows < minTrained ? null : trained,
      known: knownBeforehand(predictor, tested),
      seed,
    });
  });
}
