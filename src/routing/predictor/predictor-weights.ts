import { gramBuckets } from './features/grams.js';
import type { PrototypeWeights } from './prototypes.js';

/** Everything that was learned, as numbers. `rank` is the number of coordinates that a text is mapped to. */
export interface PredictorWeights extends PrototypeWeights {
  /** When and from what it was fitted, for people. */
  readonly name: string;
  readonly denseNames: readonly string[];
  readonly rank: number;
  readonly taskNames: readonly string[];
  readonly models: readonly string[];
  /** By dense feature. */
  readonly mean: Float32Array;
  readonly scale: Float32Array;
  /** By bucket, `rank` each, as whole numbers of `gramScale`. */
  readonly grams: Int8Array;
  /** By coordinate. */
  readonly gramScale: Float32Array;
  /** By dense feature, `rank` each. */
  readonly dense: Float32Array;
  readonly bias: Float32Array;
  /** By task, `rank` each. */
  readonly tasks: Float32Array;
  readonly taskBias: Float32Array;
  /** By task, `rank` each: where its texts lie, in coordinates in which their spread is 1 in every direction. */
  readonly centres: Float32Array;
  /** `rank` by `rank`, lower triangular: takes coordinates to those. */
  readonly whitening: Float32Array;
  /** Log odds that a text is like those learned from: [constant, by entropy of the tasks' shares, by distance to the nearest centre]. */
  readonly gate: Float32Array;
  /** By task and model: the share done well, and how many rows were measured. */
  readonly shares: Float32Array;
  readonly counts: Float32Array;
  /** By model, in log odds. */
  readonly ability: Float32Array;
  /** By task. */
  readonly discrimination: Float32Array;
  readonly hardness: Float32Array;
  /** By model: how much of a text's difficulty it feels; 1 is usual. */
  readonly slopes: Float32Array;
  /** What single texts mean for single models, in log odds: the places of the models that have such a head, */
  readonly headModels: Float32Array;
  /** by bucket one number for each of them (whole numbers of `headScale`, which is by head), by dense feature, and each task's mean. */
  readonly headGrams: Int8Array;
  readonly headScale: Float32Array;
  readonly headDense: Float32Array;
  readonly headMeans: Float32Array;
  /** By task: how much is believed of heads, of difficulty beside a head, and of difficulty where there is none. */
  readonly trust: Float32Array;
  /** By task: how much prototypes count beside what is predicted without them, 0..1. */
  readonly prototypeTrust: Float32Array;
  /** [general hardness, gain and bias of publicly known ability] */
  readonly general: Float32Array;
  /** How hard a text is among those of its task: by bucket (whole numbers of `difficultyScale`), by dense feature, and each task's mean. */
  readonly difficultyGrams: Int8Array;
  readonly difficultyDense: Float32Array;
  readonly difficultyMeans: Float32Array;
  /** How hard a text of an unknown kind is: by dense feature. */
  readonly generalDifficulty: Float32Array;
  /** [unit of `difficultyGrams`] */
  readonly difficultyScale: Float32Array;
  /** Natural logarithms of output tokens: by task, by dense feature, by model. */
  readonly taskLengths: Float32Array;
  readonly denseLengths: Float32Array;
  readonly modelLengths: Float32Array;
}

/** Whether weights fit together and to this program's features; the reason where they do not. */
export function misfitOf(weights: PredictorWeights, denseNames: readonly string[]): string | null {
  if (weights.denseNames.join() !== denseNames.join()) return 'it was fitted to other features';
  if (weights.grams.length !== gramBuckets * weights.rank)
    return 'its n-grams have another number of buckets';
  if (weights.telling.length !== gramBuckets)
    return 'its prototypes have another number of buckets';
  if (weights.headGrams.length !== gramBuckets * weights.headModels.length)
    return 'its heads have another number of buckets';
  return null;
}
