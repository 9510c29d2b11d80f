import { cholesky, solveFactored } from '../../../src/chooser/training/custom/fit-correction.js';
import type { Features } from '../../../src/chooser/predictor/features/features.js';
import { gramBuckets } from '../../../src/chooser/predictor/features/grams.js';
import { adaGradStep } from './ada-grad.js';
import { scaled, type Scaling } from './fit-embedding.js';
import { type Evaluations, logit } from './evaluations.js';
import { sigmoid } from '../../../src/models/numbers.js';
import type { Tables } from './tables.js';
import { seeded, shuffle } from '../../../src/chooser/training/custom/bootstrap.js';

/** How hard texts are, in log odds that every model loses. */
export interface Difficulty {
  /** By bucket. */
  readonly grams: Float32Array;
  /** By dense feature. */
  readonly dense: Float32Array;
  /** By task: the mean of its texts, which `hardness` holds already. */
  readonly means: Float32Array;
  /** By dense feature: for texts of an unknown kind. */
  readonly general: Float32Array;
}

const epochs = 6;
const rate = 0.06;
/** What the weights lose with each step that touches them. */
const decay = 0.004,
  denseDecay = 0.0004;
const gramGain = 2;
/** More models on one prompt tell less and less. */
const mostModels = 12;
const generalRidge = 6;

/**
 * The mean of what models missed on a row beyond what its task lets expect, and how many there
 * were.
 */
function missed(
  { scores, models, tasks }: Evaluations,
  { shares }: Tables,
  row: number,
  shift: number,
): { slope: number; models: number } {
  const width = models.length,
    from = tasks[row]! * width;
  let slope = 0,
    count = 0;
  for (let model = 0; model < width; model++) {
    const score = scores[row * width + model]!;
    if (Number.isNaN(score)) continue;
    const odds = logit(shares[from + model]!) - shift;
    slope += sigmoid(odds) - score;
    count++;
  }
  return {
    slope: count === 0 ? 0 : (slope / count) * Math.min(1, count / mostModels + 0.25),
    models: count,
  };
}

class Fit {
  readonly grams = new Float32Array(gramBuckets);
  readonly dense: Float32Array;
  private readonly sums = new Float32Array(gramBuckets);
  private readonly denseSums: Float32Array;

  constructor(
    private readonly evaluations: Evaluations,
    private readonly tables: Tables,
    private readonly scaling: Scaling,
    private readonly taskMeans: Float32Array,
  ) {
    this.dense = new Float32Array(scaling.mean.length);
    this.denseSums = new Float32Array(scaling.mean.length);
  }

  centred(row: number, at: number): number {
    const width = this.dense.length;
    return (
      scaled(this.evaluations.features[row]!.dense[at]!, at, this.scaling) -
      this.taskMeans[this.evaluations.tasks[row]! * width + at]!
    );
  }

  shiftOf(row: number, { buckets, weights }: Features): number {
    let shift = 0;
    for (let at = 0; at < buckets.length; at++)
      shift += gramGain * weights[at]! * this.grams[buckets[at]!]!;
    for (let at = 0; at < this.dense.length; at++)
      shift += 0.3 * this.centred(row, at) * this.dense[at]!;
    return shift;
  }

  step(row: number, rate: number): void {
    const features = this.evaluations.features[row]!;
    const { slope, models } = missed(
      this.evaluations,
      this.tables,
      row,
      this.shiftOf(row, features),
    );
    if (models === 0) return;
    // the loss falls as difficulty rises where models missed more than expected
    for (let at = 0; at < features.buckets.length; at++)
      adaGradStep(
        this.grams,
        this.sums,
        features.buckets[at]!,
        -slope * gramGain * features.weights[at]!,
        rate,
        decay,
      );
    for (let at = 0; at < this.dense.length; at++)
      adaGradStep(
        this.dense,
        this.denseSums,
        at,
        -slope * 0.3 * this.centred(row, at),
        rate,
        denseDecay,
      );
  }
}

