import type { Features } from '../../../src/chooser/predictor/features/features.js';
import { gramBuckets } from '../../../src/chooser/predictor/features/grams.js';
import { sigmoid } from '../../../src/models/numbers.js';
import { logit, type Evaluations } from './evaluations.js';
import { scaled, type Scaling } from './fit-embedding.js';
import type { Tables } from './tables.js';

/**
 * Weight of half the squared weights beside the loss. Strong, because most differences between
 * texts
 * of a task are chance.
 */
const ridge = 5;
/** Factors of the inputs: n-grams learn faster than dense features. */
const gramGain = 3;
const denseGain = 0.3;

/** Weights of one kind of input, with the state of Adagrad. */
interface Layer {
  /** By input, one for each head. */
  readonly weights: Float32Array;
  /** By input: squares of past steps. */
  readonly sums: Float32Array;
  /** Rows that share the penalty of a weight. */
  readonly rowsWith: (input: number, head: number) => number;
}

/**
 * Logistic regressions of several models, fitted together by stochastic gradient descent: each step
 * reads a text once for all models. Adagrad shrinks the steps of inputs that were seen often.
 */
export class HeadsDescent {
  private readonly grams: Layer;
  private readonly dense: Layer;
  /** The dense features of the current row, scaled. */
  private readonly scaledDense: Float32Array;
  /** The heads whose models answered the current row, and their errors. */
  private readonly measured: Int32Array;
  private readonly errors: Float64Array;

  /**
   * @param rows the rows of the fit
   * @param models indices of the models that get a head
   */
  constructor(
    private readonly evaluations: Evaluations,
    rows: Int32Array,
    private readonly models: Int32Array,
    private readonly tables: Tables,
    private readonly scaling: Scaling,
  ) {
    const { length: wide } = scaling.mean;
    const { length: width } = models;
    const gramCounts = new Float32Array(gramBuckets * width);
    const modelCounts = new Float32Array(width);
    this.grams = {
      weights: new Float32Array(gramBuckets * width),
      sums: new Float32Array(gramBuckets),
      rowsWith: (bucket, head) => gramCounts[bucket * width + head]!,
    };
    this.dense = {
      weights: new Float32Array(wide * width),
      sums: new Float32Array(wide),
      rowsWith: (_, head) => modelCounts[head]!,
    };
    this.scaledDense = new Float32Array(wide);
    this.measured = new Int32Array(width);
    this.errors = new Float64Array(width);
    for (const row of rows) this.count(row, gramCounts, modelCounts);
  }

  /** The weights by bucket and by dense feature, one for each head. */
  get weights(): { readonly grams: Float32Array; readonly dense: Float32Array } {
    return {
      grams: this.grams.weights.map((weight) => weight * gramGain),
      dense: this.dense.weights.map((weight) => weight * denseGain),
    };
  }

  private count(row: number, gramCounts: Float32Array, modelCounts: Float32Array): void {
    const { buckets } = this.evaluations.features[row]!;
    const found = this.findMeasured(row);
    for (let at = 0; at < found; at++) modelCounts[this.measured[at]!]!++;
    for (let at = 0; at < buckets.length; at++)
      for (let one = 0, from = buckets[at]! * this.models.length; one < found; one++)
        gramCounts[from + this.measured[one]!]!++;
  }

  /** Writes the heads whose models answered a row into `measured`. Returns how many there are. */
  private findMeasured(row: number): number {
    const { models, scores } = this.evaluations;
    let found = 0;
    for (let head = 0; head < this.models.length; head++)
      if (!Number.isNaN(scores[row * models.length + this.models[head]!]!))
        this.measured[found++] = head;
    return found;
  }

  /** Learns from one row. */
  step(row: number, rate: number): void {
    const features = this.evaluations.features[row]!;
    const found = this.findMeasured(row);
    if (found === 0) return;
    const meanSquare = this.findErrors(row, features, found);
    const step = { found, meanSquare, rate };
    const { buckets, weights } = features;
    for (let at = 0; at < buckets.length; at++)
      this.move(this.grams, buckets[at]!, gramGain * weights[at]!, step);
    for (let at = 0; at < this.scaledDense.length; at++)
      this.move(this.dense, at, this.scaledDense[at]!, step);
  }

  /**
   * Writes the error of each measured head into `errors`, and the scaled dense features. Returns
   * the
   * mean of the squared errors.
   */
  private findErrors(row: number, { buckets, weights, dense }: Features, found: number): number {
    const { measured, errors, evaluations, models } = this;
    const { scores, tasks } = evaluations;
    const all = evaluations.models.length;
    const width = models.length;
    for (let at = 0; at < found; at++)
      errors[at] = logit(this.tables.shares[tasks[row]! * all + models[measured[at]!]!]!);
    for (let at = 0; at < buckets.length; at++) {
      const value = gramGain * weights[at]!;
      for (let one = 0, from = buckets[at]! * width; one < found; one++)
        errors[one]! += value * this.grams.weights[from + measured[one]!]!;
    }
    for (let at = 0; at < dense.length; at++) {
      const value = (this.scaledDense[at] = denseGain * scaled(dense[at]!, at, this.scaling));
      for (let one = 0, from = at * width; one < found; one++)
        errors[one]! += value * this.dense.weights[from + measured[one]!]!;
    }
    let meanSquare = 0;
    for (let at = 0; at < found; at++) {
      errors[at] = sigmoid(errors[at]!) - scores[row * all + models[measured[at]!]!]!;
      meanSquare += errors[at]! ** 2 / found;
    }
    return meanSquare;
  }

  /** One step of Adagrad for one input. Over an epoch, the rows of a weight share one penalty. */
  private move(
    { weights, sums, rowsWith }: Layer,
    input: number,
    value: number,
    {
      found,
      meanSquare,
      rate,
    }: { readonly found: number; readonly meanSquare: number; readonly rate: number },
  ): void {
    if (value === 0) return;
    sums[input]! += value * value * meanSquare;
    const step = rate / Math.sqrt(sums[input]! + 1e-3);
    const from = input * this.models.length;
    for (let one = 0; one < found; one++) {
      const head = this.measured[one]!;
      weights[from + head] =
        (weights[from + head]! - step * value * this.errors[one]!) /
        (1 + (step * ridge) / rowsWith(input, head));
    }
  }
}
