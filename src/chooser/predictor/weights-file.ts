import { deflateRawSync, inflateRawSync } from 'node:zlib';

/*
 * The file format: eight bytes that name it, then, deflated: the length of the header (32 bits,
 * little-endian), the header as JSON, padding to four bytes, and the arrays one after the other,
 * each padded to four bytes. The header has the length of each array.
 */
const makers = { f32: Float32Array, i8: Int8Array, u8: Uint8Array, u16: Uint16Array } as const;
/** The types of arrays in a file. */
export type NumberKind = keyof typeof makers;
/** An array in a file. */
export type Numbers = Float32Array | Int8Array | Uint8Array | Uint16Array;

/** What a file of weights holds: the names of its arrays, and the type of each. */
export interface WeightsFormat<Name extends string> {
  /** Eight characters that a file begins with. */
  readonly magic: string;
  readonly arrays: Readonly<Record<Name, NumberKind>>;
}

const padded = (bytes: number): number => Math.ceil(bytes / 4) * 4;
const namesOf = <Name extends string>({ arrays }: WeightsFormat<Name>): Name[] =>
  Object.keys(arrays) as Name[];

/** The bytes of a file; the same header and arrays always give the same bytes. */
export function encodeWeights<Name extends string>(
  format: WeightsFormat<Name>,
  header: object,
  weights: Readonly<Record<Name, Numbers>>,
): Buffer {
  const names = namesOf(format);
  const lengths = Object.fromEntries(names.map((name) => [name, weights[name].length]));
  const text = Buffer.from(JSON.stringify({ ...header, lengths }));
  const start = Buffer.alloc(padded(4 + text.length));
  start.writeUInt32LE(text.length);
  text.copy(start, 4);
  return Buffer.concat([
    Buffer.from(format.magic, 'latin1'),
    deflateRawSync(Buffer.concat([start, ...names.map((name) => bytesOf(weights[name]))]), {
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
 * Reads a file: the fields of its header, and its arrays.
 * @throws Error if the bytes are not such a file, are cut off, or hold numbers that are not finite
 */
export function decodeWeights(format: WeightsFormat<string>, bytes: Uint8Array): object {
  const view = inflated(format.magic, bytes);
  const length = view.readUInt32LE();
  const { lengths, ...header } = JSON.parse(view.toString('utf8', 4, 4 + length)) as {
    readonly lengths: Readonly<Record<string, number>>;
  };
  let at = padded(4 + length);
  const read: Record<string, Numbers> = {};
  for (const [name, kind] of Object.entries(format.arrays)) {
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

/** @throws Error if an array does not have the length that it must have */
export function checkLengths<Name extends string>(
  weights: Readonly<Record<Name, Numbers>>,
  expected: Readonly<Partial<Record<Name, number>>>,
): void {
  for (const [name, length] of Object.entries(expected) as [Name, number][])
    if (weights[name].length !== length)
      throw new Error(
        `the predictor weights do not fit together: "${name}" has ${weights[name].length} numbers instead of ${length}`,
      );
}