function meansByTask(
  { features, tasks, taskNames }: Evaluations,
  rows: ArrayLike<number>,
  scaling: Scaling,
): Float32Array {
  const width = scaling.mean.length;
  const means = new Float32Array(taskNames.length * width),
    counts = new Float32Array(taskNames.length);
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    counts[tasks[row]!]!++;
    for (let j = 0; j < width; j++)
      means[tasks[row]! * width + j]! += scaled(features[row]!.dense[j]!, j, scaling);
  }
  return means.map((sum, at) => sum / Math.max(1, counts[Math.floor(at / width)]!));
}

/**
 * Fits what makes a text hard among those of its task. `general` is fitted with one vote for each
 * family, so that it holds for a new one.
 */
export function fitDifficulty(
  evaluations: Evaluations,
  rows: Int32Array,
  tables: Tables,
  scaling: Scaling,
  seed: number,
): Difficulty {
  const taskMeans = meansByTask(evaluations, rows, scaling);
  const fit = new Fit(evaluations, tables, scaling, taskMeans);
  const order = rows.slice();
  const random = seeded(seed + 2);
  for (let epoch = 0, step = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const row of order) fit.step(row, rate * (1 - step++ / (order.length * epochs)));
  }
  const means = new Float32Array(evaluations.taskNames.length),
    counts = new Float32Array(means.length);
  const grams = fit.grams.map((weight) => weight * gramGain),
    dense = fit.dense.map((weight) => weight * 0.3);
  for (const row of rows) {
    const task = evaluations.tasks[row]!;
    counts[task]!++;
    means[task]! += difficultyOf(evaluations.features[row]!, grams, dense, scaling);
  }
  return {
    grams,
    dense,
    means: means.map((sum, task) => sum / Math.max(1, counts[task]!)),
    general: fitGeneral(evaluations, rows, tables, fit),
  };
}

/** How hard a text is, before its task's mean is taken away. */
export function difficultyOf(
  { buckets, weights, dense: values }: Features,
  grams: Float32Array,
  dense: Float32Array,
  scaling: Scaling,
): number {
  let shift = 0;
  for (let at = 0; at < buckets.length; at++) shift += weights[at]! * grams[buckets[at]!]!;
  for (let at = 0; at < dense.length; at++) shift += scaled(values[at]!, at, scaling) * dense[at]!;
  return shift;
}

/**
 * Ridge regression within tasks, each family with one vote, in log odds: what was missed over the
 * mean slope of the odds.
 */
function fitGeneral(
  evaluations: Evaluations,
  rows: Int32Array,
  tables: Tables,
  fit: Fit,
): Float32Array {
  const width = fit.dense.length;
  const sizes = new Map<string, number>();
  for (const row of rows) count(sizes, evaluations.families[evaluations.tasks[row]!]!);
  const matrix = Array.from({ length: width }, () => new Float64Array(width)),
    target = new Float64Array(width),
    values = new Float64Array(width);
  for (const row of rows) {
    const vote = 1 / sizes.get(evaluations.families[evaluations.tasks[row]!]!)!;
    const { slope, models } = missed(evaluations, tables, row, 0);
    if (models === 0) continue;
    for (let at = 0; at < width; at++) values[at] = fit.centred(row, at);
    for (let at = 0; at < width; at++) {
      if (values[at] === 0) continue;
      // a share of .01 is about .05 in log odds
      target[at]! += vote * values[at]! * slope * 5;
      for (let other = 0; other <= at; other++)
        matrix[at]![other]! += vote * values[at]! * values[other]!;
    }
  }
  for (let at = 0; at < width; at++) matrix[at]![at]! += generalRidge * Math.max(1, sizes.size / 4);
  return Float32Array.from(solveFactored(cholesky(matrix), target));
}

function count(sizes: Map<string, number>, name: string): void {
  sizes.set(name, (sizes.get(name) ?? 0) + 1);
}
