import type { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import { singlesOf } from '../../../src/chooser/training/custom/cost-curve.js';
import { foldOf, type PublishedEvaluations } from '../fit/published-evaluations.js';
import { namedPools } from '../named-pools.js';
import { partOf } from '../pools.js';
import { tryMethods, type Trial } from './trial.js';

/** How many folds the prompts are divided into, by hash. Each is judged by a fit to the others. */
export const folds = 5;

/** The rows that a fit for one fold may see. */
export function rowsWithoutFold({ groups }: PublishedEvaluations, fold: number): Int32Array {
  return Int32Array.from(groups.keys()).filter((row) => foldOf(groups[row]!, folds) !== fold);
}

/** Trials of one fold, one for each named pool. @param predictor fitted without the fold */
export function tryFold(
  evaluations: PublishedEvaluations,
  predictor: QualityPredictor,
  fold: number,
  seed: number,
): Trial[] {
  return namedPools(evaluations).map((pool) => {
    const isTested = (row: number): boolean => foldOf(pool.groups[row]!, folds) === fold;
    const trained = partOf(pool, (row) => !isTested(row));
    return tryMethods({
      predictor,
      tested: partOf(pool, isTested),
      trained,
      known: singlesOf(trained),
      seed,
    });
  });
}
