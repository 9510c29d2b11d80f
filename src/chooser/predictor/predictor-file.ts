import { gramBuckets } from './features/grams.js';
import {
  type ArrayKinds,
  type ArraysOf,
  checkLengths,
  decodeWeights,
  encodeWeights,
} from './weights-file.js';

/** The number of buckets that describe a prototype. */
export const gramsOfPrototype = 40;

const arrays = {
  /** By dense feature. */
  mean: 'f32',
  scale: 'f32',
  /** By bucket, `rank` each, in units of `gramScale`. */
  grams: 'i8',
  /** By coordinate. */
  gramScale: 'f32',
  /** By dense feature, `rank` each. */
  dense: 'f32',
  bias: 'f32',
  /** By task, `rank` each. */
  tasks: 'f32',
  taskBias: 'f32',
  /**
   * By task, `rank` each: the centre of its texts, in coordinates whose spread is 1 in every
   * direction.
   */
  centres: 'f32',
  /** `rank` by `rank`, lower triangular: maps coordinates to those of `centres`. */
  whitening: 'f32',
  /**
   * Log odds that a text resembles the training texts: [constant, factor of the entropy of the
   * tasks' shares, factor of the distance to the nearest centre].
   */
  gate: 'f32',
  /** By task and model: the share done well, and the number of measured rows. */
  shares: 'f32',
  counts: 'f32',
  /** By model, in log odds. */
  ability: 'f32',
  /** By task. */
  discrimination: 'f32',
  hardness: 'f32',
  /** By model: how much a text's difficulty affects it; 1 is average. */
  slopes: 'f32',
  /** [general hardness, factor and constant for publicly known ability] */
  general: 'f32',
  /** By task: how much a text's difficulty counts. */
  trust: 'f32',
  /**
   * How hard a text is among those of its task: by bucket (in units of `difficultyScale`), by dense
   * feature, and the mean of each task.
   */
  difficultyGrams: 'i8',
  difficultyDense: 'f32',
  difficultyMeans: 'f32',
  /** How hard a text of an unknown kind is: by dense feature. */
  generalDifficulty: 'f32',
  /** [the unit of `difficultyGrams`] */
  difficultyScale: 'f32',
  /** Natural logarithms of output tokens: by task, by dense feature, by model. */
  taskLengths: 'f32',
  denseLengths: 'f32',
  modelLengths: 'f32',
  /**
   * By bucket: how characteristic it is; higher for rare ones, 0 for those of nearly every text.
   */
  telling: 'i8',
  /**
   * By prototype, `gramsOfPrototype` each: its most characteristic buckets and their weights, in
   * parts of 127.
   */
  prototypeBuckets: 'u16',
  prototypeGrams: 'i8',
  /**
   * By prototype and model: how much better the model does there than on its task as a whole, in
   * parts of 127.
   */
  prototypeShares: 'i8',
  /** By prototype, and by task: the number of its family. */
  prototypeFamilies: 'u8',
  taskFamilies: 'u8',
  /** By task: how much prototypes count compared to the rest of the prediction, 0..1. */
  prototypeTrust: 'f32',
} as const satisfies ArrayKinds;
const format = { magic: 'SBROUTE4', arrays };

/**
 * Everything that was learned, as numbers. `rank` is the number of coordinates that a text is
 * mapped to.
 */
export interface PredictorWeights extends ArraysOf<typeof arrays> {
  /** When and from what the weights were fitted, for people; other stored weights refer to it. */
  readonly name: string;
  readonly rank: number;
  readonly denseNames: readonly string[];
  readonly taskNames: readonly string[];
  readonly models: readonly string[];
}

/** Weights as the bytes of a file; the same weights always give the same bytes. */
export const encodePredictor = (weights: PredictorWeights): Buffer =>
  encodeWeights(format, weights);

/**
 * Reads weights from the bytes of a file.
 * @throws Error if the bytes are not such a file, are cut off, or do not fit together
 */
export function decodePredictor(bytes: Uint8Array): PredictorWeights {
  return checked(decodeWeights(format, bytes) as PredictorWeights);
}

/** The length that each array must have, given the lengths of the names and of a few arrays. */
function expectedLengths({
  rank,
  denseNames: { length: features },
  taskNames: { length: tasks },
  models: { length: models },
  prototypeBuckets,
}: PredictorWeights): Partial<Record<keyof typeof arrays, number>> {
  const prototypes = Math.ceil(prototypeBuckets.length / gramsOfPrototype);
  return {
    mean: features,
    scale: features,
    gramScale: rank,
    dense: features * rank,
    bias: rank,
    tasks: tasks * rank,
    taskBias: tasks,
    centres: tasks * rank,
    whitening: rank * rank,
    gate: 3,
    shares: tasks * models,
    counts: tasks * models,
    ability: models,
    discrimination: tasks,
    hardness: tasks,
    slopes: models,
    general: 3,
    trust: tasks,
    difficultyDense: features,
    difficultyMeans: tasks,
    generalDifficulty: features,
    difficultyScale: 1,
    taskLengths: tasks,
    denseLengths: features,
    modelLengths: models,
    telling: gramBuckets,
    taskFamilies: tasks,
    prototypeTrust: tasks,
    prototypeBuckets: prototypes * gramsOfPrototype,
    prototypeGrams: prototypes * gramsOfPrototype,
    prototypeShares: prototypes * models,
    prototypeFamilies: prototypes,
  };
}

/**
 * The same weights.
 * @throws Error if arrays have the wrong length, or hold numbers that cannot be used
 */
function checked(weights: PredictorWeights): PredictorWeights {
  checkLengths<keyof typeof arrays>(weights, expectedLengths(weights));
  if (weights.prototypeBuckets.some((bucket) => bucket >= gramBuckets))
    throw new Error('the predictor weights hold a prototype with a bucket that does not exist');
  return weights;
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
