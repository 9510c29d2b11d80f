import { gramBuckets } from './features/grams.js';
import { gramsOfPrototype } from './prototypes.js';
import type { PredictorWeights } from './predictor-weights.js';
import {
  checkLengths,
  decodeWeights,
  encodeWeights,
  type NumberKind,
  type WeightsFormat,
} from './weights-file.js';

const arrays = {
  mean: 'f32',
  scale: 'f32',
  grams: 'i8',
  gramScale: 'f32',
  dense: 'f32',
  bias: 'f32',
  tasks: 'f32',
  taskBias: 'f32',
  centres: 'f32',
  whitening: 'f32',
  gate: 'f32',
  shares: 'f32',
  counts: 'f32',
  ability: 'f32',
  discrimination: 'f32',
  hardness: 'f32',
  slopes: 'f32',
  general: 'f32',
  trust: 'f32',
  difficultyGrams: 'i8',
  difficultyDense: 'f32',
  difficultyMeans: 'f32',
  generalDifficulty: 'f32',
  difficultyScale: 'f32',
  taskLengths: 'f32',
  denseLengths: 'f32',
  modelLengths: 'f32',
  telling: 'i8',
  prototypeBuckets: 'u16',
  prototypeGrams: 'i8',
  prototypeShares: 'i8',
  prototypeFamilies: 'u8',
  taskFamilies: 'u8',
  prototypeTrust: 'f32',
} as const satisfies Record<string, NumberKind>;
type ArrayName = keyof typeof arrays;
const format: WeightsFormat<ArrayName> = { magic: 'SBROUTE4', arrays };

interface Header {
  readonly name: string;
  readonly rank: number;
  readonly denseNames: readonly string[];
  readonly taskNames: readonly string[];
  readonly models: readonly string[];
}

/** Weights as the bytes of a file; the same weights always give the same bytes. */
export function encodePredictor(weights: PredictorWeights): Buffer {
  const { name, rank, denseNames, taskNames, models } = weights;
  const header: Header = { name, rank, denseNames, taskNames, models };
  return encodeWeights(format, header, weights);
}

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
}: PredictorWeights): Partial<Record<ArrayName, number>> {
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
  checkLengths<ArrayName>(weights, expectedLengths(weights));
  if (weights.prototypeBuckets.some((bucket) => bucket >= gramBuckets))
    throw new Error('the predictor weights hold a prototype with a bucket that does not exist');
  return weights;
}
