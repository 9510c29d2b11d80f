import { sigmoid } from '../../../models/numbers.js';
import type { CustomRows } from './custom-rows.js';
import { seeded, shuffle } from './bootstrap.js';

/** How much to trust the predictor, and how strongly to hold back what is learned in addition. */
export interface Setting {
  /** 0..1 */
  readonly trust: number;
  /** The penalty on slopes; null: offsets alone. */
  readonly ridge: number | null;
}

/** The predictor's differences between prompts as they are, and an offset for each model. */
export const offsetsAlone: Setting = { trust: 1, ridge: null };

/** What was fitted for each model. */
export interface Correction {
  readonly centres: Float64Array;
  readonly offsets: Float64Array;
  /** By model, `width` each. */
  readonly slopes: Float64Array;
}

/** After about 20 rows an offset is half of what the rows alone would give. */
const offsetRidge = 4;
const offsetRounds = 8,
  slopeRounds = 12;
/** Enough rows to show how coordinates correlate, including rare ones. */
const maxSampledRows = 20_000;
const enough = 1e-3;

/** The log odds of a row and model under a correction. */
export function correctedOdds(
  rows: CustomRows,
  { trust }: Setting,
  { centres, offsets, slopes }: Correction,
  row: number,
  model: number,
): number {
  const { width, models, odds, points } = rows;
  let sum =
    centres[model]! +
    trust * (odds[row * models.length + model]! - centres[model]!) +
    offsets[model]!;
  for (let at = 0, from = row * width, weight = model * width; at < width; at++)
    sum += slopes[weight + at]! * points[from + at]!;
  return sum;
}

/** Fits offsets, drawn towards the mean of all models' offsets. */
export function fitOffsets(rows: CustomRows, chosen: Int32Array, trust: number): Correction {
  const { models, odds, width } = rows;
  const centres = new Float64Array(models.length),
    offsets = new Float64Array(models.length);
  for (const row of chosen)
    for (let model = 0; model < models.length; model++)
      centres[model]! += odds[row * models.length + model]! / chosen.length;
  const correction = { centres, offsets, slopes: new Float64Array(models.length * width) };
  const shared = newton(
    rows,
    chosen,
    trust,
    correction,
    models.map((_, model) => model),
    0,
    0.5,
  );
  offsets.fill(shared);
  for (let model = 0; model < models.length; model++)
    offsets[model] = newton(rows, chosen, trust, correction, [model], shared, offsetRidge);
  return correction;
}

/** The number near `prior` that, added to their log odds, best explains some models' scores. */
function newton(
  rows: CustomRows,
  chosen: Int32Array,
  trust: number,
  { centres }: Correction,
  of: readonly number[],
  prior: number,
  ridge: number,
): number {
  const { models, odds, scores } = rows;
  let value = prior;
  for (let round = 0; round < offsetRounds; round++) {
    let slope = -ridge * (value - prior),
      curve = ridge;
    for (const row of chosen) {
      for (const model of of) {
        const score = scores[row * models.length + model]!;
        if (Number.isNaN(score)) continue;
        const chance = sigmoid(
          centres[model]! + trust * (odds[row * models.length + model]! - centres[model]!) + value,
        );
        slope += (score - chance) / of.length;
        curve += (chance * (1 - chance)) / of.length;
      }
    }
    value += Math.max(-2, Math.min(2, slope / curve));
  }
  return value;
}

/**
 * Adds slopes to offsets: logistic ridge regression with a bound on the curvature that is computed
 * once, so that a round costs no more than reading the rows. Starts from `start`, which is not
 * changed.
 */
export function fitSlopes(
  rows: CustomRows,
  chosen: Int32Array,
  trust: number,
  ridge: number,
  start: Correction,
): Correction {
  const correction = {
    centres: start.centres,
    offsets: start.offsets.slice(),
    slopes: start.slopes.slice(),
  };
  rows.models.forEach((_, model) => {
    const measured = chosen.filter(
      (row) => !Number.isNaN(rows.scores[row * rows.models.length + model]!),
    );
    if (measured.length === 0) return;
    const factor =
      measured.length === chosen.length
        ? factorFor(rows, chosen, ridge)
        : factorOf(productsOf(rows, measured), measured.length, ridge);
    descend(rows, measured, { trust, ridge }, correction, model, factor);
  });
  return correction;
}

