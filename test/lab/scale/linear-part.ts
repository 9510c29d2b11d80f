import { denseNames, type Features } from '../../../src/chooser/predictor/features/features.js';
import { gramBuckets } from '../../../src/chooser/predictor/features/grams.js';
import { adaGradStep, firstSum } from '../fit/ada-grad.js';

/** How fast weights shrink with each step that touches them: the more, the less they say. */
export interface Decay {
  readonly grams: number;
  readonly dense: number;
}

const gramGain = 2,
  denseGain = 0.3;

/** A number that is linear in a text's features, fitted by steps of AdaGrad. */
export class LinearPart {
  private readonly grams = new Float32Array(gramBuckets);
  private readonly dense = new Float32Array(denseNames.length);
  private readonly gramSums = new Float32Array(gramBuckets);
  private readonly denseSums = new Float32Array(denseNames.length);
  private biasSum = 0;

  constructor(
    private bias: number,
    private readonly decay: Decay,
  ) {}

  at({ buckets, weights }: Features, dense: Float64Array): number {
    let sum = this.bias;
    for (let at = 0; at < buckets.length; at++)
      sum += gramGain * weights[at]! * this.grams[buckets[at]!]!;
    for (let at = 0; at < dense.length; at++) sum += denseGain * dense[at]! * this.dense[at]!;
    return sum;
  }

  /** One step against the gradient of a loss by this number. */
  step({ buckets, weights }: Features, dense: Float64Array, gradient: number, rate: number): void {
    if (Math.abs(gradient) < 1e-5) return;
    for (let at = 0; at < buckets.length; at++)
      adaGradStep(
        this.grams,
        this.gramSums,
        buckets[at]!,
        gradient * gramGain * weights[at]!,
        rate,
        this.decay.grams,
      );
    for (let at = 0; at < dense.length; at++)
      if (dense[at] !== 0)
        adaGradStep(
          this.dense,
          this.denseSums,
          at,
          gradient * denseGain * dense[at]!,
          rate,
          this.decay.dense,
        );
    this.biasSum += gradient * gradient;
    this.bias -= (rate * gradient) / Math.sqrt(this.biasSum + firstSum);
  }

  /** The factors of the features, without the gains of the fit. */
  weights(): { grams: Float32Array; dense: Float32Array; bias: number } {
    return {
      grams: this.grams.map((one) => one * gramGain),
      dense: this.dense.map((one) => one * denseGain),
      bias: this.bias,
    };
  }
}
