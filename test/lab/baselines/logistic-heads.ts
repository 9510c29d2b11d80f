import type { Features } from '../../../src/chooser/predictor/features/features.js';
import { gramBuckets } from '../../../src/chooser/predictor/features/grams.js';
import { logit } from '../fit/evaluations.js';
import { sigmoid } from '../../../src/models/numbers.js';
import { scaled, scalingOf } from '../fit/fit-embedding.js';
import { createRandomStream } from '../random.js';
import { meansOf, type AnsweredRows, type Learner } from './learner.js';

/* No library: ml-logistic-regression has no regularisation, without which this baseline loses to
the best single model, and its dense matrix of 16,472 columns needs over a gigabyte for a pool. */

/** Weight of the loss beside half the squared weights. */
const inverseRidge = 0.3;
const epochs = 12;
const initialRate = 0.1;

/** Weights of one kind of input for all models, with the state of Adagrad. */
interface Layer {
  /** By input, one for each model. */
  readonly weights: Float32Array;
  /** By input: squares of past steps. */
  readonly squares: Float32Array;
  /** The rows that share the penalty of an input. */
  readonly rowsWith: (input: number) => number;
}

function createLayer(inputs: number, models: number, rowsWith: Layer['rowsWith']): Layer {
  return {
    weights: new Float32Array(inputs * models),
    squares: new Float32Array(inputs),
    rowsWith,
  };
}

/** A head for each model, fitted together: each step reads a text once for all models. */
class Heads {
  private readonly grams: Layer;
  private readonly dense: Layer;
  private readonly bias: Float32Array;
  private readonly odds: Float64Array;
  private readonly scaling;

  constructor(private readonly rows: AnsweredRows) {
    const width = rows.models.length;
    const counts = new Float32Array(gramBuckets);
    for (const { buckets } of rows.features) for (const bucket of buckets) counts[bucket]!++;
    this.scaling = scalingOf(rows.features);
    this.grams = createLayer(gramBuckets, width, (bucket) => counts[bucket]!);
    this.dense = createLayer(this.scaling.mean.length, width, () => rows.features.length);
    this.bias = Float32Array.from(meansOf(rows), logit);
    this.odds = new Float64Array(width);
  }

  /** Log odds of each model; returns the same array every time. */
  forward(features: Features): Float64Array {
    this.odds.set(this.bias);
    this.eachInput(features, (layer, input, value) => {
      const from = input * this.odds.length;
      for (let model = 0; model < this.odds.length; model++)
        this.odds[model]! += value * layer.weights[from + model]!;
    });
    return this.odds;
  }

  step(row: number, rate: number): void {
    const features = this.rows.features[row]!;
    const from = row * this.odds.length;
    const errors = this.forward(features).map(
      (odds, model) => sigmoid(odds) - this.rows.scores[from + model]!,
    );
    this.eachInput(features, (layer, input, value) => {
      move(layer, input, value, errors, rate);
    });
    for (let model = 0; model < errors.length; model++)
      this.bias[model]! -= 0.02 * rate * errors[model]!;
  }

  private eachInput(
    { buckets, weights, dense }: Features,
    visit: (layer: Layer, input: number, value: number) => void,
  ): void {
    for (let at = 0; at < buckets.length; at++) visit(this.grams, buckets[at]!, weights[at]!);
    for (let at = 0; at < dense.length; at++)
      visit(this.dense, at, scaled(dense[at]!, at, this.scaling));
  }
}

/** One step of Adagrad for one input. Over an epoch, the steps share one whole penalty. */
function move(
  { weights, squares, rowsWith }: Layer,
  input: number,
  value: number,
  errors: Float64Array,
  rate: number,
): void {
  if (value === 0) return;
  squares[input]! += value * value * 0.2;
  const step = rate / Math.sqrt(squares[input]! + 1e-3);
  const kept = 1 / (1 + step / (inverseRidge * rowsWith(input)));
  const from = input * errors.length;
  for (let model = 0; model < errors.length; model++)
    weights[from + model] = (weights[from + model]! - step * value * errors[model]!) * kept;
}

/**
 * A logistic regression for each model on dense features and n-grams, strongly regularised (L2,
 * C = 0.3).
 */
export const logisticHeads: Learner = (rows, seed) => {
  const heads = new Heads(rows);
  const random = createRandomStream(seed);
  const steps = rows.features.length * epochs;
  for (let epoch = 0, step = 0; epoch < epochs; epoch++)
    for (const row of random.order(rows.features.length))
      heads.step(row, initialRate * (1 - step++ / steps));
  return ({ features }) => heads.forward(features).map(sigmoid);
};
