import type { Evaluations } from './evaluations.js';
import { scaled, type Scaling } from './fit-embedding.js';
import { cholesky, solveFactored } from '../../../src/chooser/training/custom/fit-correction.js';

/** Lengths of answers, in natural logarithms of output tokens. */
export interface Lengths {
  /** By task. */
  readonly tasks: Float32Array;
  /** By dense feature: what it adds to the task's length. */
  readonly dense: Float32Array;
  /** By model: what it adds to the length of the average model. */
  readonly models: Float32Array;
}

const ridge = 50;
const priorRows = 20;

/**
 * Fits lengths of answers by task, by model and by text within its task. Tasks without answers get
 * the mean of all.
 */
export function fitLengths(evaluations: Evaluations, rows: Int32Array, scaling: Scaling): Lengths {
  const { taskNames, models, tasks } = evaluations;
  const byTask = new Float32Array(taskNames.length),
    byModel = new Float32Array(models.length);
  const cells = gather(evaluations, rows);
  const mean = cells.mean;
  byTask.fill(mean);
  for (let round = 0; round < 8; round++) {
    fitTasks(cells, byTask, byModel, mean);
    fitModels(cells, byTask, byModel);
  }
  return {
    tasks: byTask,
    models: byModel,
    dense: fitDense(evaluations, rows, scaling, (row) => byTask[tasks[row]!]!, byModel),
  };
}

interface Cells {
  readonly sums: Float64Array;
  readonly counts: Float64Array;
  readonly mean: number;
}

function gather({ tasks, taskNames, models, outputTokens }: Evaluations, rows: Int32Array): Cells {
  const width = models.length;
  const sums = new Float64Array(taskNames.length * width),
    counts = new Float64Array(sums.length);
  let sum = 0,
    count = 0;
  for (const row of rows) {
    for (let model = 0; model < width; model++) {
      const tokens = outputTokens[row * width + model]!;
      if (!(tokens > 0)) continue;
      sums[tasks[row]! * width + model]! += Math.log(tokens);
      counts[tasks[row]! * width + model]!++;
      sum += Math.log(tokens);
      count++;
    }
  }
  return { sums, counts, mean: count === 0 ? Math.log(300) : sum / count };
}

function fitTasks(
  { sums, counts }: Cells,
  byTask: Float32Array,
  byModel: Float32Array,
  mean: number,
): void {
  const width = byModel.length;
  for (let task = 0; task < byTask.length; task++) {
    let sum = priorRows * mean,
      count = priorRows;
    for (let model = 0; model < width; model++) {
      const rows = counts[task * width + model]!;
      sum += sums[task * width + model]! - rows * byModel[model]!;
      count += rows;
    }
    byTask[task] = sum / count;
  }
}

function fitModels({ sums, counts }: Cells, byTask: Float32Array, byModel: Float32Array): void {
  const width = byModel.length;
  for (let model = 0; model < width; model++) {
    let sum = 0,
      count = priorRows;
    for (let task = 0; task < byTask.length; task++) {
      const rows = counts[task * width + model]!;
      sum += sums[task * width + model]! - rows * byTask[task]!;
      count += rows;
    }
    byModel[model] = sum / count;
  }
}

function fitDense(
  evaluations: Evaluations,
  rows: Int32Array,
  scaling: Scaling,
  expected: (row: number) => number,
  byModel: Float32Array,
): Float32Array {
  const { features, outputTokens, models } = evaluations;
  const width = scaling.mean.length;
  const matrix = Array.from({ length: width }, () => new Float64Array(width)),
    target = new Float64Array(width),
    values = new Float64Array(width);
  for (const row of rows) {
    let sum = 0,
      count = 0;
    for (let model = 0; model < models.length; model++) {
      const tokens = outputTokens[row * models.length + model]!;
      if (!(tokens > 0)) continue;
      sum += Math.log(tokens) - byModel[model]!;
      count++;
    }
    if (count === 0) continue;
    const rest = sum / count - expected(row);
    for (let at = 0; at < width; at++) values[at] = scaled(features[row]!.dense[at]!, at, scaling);
    for (let at = 0; at < width; at++) {
      if (values[at] === 0) continue;
      target[at]! += values[at]! * rest;
      for (let other = 0; other <= at; other++) matrix[at]![other]! += values[at]! * values[other]!;
    }
  }
  for (let at = 0; at < width; at++) matrix[at]![at]! += ridge;
  return Float32Array.from(solveFactored(cholesky(matrix), target));
}
