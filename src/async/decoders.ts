import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

/** Makes a decompressor for a body that begins with `firstByte`. */
export type Decoder = (firstByte: number) => Transform;

// ZSTD_d_windowLogMax, which the types of Node.js 20 do not know: a window of 8 MB, not 128 MB
const zstdParameters = { params: { 100: 23 } };

const { createZstdDecompress: zstd } = zlib as {
  createZstdDecompress?: (options: object) => Transform;
};

/** Decoders by content encoding, in lower case. */
export const decoders: Readonly<Record<string, Decoder | undefined>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  // some servers omit the header of the zlib format, which begins with its method, 8
  deflate: (first) => ((first & 15) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  br: () => zlib.createBrotliDecompress(),
  zstd: zstd && (() => zstd(zstdParameters)),
};

/** The value of `Accept-Encoding`. */
export const acceptedEncodings = zstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';
