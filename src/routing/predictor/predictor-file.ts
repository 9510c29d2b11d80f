import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { gramBuckets } from './features/grams.js';
import { gramsOfPrototype } from './prototypes.js';
import type { PredictorWeights } from './predictor-weights.js';

/*
 * The file format: eight bytes that name it, then, deflated: the length of the header (32 bits,
 * little-endian), the header as JSON, padding to four bytes, and the arrays one after the other,
 * each padded to four bytes. The header has the length of each array.
 */
const magic = 'SBROUTE3';
const kinds = { f32: Float32Array, i8: Int8Array, u8: Uint8Array, u16: Uint16Array } as const;
type Kind = keyof typeof kinds;
type Numbers = Float32Array | Int8Array | Uint8Array | Uint16Array;

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
  headModels: 'f32',
  headGrams: 'i8',
  headScale: 'f32',
  headDense: 'f32',
  headMeans: 'f32',
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
} as const satisfies Record<string, Kind>;
type ArrayName = keyof typeof arrays;
const arrayNames = Object.keys(arrays) as ArrayName[];

interface Header {
  readonly name: string;
  readonly rank: number;
  readonly denseNames: readonly string[];
  readonly taskNames: readonly string[];
  readonly models: readonly string[];
  readonly lengths: Readonly<Record<ArrayName, number>>;
}

const padded = (bytes: number): number => Math.ceil(bytes / 4) * 4;

/** Weights as the bytes of a file; the same weights always give the same bytes. */
export function encodePredictor(weights: PredictorWeights): Buffer {
  const lengths = Object.fromEntries(
    arrayNames.map((name) => [name, weights[name].length]),
  ) as Record<ArrayName, number>;
  const header: Header = {
    name: weights.name,
    rank: weights.rank,
    denseNames: weights.denseNames,
    taskNames: weights.taskNames,
    models: weights.models,
    lengths,
  };
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(padded(4 + text.length));
  start.writeUInt32LE(text.length);
  text.copy(start, 4);
  return Buffer.concat([
    Buffer.from(magic, 'latin1'),
    deflateRawSync(Buffer.concat([start, ...arrayNames.map((name) => bytesOf(weights[name]))]), {
      level: 9,
    }),
  ]);
}

function bytesOf(numbers: Numbers): Buffer {
  const bytes = Buffer.alloc(padded(numbers.byteLength));
  Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).copy(bytes);
  return bytes;
}

/**
 * Reads weights from the bytes of a file.
 * @throws Error if the bytes are not such a file, are cut off, or do not fit together
 */
export function decodePredictor(bytes: Uint8Array): PredictorWeights {
  const view = inflated(bytes);
  const length = view.readUInt32LE();
  const header = JSON.parse(view.toString('utf8', 4, 4 + length)) as Header;
  let at = padded(4 + length);
  const read: Partial<Record<ArrayName, Numbers>> = {};
  for (const name of arrayNames) {
    const make = kinds[arrays[name]];
    const size = header.lengths[name] * make.BYTES_PER_ELEMENT;
    if (!Number.isInteger(size) || size < 0 || at + size > view.length)
      throw new Error(`the file of predictor weights is cut off at "${name}"`);
    // copied: a pooled buffer may begin at an odd address
    read[name] = new make(new Uint8Array(view.subarray(at, at + size)).buffer);
    at += padded(size);
  }
  const { lengths, ...rest } = header;
  return checked({ ...rest, ...(read as Pick<PredictorWeights, ArrayName>) });
}

/** The weights have a few megabytes: a much larger file is not one of them. */
const maxBytes = 64 * 1024 * 1024;

function inflated(bytes: Uint8Array): Buffer {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.toString('latin1', 0, magic.length) !== magic)
    throw new Error('this is not a file of predictor weights');
  try {
    return inflateRawSync(view.subarray(magic.length), { maxOutputLength: maxBytes });
  } catch {
    throw new Error('the file of predictor weights is cut off or damaged');
  }
}

/** The length that each array must have, given the lengths of the names and of a few arrays. */
function expectedLengths({
  rank,
  denseNames: { length: features },
  taskNames: { length: tasks },
  models: { length: models },
  headModels: { length: heads },
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
    headScale: heads,
    headDense: features * heads,
    headMeans: tasks * heads,
    trust: tasks * 3,
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
  const { headModels, prototypeBuckets, models } = weights;
  for (const [name, length] of Object.entries(expectedLengths(weights)) as [ArrayName, number][]) {
    if (weights[name].length !== length)
      throw new Error(
        `the predictor weights do not fit together: "${name}" has ${weights[name].length} numbers instead of ${length}`,
      );
    if (weights[name].some((number) => !Number.isFinite(number)))
      throw new Error(`the predictor weights hold a number that is not finite: "${name}"`);
  }
  if (headModels.some((at) => !Number.isInteger(at) || at < 0 || at >= models.length))
    throw new Error('the predictor weights hold a head of a model that they do not name');
  if (prototypeBuckets.some((bucket) => bucket >= gramBuckets))
    throw new Error('the predictor weights hold a prototype with a bucket that does not exist');
  return weights;
}
