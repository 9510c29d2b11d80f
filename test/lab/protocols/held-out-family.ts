import type { QualityPredictor } from '../../../src/routing/predictor/quality-predictor.js';
import { sigmoid } from '../../../src/routing/numbers.js';
import type { PublishedEvaluations } from '../fit/published-evaluations.js';
import type { Point } from '../../../src/training/custom/cost-curve.js';
import { atMost, gatherPool, poolsOfFamily, type EvaluatedPool } from '../pools.js';
import { predictionsOf, tryOut, type Trial } from './trial.js';

/** Prompts of a pool that are judged, and that baselines learn from, at most. */
const mostTested = 3000,
  mostTrained = 5000;
const fewestTrained = 300;

/** The rows that a fit may see that is to know nothing of some families: no prompt of theirs, nor one that another source lists under another family. */
export function rowsWithoutFamilies(
  { tasks, families, groups }: PublishedEvaluations,
  without: readonly string[],
): Int32Array {
  const isTheirs = (row: number): boolean => without.includes(families[tasks[row]!]!);
  const theirs = new Set(groups.filter((_, row) => isTheirs(row)));
  return Int32Array.from(groups.keys()).filter((row) => !theirs.has(groups[row]!));
}

/** What is known beforehand of a pool's models on a family that nobody measured: abilities, prices and usual lengths of answers. */
function knownBeforehand(router: QualityPredictor, tested: EvaluatedPool): Point[] {
  const { cost } = predictionsOf(router, tested),
    width = tested.models.length;
  const { ability, general } = router.weights;
  return tested.models.map((model, at) => {
    let sum = 0;
    for (let row = 0; row < tested.rows; row++) sum += cost[row * width + at]!;
    return {
      cost: sum / tested.rows,
      score: sigmoid(ability[router.placeOf(model)]! - general[0]!),
    };
  });
}

/** Trials of one family, one for each source that measured it. @param router fitted to `rows`, which are without the family */
export function tryFamily(
  evaluations: PublishedEvaluations,
  router: QualityPredictor,
  family: string,
  rows: Int32Array,
  seed: number,
): Trial[] {
  const seen = new Set(rows);
  return poolsOfFamily(evaluations, family).map((pool) => {
    const tested = atMost(pool, mostTested);
    const trained = atMost(
      gatherPool(evaluations, pool.name, pool.models, (row) => seen.has(row)),
      mostTrained,
    );
    return tryOut({
      router,
      tested,
      trained: trained.rows < fewestTrained ? null : trained,
      known: knownBeforehand(router, tested),
      seed,
    });
  });
}
