import type { Features } from '../../../src/routing/predictor/features/features.js';
import { gramBuckets } from '../../../src/routing/predictor/features/grams.js';
import { logit, type Evaluations } from './evaluations.js';
import { sigmoid } from '../../../src/routing/numbers.js';
import { scaled, type Scaling } from './fit-embedding.js';
import type { Tables } from './fit-tables.js';
import { seeded, shuffle } from '../../../src/training/custom/seeded.js';

/** What single texts mean for single models, beside what their task tells, in log odds. */
export interface Heads {
  /** The models that have one, by their places. */
  readonly models: Int32Array;
  /** By bucket, one for each of these models. */
  readonly grams: Float32Array;
  /** By dense feature, likewise. */
  readonly dense: Float32Array;
  /** By task, likewise: the mean of its texts, which the task's table holds already. */
  readonly means: Float32Array;
}

const epochs = 6;
const rate = 0.1;
/** Half the squared weights count so much beside the loss: strongly, for most of what sets texts of a task apart is chance. */
const ridge = 5;
const gramGain = 3,
  denseGain = 0.3;
/** A model has a head of its own where it was measured in so many families: of the others too little is known beside their tasks. */
const fewestFamilies = 3;
/** Rows of one family that heads learn from: more of the same tell little. */
const mostOfFamily = 8000;

function modelsWithHeads(
  { models, scores, tasks, families }: Evaluations,
  rows: Int32Array,
): Int32Array {
  const seen = models.map(() => new Set<string>());
  for (const row of rows)
    for (let model = 0; model < models.length; model++)
      if (!Number.isNaN(scores[row * models.length + model]!))
        seen[model]!.add(families[tasks[row]!]!);
  return Int32Array.from(models.keys()).filter((model) => seen[model]!.size >= fewestFamilies);
}

/** Logistic regressions fitted together by stochastic gradient descent: every step reads a text once for all models. Steps shrink where much has been learned (Adagrad). */
class Fit {
  readonly grams: Float32Array;
  readonly dense: Float32Array;
  private readonly gramSums = new Float32Array(gramBuckets);
  private readonly denseSums: Float32Array;
  /** By bucket and model, and by model: the rows that share a penalty. */
  private readonly gramCounts: Float32Array;
  private readonly modelCounts: Float32Array;
  private readonly scaledDense: Float32Array;
  private readonly measured: Int32Array;
  private readonly errors: Float64Array;

  constructor(
    private readonly evaluations: Evaluations,
    rows: Int32Array,
    private readonly models: Int32Array,
    private readonly tables: Tables,
    private readonly scaling: Scaling,
  ) {
    const { length: wide } = scaling.mean,
      { length: width } = models;
    this.grams = new Float32Array(gramBuckets * width);
    this.dense = new Float32Array(wide * width);
    this.gramCounts = new Float32Array(gramBuckets * width);
    this.modelCounts = new Float32Array(width);
    this.denseSums = new Float32Array(wide);
    this.scaledDense = new Float32Array(wide);
    this.measured = new Int32Array(width);
    this.errors = new Float64Array(width);
    for (const row of rows) this.count(row);
  }

  private count(row: number): void {
    const { buckets } = this.evaluations.features[row]!,
      width = this.models.length,
      found = this.find(row);
    for (let at = 0; at < found; at++) this.modelCounts[this.measured[at]!]!++;
    for (let at = 0; at < buckets.length; at++)
      for (let one = 0, from = buckets[at]! * width; one < found; one++)
        this.gramCounts[from + this.measured[one]!]!++;
  }

  /** Puts down which heads' models answered a row, and how many there are. */
  private find(row: number): number {
    const { models, scores } = this.evaluations;
    let found = 0;
    for (let head = 0; head < this.models.length; head++)
      if (!Number.isNaN(scores[row * models.length + this.models[head]!]!))
        this.measured[found++] = head;
    return found;
  }

  step(row: number, rate: number): void {
    const features = this.evaluations.features[row]!,
      found = this.find(row);
    if (found === 0) return;
    const square = this.miss(row, features, found);
    const { buckets, weights } = features;
    for (let at = 0; at < buckets.length; at++)
      this.move(
        this.grams,
        this.gramSums,
        buckets[at]!,
        gramGain * weights[at]!,
        square,
        found,
        this.gramCounts,
        buckets[at]! * this.models.length,
        rate,
      );
    for (let at = 0; at < this.scaledDense.length; at++)
      this.move(
        this.dense,
        this.denseSums,
        at,
        this.scaledDense[at]!,
        square,
        found,
        this.modelCounts,
        0,
        rate,
      );
  }

