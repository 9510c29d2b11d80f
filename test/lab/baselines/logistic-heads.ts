import type { Features } from '../../../src/routing/predictor/features/features.js';
import { gramBuckets } from '../../../src/routing/predictor/features/grams.js';
import { logit } from '../fit/evaluations.js';
import { sigmoid } from '../../../src/routing/numbers.js';
import { scaled, scalingOf } from '../fit/fit-embedding.js';
import { seeded, shuffle } from '../../../src/training/custom/seeded.js';
import { meansOf, type AnsweredRows, type Learner } from './learner.js';

/** The loss counts this much beside half the squared weights. */
const inverseRidge = 0.3;
const epochs = 12,
  rate = 0.1;

/** A head for each model, fitted together by Adagrad: every step reads a text once for all of them. */
class Heads {
  readonly grams: Float32Array;
  readonly dense: Float32Array;
  readonly bias: Float32Array;
  private readonly gramSums = new Float32Array(gramBuckets);
  private readonly denseSums: Float32Array;
  private readonly counts = new Float32Array(gramBuckets);
  private readonly odds: Float64Array;
  private readonly scaling;

  constructor(private readonly rows: AnsweredRows) {
    const width = rows.models.length;
    this.scaling = scalingOf(rows.features);
    const { length } = this.scaling.mean;
    this.grams = new Float32Array(gramBuckets * width);
    this.dense = new Float32Array(length * width);
    this.denseSums = new Float32Array(length);
    this.bias = Float32Array.from(meansOf(rows), logit);
    this.odds = new Float64Array(width);
    for (const { buckets } of rows.features) for (const bucket of buckets) this.counts[bucket]!++;
  }

  /** Log odds of each model; the same array every time. */
  forward({ buckets, weights, dense }: Features): Float64Array {
    const { odds, grams } = this,
      width = odds.length;
    odds.set(this.bias);
    for (let at = 0; at < buckets.length; at++)
      for (let model = 0, from = buckets[at]! * width; model < width; model++)
        odds[model]! += weights[at]! * grams[from + model]!;
    for (let at = 0; at < dense.length; at++) {
      const value = scaled(dense[at]!, at, this.scaling);
      for (let model = 0, from = at * width; model < width; model++)
        odds[model]! += value * this.dense[from + model]!;
    }
    return odds;
  }

  step(row: number, rate: number): void {
    const features = this.rows.features[row]!,
      width = this.odds.length;
    const errors = this.forward(features).map(
      (odds, model) => sigmoid(odds) - this.rows.scores[row * width + model]!,
    );
    for (let at = 0; at < features.buckets.length; at++) {
      const bucket = features.buckets[at]!;
      this.move(
        this.grams,
        bucket * width,
        features.weights[at]!,
        errors,
        this.gramSums,
        bucket,
        1 / (inverseRidge * this.counts[bucket]!),
        rate,
      );
    }
    for (let at = 0; at < features.dense.length; at++) {
      this.move(
        this.dense,
        at * width,
        scaled(features.dense[at]!, at, this.scaling),
        errors,
        this.denseSums,
        at,
        1 / (inverseRidge * this.rows.features.length),
        rate,
      );
    }
    for (let model = 0; model < width; model++) this.bias[model]! -= 0.02 * rate * errors[model]!;
  }

  /** @param ridge this step's share of the penalty: over an epoch they add up to the whole one */
  private move(
    target: Float32Array,
    from: number,
    value: number,
    errors: Float64Array,
    sums: Float32Array,
    place: number,
    ridge: number,
    rate: number,
  ): void {
    if (value === 0) return;
    sums[place]! += value * value * 0.2;
    const step = rate / Math.sqrt(sums[place]! + 1e-3),
      kept = 1 / (1 + step * ridge);
    for (let model = 0; model < errors.length; model++)
      target[from + model] = (target[from + model]! - step * value * errors[model]!) * kept;
  }
}

/** A logistic regression for each model on dense features and n-grams, strongly regularised (L2, C = .3). */
export const logisticHeads: Learner = (rows, seed) => {
  const heads = new Heads(rows);
  const order = Int32Array.from(rows.features.keys()),
    random = seeded(seed);
  for (let epoch = 0, step = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const row of order) heads.step(row, rate * (1 - step++ / (order.length * epochs)));
  }
  return (features) => heads.forward(features).map(sigmoid);
};
