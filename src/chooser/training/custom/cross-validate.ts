import { sigmoid } from '../../../models/numbers.js';
import type { Predicted } from './choices.js';
import type { CustomRows } from './custom-rows.js';
import {
  correctedOdds,
  type Correction,
  fitOffsets,
  fitSlopes,
  offsetsAlone,
  type Setting,
} from './fit-correction.js';
import { seeded, shuffle } from './bootstrap.js';

const trusts = [0, 0.5, 1];
/** From the strongest on: each fit starts from the one before it. */
const ridges = [3000, 1000, 300, 100, 30];
const settingFolds = 4;
/** More rows would not change the choice. */
const maxRows = 3000;

/** Assigns each row to one of `parts` folds; equal prompts get the same fold. */
function foldsOf(groups: Int32Array, parts: number, seed: number): Int32Array {
  const order = Int32Array.from(new Set(groups));
  shuffle(order, seeded(seed));
  const places = new Map(Array.from(order, (group, place) => [group, place % parts]));
  return Int32Array.from(groups, (group) => places.get(group)!);
}

/** All fits of one set of rows: offsets alone and then each ridge, for each trust. */
function* fitsOf(rows: CustomRows, chosen: Int32Array): Generator<readonly [Setting, Correction]> {
  for (const trust of trusts) {
    let fitted = fitOffsets(rows, chosen, trust);
    yield [{ trust, ridge: null }, fitted];
    for (const ridge of ridges) {
      fitted = fitSlopes(rows, chosen, trust, ridge, fitted);
      yield [{ trust, ridge }, fitted];
    }
  }
}

/**
 * The squared error of the differences between models in a row: how hard the row is for all of them
 * does not change the choice.
 */
function errorAt(rows: CustomRows, setting: Setting, correction: Correction, row: number): number {
  const width = rows.models.length;
  let sum = 0,
    squares = 0,
    measured = 0;
  for (let model = 0; model < width; model++) {
    const score = rows.scores[row * width + model]!;
    if (Number.isNaN(score)) continue;
    const error = score - sigmoid(correctedOdds(rows, setting, correction, row, model));
    sum += error;
    squares += error * error;
    measured++;
  }
  return measured < 2 ? 0 : squares - (sum * sum) / measured;
}

/** Chooses by cross-validation how much to trust the predictor, and how much to learn. */
export function chooseSetting(rows: CustomRows, chosen: Int32Array, seed: number): Setting {
  const order = chosen.slice();
  shuffle(order, seeded(seed));
  const picked = order.subarray(0, maxRows).sort();
  const parts = foldsOf(rows.groups, settingFolds, seed + 1);
  const errors = new Map<string, { setting: Setting; sum: number }>();
  for (let fold = 0; fold < settingFolds; fold++) {
    const held = picked.filter((row) => parts[row] === fold);
    for (const [setting, correction] of fitsOf(
      rows,
      picked.filter((row) => parts[row] !== fold),
    )) {
      const name = `${setting.trust} ${setting.ridge}`;
      const known = errors.get(name) ?? { setting, sum: 0 };
      for (const row of held) known.sum += errorAt(rows, setting, correction, row);
      errors.set(name, known);
    }
  }
  return [...errors.values()].reduce((best, one) => (one.sum < best.sum ? one : best)).setting;
}

/** Fits the correction of one setting. */
export function fitSetting(
  rows: CustomRows,
  chosen: Int32Array,
  { trust, ridge }: Setting,
): Correction {
  const offsets = fitOffsets(rows, chosen, trust);
  return ridge === null ? offsets : fitSlopes(rows, chosen, trust, ridge, offsets);
}

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

/** Fits without each fifth of the prompts in turn, and predicts that fifth. */
function predictFolds(
  rows: CustomRows,
  seed: number,
  fit: (known: Int32Array, fold: number) => readonly [Setting, Correction],
): Predicted {
  const width = rows.models.length;
  const parts = foldsOf(rows.groups, folds, seed);
  const all = Int32Array.from({ length: rows.count }, (_, row) => row);
  const predicted = new Float32Array(rows.odds.length);
  for (let fold = 0; fold < folds; fold++) {
    const known = all.filter((row) => parts[row] !== fold);
    const [setting, correction] = fit(known, fold);
    for (const row of all.filter((one) => parts[one] === fold))
      for (let model = 0; model < width; model++)
        predicted[row * width + model] = sigmoid(
          correctedOdds(rows, setting, correction, row, model),
        );
  }
  return predicted;
}

/** The same of offsets alone: predictions by fits that saw neither the rows nor equal prompts. */
export const crossValidateOffsets = (rows: CustomRows, seed: number): Predicted =>
  predictFolds(rows, seed, (known) => [offsetsAlone, fitOffsets(rows, known, offsetsAlone.trust)]);

/** Trains five times without a fifth of the prompts, and predicts that fifth. */
export function crossValidate(
  rows: CustomRows,
  seed: number,
  onProgress: (share: number) => void,
): HeldOut {
  const fitted = predictFolds(rows, seed, (known, fold) => {
    const setting = chooseSetting(rows, known, seed + fold);
    onProgress((fold + 0.6) / folds);
    const correction = fitSetting(rows, known, setting);
    onProgress((fold + 1) / folds);
    return [setting, correction];
  });
  const offsets = crossValidateOffsets(rows, seed);
  return { router: rows.odds.map(sigmoid), offsets, fitted };
}
