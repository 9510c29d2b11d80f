import { gramBuckets } from './features/grams.js';
import type { PrototypeWeights } from './prototypes.js';

/**
 * Everything that was learned, as numbers. `rank` is the number of coordinates that a text is
 * mapped to.
 */
export interface PredictorWeights extends PrototypeWeights {
  /** When and from what the weights were fitted, for people; other stored weights refer to it. */
  readonly name: string;
  readonly denseNames: readonly string[];
  readonly rank: number;
  readonly taskNames: readonly string[];
  readonly models: readonly string[];
  /** By dense feature. */
  readonly mean: Float32Array;
  readonly scale: Float32Array;
  /** By bucket, `rank` each, in units of `gramScale`. */
  readonly grams: Int8Array;
  /** By coordinate. */
  readonly gramScale: Float32Array;
  /** By dense feature, `rank` each. */
  readonly dense: Float32Array;
  readonly bias: Float32Array;
  /** By task, `rank` each. */
  readonly tasks: Float32Array;
  readonly taskBias: Float32Array;
  /**
   * By task, `rank` each: the centre of its texts, in coordinates whose spread is 1 in every
   * direction.
   */
  readonly centres: Float32Array;
  /** `rank` by `rank`, lower triangular: maps coordinates to those of `centres`. */
  readonly whitening: Float32Array;
  /**
   * Log odds that a text resembles the training texts: [constant, factor of the entropy of the
   * tasks' shares, factor of the distance to the nearest centre].
   */
  readonly gate: Float32Array;
  /** By task and model: the share done well, and the number of measured rows. */
  readonly shares: Float32Array;
  readonly counts: Float32Array;
  /** By model, in log odds. */
  readonly ability: Float32Array;
  /** By task. */
  readonly discrimination: Float32Array;
  readonly hardness: Float32Array;
  /** By model: how much a text's difficulty affects it; 1 is average. */
  readonly slopes: Float32Array;
  /** By task: how much a text's difficulty counts. */
  readonly trust: Float32Array;
  /** By task: how much prototypes count compared to the rest of the prediction, 0..1. */
  readonly prototypeTrust: Float32Array;
  /** [general hardness, factor and constant for publicly known ability] */
  readonly general: Float32Array;
  /**
   * How hard a text is among those of its task: by bucket (in units of `difficultyScale`), by dense
   * feature, and the mean of each task.
   */
  readonly difficultyGrams: Int8Array;
  readonly difficultyDense: Float32Array;
  readonly difficultyMeans: Float32Array;
  /** How hard a text of an unknown kind is: by dense feature. */
  readonly generalDifficulty: Float32Array;
  /** [the unit of `difficultyGrams`] */
  readonly difficultyScale: Float32Array;
  /** Natural logarithms of output tokens: by task, by dense feature, by model. */
  readonly taskLengths: Float32Array;
  readonly denseLengths: Float32Array;
  readonly modelLengths: Float32Array;
}

/** Why weights do not fit together or do not fit this program's features; null if they fit. */
export function misfitOf(weights: PredictorWeights, denseNames: readonly string[]): string | null {
  if (weights.denseNames.join() !== denseNames.join()) return 'it was fitted to other features';
  if (weights.grams.length !== gramBuckets * weights.rank)
    return 'its n-grams have another number of buckets';
  if (weights.telling.length !== gramBuckets)
    return 'its prototypes have another number of buckets';
  return null;
}
