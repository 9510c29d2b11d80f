import { sigmoid } from '../../../models/numbers.js';
import type { CustomWeights } from '../../predictor/custom-weights.js';
import { type CalibrationReport, judgeCalibration } from './calibration.js';
import { crossValidateOffsets } from './cross-validate.js';
import type { CustomRows } from './custom-rows.js';
import { fitOffsets, offsetsAlone } from './fit-correction.js';

/** What became of the levels of an earlier training's router. */
export interface EarlierCalibration {
  readonly report: CalibrationReport;
  /** The router with corrected levels; null: that lowers no log loss. */
  readonly weights: CustomWeights | null;
}

/**
 * Corrects the levels of a router that stays in use by newer evaluations, if that lowers the log
 * loss of its predictions on prompts that the offsets were not fitted on. What it learned of prompts
 * stays as it is.
 * @returns null if it does not know each of the evaluated models
 */
export function calibrateEarlier(
  rows: CustomRows,
  earlier: CustomWeights,
  seed: number,
): EarlierCalibration | null {
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
