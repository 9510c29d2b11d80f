import type { Features } from '../../../src/chooser/predictor/features/features.js';
import { gramBuckets } from '../../../src/chooser/predictor/features/grams.js';
import { seeded, shuffle } from '../../../src/chooser/training/custom/bootstrap.js';
import { normal } from '../random.js';

/** A linear map from features to a few coordinates, from which the kind of task can be told. */
export interface Embedding {
  readonly rank: number;
  /** By bucket, `rank` each. */
  readonly grams: Float32Array;
  /** By dense feature, `rank` each. */
  readonly dense: Float32Array;
  readonly bias: Float32Array;
  /** By task, `rank` each. */
  readonly tasks: Float32Array;
  readonly taskBias: Float32Array;
}

/** What an embedding is fitted to. */
export interface LabelledRows {
  readonly features: readonly Features[];
  /** By row: the number of its task. */
  readonly tasks: Int32Array;
  readonly taskCount: number;
  /** Mean and scale of the dense features. */
  readonly scaling: Scaling;
}

/** How dense features are centred and scaled. */
export interface Scaling {
  readonly mean: Float32Array;
  /** Multiplied after the mean is taken away. */
  readonly scale: Float32Array;
}

/** What governs a fit. */
export interface EmbeddingOptions {
  readonly rank: number;
  readonly epochs: number;
  readonly seed: number;
  readonly onProgress?: (share: number) => void;
}

const gramGain = 4;
const denseGain = 0.5;
const rate = 0.12;
const clip = 4;

/** A dense feature as it is used: centred, scaled, without outliers. */
export function scaled(value: number, at: number, { mean, scale }: Scaling): number {
  return Math.max(-clip, Math.min(clip, (value - mean[at]!) * scale[at]!));
}

/** The scaling of rows: mean 0 and variance 1, but for features that hardly vary. */
export function scalingOf(features: readonly Features[]): Scaling {
  const width = features[0]?.dense.length ?? 0;
  const sums = new Float64Array(width),
    squares = new Float64Array(width);
  for (const { dense } of features) {
    for (let at = 0; at < width; at++) {
      sums[at]! += dense[at]!;
      squares[at]! += dense[at]! * dense[at]!;
    }
  }
  const rows = Math.max(1, features.length);
  const mean = Float32Array.from(sums, (sum) => sum / rows);
  const scale = Float32Array.from(
    squares,
    (square, at) => 1 / (Math.sqrt(Math.max(0, square / rows - (sums[at]! / rows) ** 2)) + 1e-3),
  );
  return { mean, scale };
}

/**
 * One fit: stochastic gradient descent whose steps shrink where much has been learned already
 * (Adagrad).
 */
class Fit {
  readonly rank: number;
  readonly grams: Float32Array;
  readonly dense: Float32Array;
  readonly bias: Float32Array;
  readonly tasks: Float32Array;
  readonly taskBias: Float32Array;
  private readonly gramSums = new Float32Array(gramBuckets);
  private readonly denseSums: Float32Array;
  private readonly taskSums: Float32Array;
  private readonly hidden: Float64Array;
  private readonly slope: Float64Array;
  private readonly shares: Float64Array;
  private readonly scaledDense: Float32Array;

  constructor(
    private readonly rows: LabelledRows,
    { rank, seed }: EmbeddingOptions,
  ) {
    const random = seeded(seed);
    const width = rows.scaling.mean.length;
    this.rank = rank;
    this.grams = Float32Array.from({ length: gramBuckets * rank }, () => 0.05 * normal(random));
    this.dense = Float32Array.from({ length: width * rank }, () => 0.1 * normal(random));
    this.bias = new Float32Array(rank);
    this.tasks = Float32Array.from({ length: rows.taskCount * rank }, () => 0.1 * normal(random));
    this.taskBias = new Float32Array(rows.taskCount);
    this.denseSums = new Float32Array(width);
    this.taskSums = new Float32Array(rows.taskCount);
    this.hidden = new Float64Array(rank);
    this.slope = new Float64Array(rank);
    this.shares = new Float64Array(rows.taskCount);
    this.scaledDense = new Float32Array(width);
  }

  step(row: number, rate: number): void {
    const features = this.rows.features[row]!;
    this.forward(features);
    this.shares[this.rows.tasks[row]!]! -= 1;
    this.backwardTasks(rate);
    this.backwardFeatures(features, rate);
  }

