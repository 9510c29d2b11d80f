import type { QualityPredictor } from '../../../src/routing/predictor/quality-predictor.js';
import { foldOf, type PublishedEvaluations } from '../fit/published-evaluations.js';
import { singlesOf } from '../../../src/training/custom/cost-curve.js';
import { namedPools, partOf } from '../pools.js';
import { tryOut, type Trial } from './trial.js';

/** Parts that the prompts are divided into, by hash: each is judged by a fit to the others. */
export const folds = 5;

/** The rows that a fit for one fold may see. */
export function rowsWithoutFold({ groups }: PublishedEvaluations, fold: number): Int32Array {
  return Int32Array.from(groups.keys()).filter((row) => foldOf(groups[row]!, folds) !== fold);
}

/** Trials of one fold, one for each named pool. @param router fitted without the fold */
export function tryFold(
  evaluations: PublishedEvaluations,
  router: QualityPredictor,
  fold: number,
  seed: number,
): Trial[] {
  return namedPools(evaluations).map((pool) => {
    const isTested = (row: number): boolean => foldOf(pool.groups[row]!, folds) === fold;
    const trained = partOf(pool, (row) => !isTested(row));
    return tryOut({
      router,
      tested: partOf(pool, isTested),
      trained,
      known: singlesOf(trained),
      seed,
    });
  });
}
