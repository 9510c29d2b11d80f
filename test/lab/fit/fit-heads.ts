import type { Features } from '../../../src/chooser/predictor/features/features.js';
import type { Evaluations } from './evaluations.js';
import { scaled, type Scaling } from './fit-embedding.js';
import type { Tables } from './tables.js';
import { seeded, shuffle } from '../../../src/chooser/training/custom/seeded.js';
import { HeadsDescent } from './heads-descent.js';

/** For single models, what a text adds to what its task says, in log odds. */
export interface Heads {
  /** Indices of the models that have a head. */
  readonly models: Int32Array;
  /** By bucket, one for each of these models. */
  readonly grams: Float32Array;
  /** By dense feature, likewise. */
  readonly dense: Float32Array;
  /** By task, likewise: the mean over its texts, which the task's table already contains. */
  readonly means: Float32Array;
}

const epochs = 6;
const rate = 0.1;
/**
 * A model gets a head if it was measured in so many families. Other models have too few
 * scores to learn more than their tasks say.
 */
const minFamilies = 3;
/** Rows of one family that heads learn from. More of the same add little. */
const maxRowsOfFamily = 8000;

function modelsWithHeads(
  { models, scores, tasks, families }: Evaluations,
  rows: Int32Array,
): Int32Array {
  const seen = models.map(() => new Set<string>());
  for (const row of rows)
    for (let model = 0; model < models.length; model++)
      if (!Number.isNaN(scores[row * models.length + model]!))
        seen[model]!.add(families[tasks[row]!]!);
  return Int32Array.from(models.keys()).filter((model) => seen[model]!.size >= minFamilies);
}

/**
 * Writes what the heads say of a text into `output` and returns it. The mean of its task is not
 * subtracted.
 */
export function headsOf(
  { buckets, weights, dense }: Features,
  heads: Pick<Heads, 'grams' | 'dense'>,
  scaling: Scaling,
  output: Float64Array,
): Float64Array {
  const { length: width } = output;
  output.fill(0);
  for (let at = 0; at < buckets.length; at++)
    for (let head = 0, from = buckets[at]! * width; head < width; head++)
      output[head]! += weights[at]! * heads.grams[from + head]!;
  for (let at = 0; at < dense.length; at++) {
    const value = scaled(dense[at]!, at, scaling);
    for (let head = 0, from = at * width; head < width; head++)
      output[head]! += value * heads.dense[from + head]!;
  }
  return output;
}

/** Fits heads to what the tables leave unexplained. The same rows and seed give the same heads. */
export function fitHeads(
  evaluations: Evaluations,
  rows: Int32Array,
  tables: Tables,
  scaling: Scaling,
  seed: number,
): Heads {
  const models = modelsWithHeads(evaluations, rows);
  const random = seeded(seed + 3);
  const order = drawRows(evaluations, rows, models, random);
  const descent = new HeadsDescent(evaluations, order, models, tables, scaling);
  for (let epoch = 0, step = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const row of order) descent.step(row, rate * (1 - step++ / (order.length * epochs)));
  }
  const found = { models, ...descent.weights };
  return { ...found, means: meansOf(evaluations, rows, found, scaling) };
}

/** The rows that some head's model answered, in random order, not too many of any family. */
function drawRows(
  { scores, models: { length: width }, tasks, families }: Evaluations,
  rows: Int32Array,
  models: Int32Array,
  random: () => number,
): Int32Array {
  const order = rows.filter((row) =>
    models.some((model) => !Number.isNaN(scores[row * width + model]!)),
  );
  shuffle(order, random);
  const taken = new Map<string, number>();
  return order.filter((row) => {
    const family = families[tasks[row]!]!,
      before = taken.get(family) ?? 0;
    taken.set(family, before + 1);
    return before < maxRowsOfFamily;
  });
}

function meansOf(
  { features, tasks, taskNames }: Evaluations,
  rows: Int32Array,
  heads: Omit<Heads, 'means'>,
  scaling: Scaling,
): Float32Array {
  const { length: width } = heads.models;
  const means = new Float32Array(taskNames.length * width),
    counts = new Float32Array(taskNames.length),
    output = new Float64Array(width);
  for (const row of rows) {
    headsOf(features[row]!, heads, scaling, output);
    counts[tasks[row]!]!++;
    for (let head = 0; head < width; head++) means[tasks[row]! * width + head]! += output[head]!;
  }
  return means.map((sum, at) => sum / Math.max(1, counts[Math.floor(at / width)]!));
}