  private forward({ dense, buckets, weights }: Features): void {
    const { rank, hidden } = this;
    for (let j = 0; j < rank; j++) hidden[j] = this.bias[j]!;
    for (let at = 0; at < dense.length; at++) {
      const value = (this.scaledDense[at] = denseGain * scaled(dense[at]!, at, this.rows.scaling));
      for (let j = 0, from = at * rank; j < rank; j++) hidden[j]! += value * this.dense[from + j]!;
    }
    for (let at = 0; at < buckets.length; at++) {
      const value = gramGain * weights[at]!;
      for (let j = 0, from = buckets[at]! * rank; j < rank; j++)
        hidden[j]! += value * this.grams[from + j]!;
    }
    softmaxOf(hidden, this.tasks, this.taskBias, this.shares);
  }

  private backwardTasks(rate: number): void {
    const { rank, hidden, slope } = this;
    slope.fill(0);
    let length = 1;
    for (let j = 0; j < rank; j++) length += hidden[j]! * hidden[j]!;
    for (let task = 0; task < this.shares.length; task++) {
      const error = this.shares[task]!;
      if (Math.abs(error) < 1e-5) continue;
      this.taskSums[task]! += (error * error * length) / rank;
      const step = (rate * error) / Math.sqrt(this.taskSums[task]! + 1e-2);
      for (let j = 0, from = task * rank; j < rank; j++) {
        slope[j]! += error * this.tasks[from + j]!;
        this.tasks[from + j]! -= step * hidden[j]!;
      }
      this.taskBias[task]! -= step;
    }
  }

  private backwardFeatures({ buckets, weights }: Features, rate: number): void {
    const { rank, slope } = this;
    let length = 0;
    for (let j = 0; j < rank; j++) length += slope[j]! * slope[j]!;
    length /= rank;
    for (let j = 0; j < rank; j++) this.bias[j]! -= 0.01 * rate * slope[j]!;
    for (let at = 0; at < this.scaledDense.length; at++)
      move(this.dense, at * rank, this.scaledDense[at]!, at, this.denseSums, slope, length, rate);
    for (let at = 0; at < buckets.length; at++)
      move(
        this.grams,
        buckets[at]! * rank,
        gramGain * weights[at]!,
        buckets[at]!,
        this.gramSums,
        slope,
        length,
        rate,
      );
  }
}

function move(
  target: Float32Array,
  from: number,
  value: number,
  row: number,
  sums: Float32Array,
  slope: Float64Array,
  length: number,
  rate: number,
): void {
  if (value === 0) return;
  sums[row]! += value * value * length;
  const step = (rate * value) / Math.sqrt(sums[row]! + 1e-4);
  for (let j = 0; j < slope.length; j++) target[from + j]! -= step * slope[j]!;
}

/** Shares of tasks, adding up to 1, from the coordinates of a text; written into `shares`. */
function softmaxOf(
  hidden: ArrayLike<number>,
  tasks: Float32Array,
  bias: Float32Array,
  shares: Float64Array,
): void {
  const rank = hidden.length;
  let highest = -Infinity;
  for (let task = 0; task < shares.length; task++) {
    let sum = bias[task]!;
    for (let j = 0, from = task * rank; j < rank; j++) sum += hidden[j]! * tasks[from + j]!;
    shares[task] = sum;
    if (sum > highest) highest = sum;
  }
  let whole = 0;
  for (let task = 0; task < shares.length; task++)
    whole += shares[task] = Math.exp(shares[task]! - highest);
  for (let task = 0; task < shares.length; task++) shares[task]! /= whole;
}

/**
 * Fits an embedding from which the task of a row can be told; the same rows and seed give the same
 * embedding.
 */
export function fitEmbedding(rows: LabelledRows, options: EmbeddingOptions): Embedding {
  const fit = new Fit(rows, options);
  const order = Int32Array.from({ length: rows.features.length }, (_, at) => at);
  const random = seeded(options.seed + 1);
  const steps = order.length * options.epochs;
  for (let epoch = 0, step = 0; epoch < options.epochs; epoch++) {
    shuffle(order, random);
    for (const row of order) fit.step(row, rate * (1 - step++ / steps));
    options.onProgress?.((epoch + 1) / options.epochs);
  }
  // the gains are taken into the weights: whoever uses them need not know of them
  return {
    rank: fit.rank,
    grams: fit.grams.map((weight) => weight * gramGain),
    dense: fit.dense.map((weight) => weight * denseGain),
    bias: fit.bias,
    tasks: fit.tasks,
    taskBias: fit.taskBias,
  };
}
