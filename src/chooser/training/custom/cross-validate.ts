import { sigmoid } from '../../../models/numbers.js';
import { chooseSetting, fitSetting, foldsOf } from './choose-setting.js';
import type { Predicted } from './choices.js';
import type { CustomRows } from './custom-rows.js';
import {
  correctedOdds,
  fitOffsets,
  offsetsAlone,
  type Correction,
  type Setting,
} from './fit-correction.js';

const folds = 5;

/** Predictions of rows by fits that saw neither them nor any equal prompt. */
export interface HeldOut {
  /** The shipped predictor, unchanged. The name is part of stored reports. */
  readonly router: Predicted;
  /** The shipped predictor with an offset for each model. */
  readonly offsets: Predicted;
  /** Everything that the training does, including the choice of its setting. */
  readonly fitted: Predicted;
}

function predict(
  rows: CustomRows,
  setting: Setting,
  correction: Correction,
  held: Int32Array,
  into: Predicted,
): void {
  for (const row of held)
    for (let model = 0; model < rows.models.length; model++)
      into[row * rows.models.length + model] = sigmoid(
        correctedOdds(rows, setting, correction, row, model),
      );
}

/** The same of offsets alone: predictions by fits that saw neither the rows nor equal prompts. */
export function crossValidateOffsets(rows: CustomRows, seed: number): Predicted {
  const parts = foldsOf(rows.groups, folds, seed);
  const all = Int32Array.from({ length: rows.count }, (_, row) => row);
  const offsets = new Float32Array(rows.odds.length);
  for (let fold = 0; fold < folds; fold++) {
    const known = all.filter((row) => parts[row] !== fold),
      held = all.filter((row) => parts[row] === fold);
    predict(rows, offsetsAlone, fitOffsets(rows, known, offsetsAlone.trust), held, offsets);
  }
  return offsets;
}

/** Trains five times without a fifth of the prompts, and predicts that fifth. */
export function crossValidate(
  rows: CustomRows,
  seed: number,
  onProgress: (share: number) => void,
): HeldOut {
  const parts = foldsOf(rows.groups, folds, seed);
  const all = Int32Array.from({ length: rows.count }, (_, row) => row);
  const offsets = new Float32Array(rows.odds.length),
    fitted = new Float32Array(rows.odds.length);
  for (let fold = 0; fold < folds; fold++) {
    const known = all.filter((row) => parts[row] !== fold),
      held = all.filter((row) => parts[row] === fold);
    predict(rows, offsetsAlone, fitOffsets(rows, known, offsetsAlone.trust), held, offsets);
    onProgress((fold + 0.1) / folds);
    const setting = chooseSetting(rows, known, seed + fold);
    onProgress((fold + 0.6) / folds);
    predict(rows, setting, fitSetting(rows, known, setting), held, fitted);
    onProgress((fold + 1) / folds);
  }
  return { router: rows.odds.map(sigmoid), offsets, fitted };
}
