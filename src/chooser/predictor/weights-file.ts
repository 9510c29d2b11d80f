import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { packageFile } from '../../package-files.js';
import { denseNames } from './features/features.js';

/*
 * The file format: eight bytes that name it, then, deflated: the length of the header (32 bits,
 * little-endian), the header as JSON, padding to four bytes, and the arrays one after the other,
 * each padded to four bytes. The header has the length of each array.
 */
const makers = { f32: Float32Array, i8: Int8Array, u8: Uint8Array, u16: Uint16Array } as const;
/** The arrays of a file by their kinds. */
interface NumberArrays {
  readonly f32: Float32Array;
  readonly i8: Int8Array;
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
}
type NumberKind = keyof NumberArrays;
/** The numbers of one array. */
export type Numbers = NumberArrays[NumberKind];
/**
 * The arrays in a file, by name: the kind of each, and the sides whose product is its length, as
 * numbers or by name.
 */
export type Arrays = Readonly<
  Record<string, readonly [kind: NumberKind, ...sides: (string | number)[]]>
>;
/** The arrays of such a file. */
export type ArraysOf<All extends Arrays> = {
  readonly [Name in keyof All]: NumberArrays[All[Name][0]];
};

/** What a file of weights holds. */
export interface WeightsFormat {
  /** Eight characters that a file begins with. */
  readonly magic: string;
  readonly arrays: Arrays;
}

/** A length in bytes, rounded up to whole words of four: where the next part of a file begins. */
export const padded = (bytes: number): number => Math.ceil(bytes / 4) * 4;

/**
 * Reads a file: the fields of its header, and its arrays.
 * @throws Error if the bytes are not such a file, are cut off, or hold numbers that are not finite
 */
export function decodeWeights(format: WeightsFormat, bytes: Uint8Array): object {
  const view = inflated(format.magic, bytes);
  const length = view.readUInt32LE();
  const { lengths, ...header } = JSON.parse(view.toString('utf8', 4, 4 + length)) as {
    readonly lengths: Readonly<Record<string, number>>;
  };
  let at = padded(4 + length);
  const read: Record<string, Numbers> = {};
  for (const [name, [kind]] of Object.entries(format.arrays)) {
    const make = makers[kind];
    const size = (lengths[name] ?? NaN) * make.BYTES_PER_ELEMENT;
    if (!Number.isInteger(size) || size < 0 || at + size > view.length)
      throw new Error(`the file of predictor weights is cut off at "${name}"`);
    // copied: a pooled buffer may begin at an odd address
    const numbers = new make(new Uint8Array(view.subarray(at, at + size)).buffer);
    if (numbers.some((number) => !Number.isFinite(number)))
      throw new Error(`the predictor weights hold a number that is not finite: "${name}"`);
    read[name] = numbers;
    at += padded(size);
  }
  return { ...header, ...read };
}

/** Weights have a few megabytes: a much larger file is not one of them. */
const maxBytes = 64 * 1024 * 1024;

function inflated(magic: string, bytes: Uint8Array): Buffer {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.toString('latin1', 0, magic.length) !== magic)
    throw new Error('this is not a file of predictor weights');
  try {
    return inflateRawSync(view.subarray(magic.length), { maxOutputLength: maxBytes });
  } catch {
    throw new Error('the file of predictor weights is cut off or damaged');
  }
}

/**
 * Checks that arrays have the lengths of their format.
 * @param sizes the sides that the format names
 * @throws Error naming the first array that has another length
 */
export function checkLengths<All extends Arrays>(
  weights: ArraysOf<All>,
  arrays: All,
  sizes: Readonly<Record<string, number>>,
): void {
  for (const [name, [, ...sides]] of Object.entries(arrays)) {
    const expected = sides.reduce<number>(
      (product, side) => product * (typeof side === 'number' ? side : (sizes[side] ?? NaN)),
      1,
    );
    const { length } = weights[name]!;
    if (length !== expected)
      throw new Error(
        `the predictor weights do not fit together: "${name}" has ${length} numbers instead of ${expected}`,
      );
  }
}

/**
 * The weights in a file of the package.
 * @throws Error if it is missing, damaged or of another version, or made for other features
 */
export function shippedWeights<Weights extends { readonly denseNames: readonly string[] }>(
  name: string,
  decode: (bytes: Uint8Array) => Weights,
): Weights {
  const file = packageFile(name);
  const weights = decode(readFileSync(file));
  if (weights.denseNames.join() !== denseNames.join())
    throw new Error(`the weights in ${file} cannot be used: they are for other features`);
  return weights;
}