/** Caches the factors of a set of rows, since many fits of the same rows follow each other. */
const kept = new WeakMap<
  Int32Array,
  { readonly products: Float64Array[]; readonly factors: Map<number, Float64Array[]> }
>();

function factorFor(rows: CustomRows, chosen: Int32Array, ridge: number): Float64Array[] {
  const known = kept.get(chosen) ?? {
    products: productsOf(rows, chosen),
    factors: new Map<number, Float64Array[]>(),
  };
  kept.set(chosen, known);
  const factor = known.factors.get(ridge) ?? factorOf(known.products, chosen.length, ridge);
  known.factors.set(ridge, factor);
  return factor;
}

/** The mean products of coordinates, lower half. */
function productsOf({ points, width }: CustomRows, chosen: Int32Array): Float64Array[] {
  const sampled = sampleOf(chosen);
  const products = Array.from({ length: width }, () => new Float64Array(width));
  for (const row of sampled) {
    for (let j = 0, from = row * width; j < width; j++) {
      const value = points[from + j]!;
      if (value === 0) continue;
      const line = products[j]!;
      for (let k = 0; k <= j; k++) line[k]! += value * points[from + k]!;
    }
  }
  for (const line of products)
    for (let k = 0; k < line.length; k++) line[k]! /= Math.max(1, sampled.length);
  return products;
}

/**
 * A random sample rather than every n-th row: rows may alternate, and a bound on the curvature that
 * misses some of them makes the fit diverge.
 */
function sampleOf(chosen: Int32Array): Int32Array {
  if (chosen.length <= maxSampledRows) return chosen;
  const order = chosen.slice();
  shuffle(order, seeded(maxSampledRows));
  return order.subarray(0, maxSampledRows);
}

function factorOf(products: readonly Float64Array[], rows: number, ridge: number): Float64Array[] {
  // a quarter bounds the curvature of the logistic loss; a sample of the rows may miss a little
  const matrix = products.map((line, j) =>
    line.map((value, k) => value * rows * 0.27 + (j === k ? ridge : 0)),
  );
  return cholesky(matrix);
}

function descend(
  rows: CustomRows,
  measured: Int32Array,
  setting: { trust: number; ridge: number },
  correction: Correction,
  model: number,
  factor: readonly Float64Array[],
): void {
  const { width, models, points, scores } = rows;
  const slopes = correction.slopes.subarray(model * width, (model + 1) * width);
  const began = correction.offsets[model]!;
  for (let round = 0; round < slopeRounds; round++) {
    const gradient = slopes.map((slope) => -setting.ridge * slope);
    let offset = offsetRidge * (began - correction.offsets[model]!);
    for (const row of measured) {
      const error =
        scores[row * models.length + model]! -
        sigmoid(correctedOdds(rows, setting, correction, row, model));
      offset += error;
      for (let at = 0, from = row * width; at < width; at++)
        gradient[at]! += error * points[from + at]!;
    }
    const step = solveFactored(factor, gradient);
    let largest = 0;
    for (let at = 0; at < width; at++) {
      slopes[at]! += step[at]!;
      largest = Math.max(largest, Math.abs(step[at]!));
    }
    correction.offsets[model]! += offset / (0.25 * measured.length + offsetRidge);
    if (largest < enough) break;
  }
}

/** Solves a system, given the lower triangular root of its matrix (see `cholesky`). */
export function solveFactored(lower: readonly Float64Array[], target: Float64Array): Float64Array {
  const size = target.length;
  const solution = target.slice();
  for (let row = 0; row < size; row++) {
    for (let j = 0; j < row; j++) solution[row]! -= lower[row]![j]! * solution[j]!;
    solution[row]! /= lower[row]![row]!;
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let j = row + 1; j < size; j++) solution[row]! -= lower[j]![row]! * solution[j]!;
    solution[row]! /= lower[row]![row]!;
  }
  return solution;
}

/** The lower root (Cholesky) of a symmetric, positive definite matrix, computed in place. */
export function cholesky(matrix: Float64Array[]): Float64Array[] {
  for (let row = 0; row < matrix.length; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = matrix[row]![column]!;
      for (let j = 0; j < column; j++) sum -= matrix[row]![j]! * matrix[column]![j]!;
      matrix[row]![column] =
        row === column ? Math.sqrt(Math.max(1e-9, sum)) : sum / matrix[column]![column]!;
    }
  }
  return matrix;
}
