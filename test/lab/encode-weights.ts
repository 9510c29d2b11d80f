import { deflateRawSync } from 'node:zlib';
import { type OutlookWeights, outlookFormat } from '../../src/chooser/outlook/outlook-weights.js';
import {
  type PredictorWeights,
  predictorFormat,
} from '../../src/chooser/predictor/predictor-file.js';
import {
  type Numbers,
  padded,
  type WeightsFormat,
} from '../../src/chooser/predictor/weights-file.js';

/** A predictor's weights as the bytes of a file; the same weights always give the same bytes. */
export const encodePredictor = (weights: PredictorWeights): Buffer =>
  encodeWeights(predictorFormat, weights);

/** An outlook's weights as the bytes of a file; the same weights always give the same bytes. */
export const encodeOutlook = (weights: OutlookWeights): Buffer =>
  encodeWeights(outlookFormat, weights);

/** The arrays of the format, and all other fields of the weights in the file's header. */
function encodeWeights({ magic, arrays }: WeightsFormat, weights: object): Buffer {
  const fields = Object.entries(weights) as [string, unknown][];
  const header = fields.filter(([name]) => !(name in arrays));
  const held = weights as Readonly<Record<string, Numbers>>;
  const numbers = Object.keys(arrays).map((name) => [name, held[name]!] as const);
  const lengths = Object.fromEntries(numbers.map(([name, { length }]) => [name, length]));
  const text = Buffer.from(JSON.stringify({ ...Object.fromEntries(header), lengths }));
  const start = Buffer.alloc(padded(4 + text.length));
  start.writeUInt32LE(text.length);
  text.copy(start, 4);
  return Buffer.concat([
    Buffer.from(magic, 'latin1'),
    deflateRawSync(Buffer.concat([start, ...numbers.map(([, one]) => bytesOf(one))]), { level: 9 }),
  ]);
}

function bytesOf(numbers: Numbers): Buffer {
  const bytes = Buffer.alloc(padded(numbers.byteLength));
  Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).copy(bytes);
  return bytes;
}
