import { sigmoid } from '../../../models/numbers.js';
import type { CustomWeights } from '../../predictor/custom-weights.js';
import { bootstrapMean } from './bootstrap.js';
import { meanOf, type Predicted } from './choices.js';
import { sumsOf } from './cost-curve.js';
import { crossValidateOffsets, type HeldOut } from './cross-validate.js';
import type { CustomRows } from './custom-rows.js';
import { fitOffsets, offsetsAlone } from './fit-correction.js';

/** How far predicted qualities are from scores, on prompts that the offsets did not see. */
export type CalibrationReport = ReturnType<typeof judgeCalibration>;

/** As routing bounds the qualities that it predicts. */
const minQuality = 0.001;

/** Compares the shipped predictor's qualities with those of the same with an offset for each model. */
export function judgeCalibration(
  rows: CustomRows,
  { router, offsets }: Pick<HeldOut, 'router' | 'offsets'>,
  seed: number,
) {
  const before = lossesOf(rows, router),
    after = lossesOf(rows, offsets);
  const change = bootstrapMean(
    after.map((loss, row) => loss - before[row]!),
    rows.groups,
    seed,
  );
  return {
    logLoss: { before: meanOf(before), after: meanOf(after), change },
    levelError: { before: levelErrorOf(rows, router), after: levelErrorOf(rows, offsets) },
    // if not, they are never used alone
    isBetter: change.value < 0,
  };
}

/** By row, the mean log loss of its scores; NaN without a score. */
function lossesOf({ models, scores, count }: CustomRows, predicted: Predicted): Float64Array {
  const width = models.length;
  return Float64Array.from({ length: count }, (_, row) => {
    let sum = 0,
      measured = 0;
    for (let at = row * width; at < (row + 1) * width; at++) {
      const score = scores[at]!;
      if (Number.isNaN(score)) continue;
      const chance = Math.min(1 - minQuality, Math.max(minQuality, predicted[at]!));
      sum -= score * Math.log(chance) + (1 - score) * Math.log(1 - chance);
      measured++;
    }
    return sum / measured;
  });
}

function levelErrorOf({ models, scores }: CustomRows, predicted: Predicted): number {
  const errors = Float64Array.from(scores, (score, at) => predicted[at]! - score);
  const { sums, counts } = sumsOf(errors, models.length);
  return meanOf(sums.map((sum, model) => Math.abs(sum) / counts[model]!));
}

/**
 * Corrects the levels of a router that stays in use by newer evaluations, if that lowers the log
 * loss of its predictions on prompts that the offsets were not fitted on. What it learned of prompts
 * stays as it is.
 * @returns how the corrected levels were judged, and the router with them, null where they lower no
 * log loss; null if it does not know each of the evaluated models
 */
export function calibrateEarlier(rows: CustomRows, earlier: CustomWeights, seed: number) {
  const { earlierOdds, models } = rows;
  if (earlierOdds === null || models.some((model) => !earlier.models.includes(model))) return null;
  const moved = { ...rows, odds: earlierOdds };
  const predicted = {
    router: earlierOdds.map(sigmoid),
    offsets: crossValidateOffsets(moved, seed),
  };
  const report = judgeCalibration(rows, predicted, seed);
  if (!report.isBetter) return { report, weights: null };
  const all = Int32Array.from({ length: rows.count }, (_, row) => row);
  const { offsets } = fitOffsets(moved, all, offsetsAlone.trust);
  const corrected = earlier.offsets.map((offset, at) => {
    const place = models.indexOf(earlier.models[at]!);
    return place < 0 ? offset : offset + offsets[place]!;
  });
  return { report, weights: { ...earlier, offsets: corrected } };
}
