import { gramBuckets } from './features/grams.js';
import { type Arrays, type ArraysOf, checkLengths, decodeWeights } from './weights-file.js';

/** The number of buckets that describe a prototype. */
export const gramsOfPrototype = 40;

const arrays = {
  mean: ['f32', 'features'],
  scale: ['f32', 'features'],
  /** In units of `gramScale`. */
  grams: ['i8', 'buckets', 'rank'],
  gramScale: ['f32', 'rank'],
  /** By dense feature, `rank` each. */
  dense: ['f32', 'features', 'rank'],
  bias: ['f32', 'rank'],
  tasks: ['f32', 'tasks', 'rank'],
  taskBias: ['f32', 'tasks'],
  /** By task, `rank` each: the centre of its texts, in coordinates whose spread is 1. */
  centres: ['f32', 'tasks', 'rank'],
  /** `rank` by `rank`, lower triangular: maps coordinates to those of `centres`. */
  whitening: ['f32', 'rank', 'rank'],
  /**
   * Log odds that a text resembles the training texts: [constant, factor of the entropy of the
   * tasks' shares, factor of the distance to the nearest centre].
   */
  gate: ['f32', 3],
  /** By task and model: the share done well, and the number of measured rows. */
  shares: ['f32', 'tasks', 'models'],
  counts: ['f32', 'tasks', 'models'],
  /** In log odds. */
  ability: ['f32', 'models'],
  discrimination: ['f32', 'tasks'],
  hardness: ['f32', 'tasks'],
  /** By model: how much a text's difficulty affects it; 1 is average. */
  slopes: ['f32', 'models'],
  /** [general hardness, factor and constant for publicly known ability] */
  general: ['f32', 3],
  /** How much a text's difficulty counts. */
  trust: ['f32', 'tasks'],
  /**
   * How hard a text is among those of its task: by bucket (in units of `difficultyScale`), by dense
   * feature, and the mean of each task.
   */
  difficultyGrams: ['i8', 'buckets'],
  difficultyDense: ['f32', 'features'],
  difficultyMeans: ['f32', 'tasks'],
  /** How hard a text of an unknown kind is: by dense feature. */
  generalDifficulty: ['f32', 'features'],
  /** [the unit of `difficultyGrams`] */
  difficultyScale: ['f32', 1],
  /** Natural logarithms of output tokens: by task, by dense feature, by model. */
  taskLengths: ['f32', 'tasks'],
  denseLengths: ['f32', 'features'],
  modelLengths: ['f32', 'models'],
  /** By bucket: how characteristic it is; higher for rare ones, 0 for those of most texts. */
  telling: ['i8', 'buckets'],
  /** By prototype, `gramsOfPrototype` each: its buckets and their weights, in 127ths. */
  prototypeBuckets: ['u16', 'prototypes', gramsOfPrototype],
  prototypeGrams: ['i8', 'prototypes', gramsOfPrototype],
  /** By prototype and model: how much better it does there than on its task, in 127ths. */
  prototypeShares: ['i8', 'prototypes', 'models'],
  /** By prototype, and by task: the number of its family. */
  prototypeFamilies: ['u8', 'prototypes'],
  taskFamilies: ['u8', 'tasks'],
  /** By task: how much prototypes count compared to the rest of the prediction, 0..1. */
  prototypeTrust: ['f32', 'tasks'],
} as const satisfies Arrays;
/** The file of a predictor's weights. */
export const predictorFormat = { magic: 'SBROUTE4', arrays };

/** What was learned, as numbers. `rank` is the number of coordinates of a text. */
export interface PredictorWeights extends ArraysOf<typeof arrays> {
  /** When and from what the weights were fitted, for people; other stored weights refer to it. */
  readonly name: string;
  readonly rank: number;
  readonly denseNames: readonly string[];
  readonly taskNames: readonly string[];
  readonly models: readonly string[];
}

/** Reads weights from a file's bytes. @throws Error if they are no such file, or are cut off */
export function decodePredictor(bytes: Uint8Array): PredictorWeights {
  const weights = decodeWeights(predictorFormat, bytes) as PredictorWeights;
  const { rank, denseNames, taskNames, models, prototypeBuckets } = weights;
  checkLengths(weights, arrays, {
    rank,
    features: denseNames.length,
    tasks: taskNames.length,
    models: models.length,
    buckets: gramBuckets,
    prototypes: Math.ceil(prototypeBuckets.length / gramsOfPrototype),
  });
  if (prototypeBuckets.some((bucket) => bucket >= gramBuckets))
    throw new Error('the predictor weights hold a prototype with a bucket that does not exist');
  return weights;
}