  /** Finds what is wrong of each model; returns the mean of the squares. */
  private miss(row: number, { buckets, weights, dense }: Features, found: number): number {
    const {
        measured,
        errors,
        tables: { shares },
        evaluations: {
          scores,
          tasks,
          models: { length: all },
        },
      } = this,
      width = this.models.length;
    for (let at = 0; at < found; at++)
      errors[at] = logit(shares[tasks[row]! * all + this.models[measured[at]!]!]!);
    for (let at = 0; at < buckets.length; at++) {
      const value = gramGain * weights[at]!;
      for (let one = 0, from = buckets[at]! * width; one < found; one++)
        errors[one]! += value * this.grams[from + measured[one]!]!;
    }
    for (let at = 0; at < dense.length; at++) {
      const value = (this.scaledDense[at] = denseGain * scaled(dense[at]!, at, this.scaling));
      for (let one = 0, from = at * width; one < found; one++)
        errors[one]! += value * this.dense[from + measured[one]!]!;
    }
    let square = 0;
    for (let at = 0; at < found; at++) {
      errors[at] = sigmoid(errors[at]!) - scores[row * all + this.models[measured[at]!]!]!;
      square += errors[at]! ** 2 / found;
    }
    return square;
  }

  private move(
    target: Float32Array,
    sums: Float32Array,
    place: number,
    value: number,
    square: number,
    found: number,
    counts: Float32Array,
    countsFrom: number,
    rate: number,
  ): void {
    if (value === 0) return;
    sums[place]! += value * value * square;
    const step = rate / Math.sqrt(sums[place]! + 1e-3),
      from = place * this.models.length;
    for (let one = 0; one < found; one++) {
      const head = this.measured[one]!;
      target[from + head] =
        (target[from + head]! - step * value * this.errors[one]!) /
        (1 + (step * ridge) / counts[countsFrom + head]!);
    }
  }
}

/** What the heads say of a text, the mean of its task not taken away; written into `said`. */
export function headsOf(
  { buckets, weights, dense }: Features,
  heads: Pick<Heads, 'grams' | 'dense'>,
  scaling: Scaling,
  said: Float64Array,
): Float64Array {
  const { length: width } = said;
  said.fill(0);
  for (let at = 0; at < buckets.length; at++)
    for (let head = 0, from = buckets[at]! * width; head < width; head++)
      said[head]! += weights[at]! * heads.grams[from + head]!;
  for (let at = 0; at < dense.length; at++) {
    const value = scaled(dense[at]!, at, scaling);
    for (let head = 0, from = at * width; head < width; head++)
      said[head]! += value * heads.dense[from + head]!;
  }
  return said;
}

/** Fits heads to what the tables leave open. The same rows and seed give the same heads. */
export function fitHeads(
  evaluations: Evaluations,
  rows: Int32Array,
  tables: Tables,
  scaling: Scaling,
  seed: number,
): Heads {
  const models = modelsWithHeads(evaluations, rows),
    random = seeded(seed + 3);
  const order = drawn(evaluations, rows, models, random);
  const fit = new Fit(evaluations, order, models, tables, scaling);
  for (let epoch = 0, step = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const row of order) fit.step(row, rate * (1 - step++ / (order.length * epochs)));
  }
  const found = {
    models,
    grams: fit.grams.map((weight) => weight * gramGain),
    dense: fit.dense.map((weight) => weight * denseGain),
  };
  return { ...found, means: meansOf(evaluations, rows, found, scaling) };
}

/** The rows that some head's model answered, not too many of any family. */
function drawn(
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
    return before < mostOfFamily;
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
    said = new Float64Array(width);
  for (const row of rows) {
    headsOf(features[row]!, heads, scaling, said);
    counts[tasks[row]!]!++;
    for (let head = 0; head < width; head++) means[tasks[row]! * width + head]! += said[head]!;
  }
  return means.map((sum, at) => sum / Math.max(1, counts[Math.floor(at / width)]!));
}
