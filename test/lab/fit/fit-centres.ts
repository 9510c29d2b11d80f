import type { Features } from '../../../src/chooser/predictor/features/features.js';
import { scaled, type Embedding, type Scaling } from './fit-embedding.js';
import { cholesky } from '../../../src/chooser/training/custom/fit-correction.js';

/**
 * The centre of each task's texts, in coordinates in which texts spread by 1 in every direction.
 */
export interface Centres {
  /** By task, `rank` each. A task without rows has a centre far away. */
  readonly centres: Float32Array;
  /** `rank` by `rank`, lower triangular. */
  readonly whitening: Float32Array;
}

const farAway = 1e4;

/** The coordinates of a text in an embedding. */
export function placeOf(
  { dense, buckets, weights }: Features,
  { rank, grams, dense: matrix, bias }: Embedding,
  scaling: Scaling,
): Float64Array {
  const place = Float64Array.from(bias);
  for (let at = 0; at < buckets.length; at++)
    for (let j = 0, from = buckets[at]! * rank; j < rank; j++)
      place[j]! += weights[at]! * grams[from + j]!;
  for (let at = 0; at < dense.length; at++) {
    const value = scaled(dense[at]!, at, scaling);
    for (let j = 0, from = at * rank; j < rank; j++) place[j]! += value * matrix[from + j]!;
  }
  return place;
}

/**
 * Finds the centre of each task and the spread around it.
 * @param places coordinates of each row
 * @param tasks by row: the number of its task
 */
export function fitCentres(
  places: readonly Float64Array[],
  tasks: ArrayLike<number>,
  taskCount: number,
  rank: number,
): Centres {
  const means = new Float64Array(taskCount * rank),
    counts = new Float64Array(taskCount);
  places.forEach((place, row) => {
    counts[tasks[row]!]!++;
    for (let j = 0; j < rank; j++) means[tasks[row]! * rank + j]! += place[j]!;
  });
  for (let at = 0; at < means.length; at++)
    means[at]! /= Math.max(1, counts[Math.floor(at / rank)]!);
  const spread = Array.from({ length: rank }, (_, row) =>
    Float64Array.from({ length: rank }, (__, column) => (row === column ? 1e-3 : 0)),
  );
  places.forEach((place, row) => {
    const from = tasks[row]! * rank;
    for (let j = 0; j < rank; j++)
      for (let other = 0; other <= j; other++)
        spread[j]![other]! +=
          ((place[j]! - means[from + j]!) * (place[other]! - means[from + other]!)) / places.length;
  });
  const whitening = invertLower(cholesky(spread));
  const centres = new Float32Array(taskCount * rank);
  for (let task = 0; task < taskCount; task++)
    for (let row = 0; row < rank; row++)
      centres[task * rank + row] =
        counts[task] === 0 ? farAway : product(whitening, means, row, task * rank);
  return { centres, whitening: Float32Array.from(whitening.flatMap((row) => [...row])) };
}

function product(
  matrix: readonly Float64Array[],
  values: Float64Array,
  row: number,
  from: number,
): number {
  let sum = 0;
  for (let j = 0; j <= row; j++) sum += matrix[row]![j]! * values[from + j]!;
  return sum;
}

function invertLower(lower: readonly Float64Array[]): Float64Array[] {
  const size = lower.length;
  const inverse = lower.map(() => new Float64Array(size));
  for (let column = 0; column < size; column++) {
    inverse[column]![column] = 1 / lower[column]![column]!;
    for (let row = column + 1; row < size; row++) {
      let sum = 0;
      for (let j = column; j < row; j++) sum -= lower[row]![j]! * inverse[j]![column]!;
      inverse[row]![column] = sum / lower[row]![row]!;
    }
  }
  return inverse;
}
