import { logOdds } from '../../models/numbers.js';
import type { CustomWeights } from './custom-weights.js';
import { createFindModel } from './known-models.js';
import type { Features } from './features/features.js';
import type { Expectation, QualityPredictor } from './quality-predictor.js';
import type { Reading } from './request-reader.js';
import {
  type Adjustment,
  type Expected,
  keptOdds,
  type TunedCandidate,
  type ReadRequest,
  type TunedRequest,
  type Tuning,
} from './tuning.js';

const clip = 4;

/** The coordinates of a prompt: its place in the predictor's space, then the dense features. */
export const coordinateCount = ({ rank, denseNames }: QualityPredictor['weights']): number =>
  rank + denseNames.length;

/** Writes a prompt's coordinates into `into`, beginning at `from`, without scaling. */
export function writeCoordinates(
  { place }: Reading,
  { dense }: Features,
  into: Float32Array,
  from: number,
): void {
  into.set(place, from);
  into.set(dense, from + place.length);
}

/** Centres, scales and clips `mean.length` coordinates in place, beginning at `from`. */
export function standardise(
  values: Float32Array,
  from: number,
  mean: Float32Array,
  scale: Float32Array,
): void {
  for (let at = 0; at < mean.length; at++)
    values[from + at] = Math.max(
      -clip,
      Math.min(clip, (values[from + at]! - mean[at]!) * scale[at]!),
    );
}

/** What the predictor expects of each model of the weights, as when they were fitted. */
export function expectationsOf(
  predictor: QualityPredictor,
  models: readonly string[],
  known: ArrayLike<number>,
): (request: ReadRequest) => Expectation[] {
  const find = createFindModel(predictor.weights.models);
  const places = models.map((model) => find(model));
  return ({ reading }) =>
    places.map((place, at) =>
      place < 0 ? predictor.guess(reading, known[at]!) : predictor.expect(reading, place),
    );
}

/**
 * A tuning made from a preference's own weights. It moves the ranker's expectation to what the
 * account's evaluations showed. A candidate without evaluations moves by the mean of the evaluated
 * models, so that it is neither favoured nor left behind.
 * @returns null if the weights were fitted on another predictor
 */
export function createTuning(weights: CustomWeights, predictor: QualityPredictor): Tuning | null {
  const { name } = predictor.weights;
  const isOfIt =
    weights.router === name && weights.mean.length === coordinateCount(predictor.weights);
  return isOfIt ? new CustomTuning(weights, predictor) : null;
}

class CustomTuning implements Tuning {
  private readonly named: ReadonlyMap<string, number>;
  private readonly find: (name: string) => number;
  private readonly expect: (request: ReadRequest) => Expectation[];
  /** Caches one request: all its candidates are asked one after the other. */
  private last: { readonly request: TunedRequest; readonly learned: Float64Array } | null = null;

  constructor(
    private readonly weights: CustomWeights,
    predictor: QualityPredictor,
  ) {
    this.named = new Map(weights.models.map((model, at) => [model, at]));
    this.find = createFindModel(weights.models);
    this.expect = expectationsOf(predictor, weights.models, weights.known);
  }

  adjust(
    candidate: TunedCandidate,
    request: TunedRequest,
    { quality }: Expected,
  ): Adjustment | null {
    const learned = this.learnedFor(request);
    const model =
      this.named.get(candidate.label) ??
      this.named.get(`${candidate.provider}/${candidate.model}`) ??
      this.named.get(candidate.model) ??
      this.find(candidate.model);
    const { length } = this.weights.models;
    if (model < 0)
      return {
        odds: keptOdds(learned[length]!),
        reason: "moved by the mean of the account's evaluated models",
      };
    return {
      odds: keptOdds(learned[model]! - logOdds(quality)),
      uncertainty: this.weights.spreads[model]!,
      reason: "learned from the account's evaluations",
    };
  }

  /** By model the log odds of a good answer, followed by the mean change of all models. */
  private learnedFor(request: TunedRequest): Float64Array {
    if (this.last?.request === request) return this.last.learned;
    const { models, mean, scale, slopes, offsets, centres, trust } = this.weights;
    const point = new Float32Array(mean.length);
    writeCoordinates(request.reading, request.features, point, 0);
    standardise(point, 0, mean, scale);
    const expected = this.expect(request);
    const learned = new Float64Array(models.length + 1);
    let whole = 0;
    for (let model = 0; model < models.length; model++) {
      let shift = offsets[model]!;
      for (let at = 0, from = model * point.length; at < point.length; at++)
        shift += slopes[from + at]! * point[at]!;
      whole += shift;
      learned[model] =
        shift + centres[model]! + trust * (logOdds(expected[model]!.quality) - centres[model]!);
    }
    learned[models.length] = whole / models.length;
    this.last = { request, learned };
    return learned;
  }
}
