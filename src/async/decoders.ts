import { Transform } from 'node:stream';
import zlib from 'node:zlib';

/** Makes a decompressor for a body that begins with `firstByte`. */
export type Decoder = (firstByte: number) => Transform;

// ZSTD_d_windowLogMax, which the types of Node.js 20 do not know: a window of 8 MB, not 128 MB
const zstdParameters = { params: { 100: 23 } };

const { createZstdDecompress: zstd } = zlib as {
  createZstdDecompress?: (options: object) => Transform;
};

/** Decoders by content encoding, in lower case. */
export const decoders = new Map(
  Object.entries<Decoder | undefined>({
    gzip: () => zlib.createGunzip(),
    'x-gzip': () => zlib.createGunzip(),
    // some servers omit the header of the zlib format, which begins with its method, 8
    deflate: (first) => ((first & 15) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
    br: () => zlib.createBrotliDecompress(),
    zstd: zstd && (() => zstd(zstdParameters)),
  }),
);

const isAscii = (byte = 0): boolean => byte < 0x80;

/** How bodies begin that are text. What is compressed begins otherwise. */
const text = /^(?:\s*(?:\{\s*["}]|\[\s*\{)|(?:data|event):|<(?:!doctype|html))/i;
/** Whether a body that begins so is compressed. */
export const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** Turns UTF-16, which a byte order mark tells, into UTF-8. */
function utf16Decoder(encoding: string): Transform {
  const decoder = new TextDecoder(encoding);
  return new Transform({
    transform: (bytes: Buffer, _encoding, done) =>
      done(null, Buffer.from(decoder.decode(bytes, { stream: true }))),
  });
}

const utf16Marks: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/**
 * What makes UTF-8 of a server's body; null: it is not compressed. Its first bytes decide, because some
 * proxies decompress and keep the label, and some servers write another word there.
 */
export function bodyDecoder(label: string, head: Buffer): Transform | null {
  if (label === '' && isAscii(head[0]) && !isGzip(head)) return null;
  const utf16 = utf16Marks[head.toString('hex', 0, 2)];
  if (utf16) return utf16Decoder(utf16);
  const encoding = isGzip(head)
    ? 'gzip'
    : label
        .slice(label.lastIndexOf(',') + 1)
        .trim()
        .toLowerCase();
  const make = decoders.get(encoding);
  return !make || text.test(head.toString('latin1', 0, 64)) ? null : make(head[0] ?? 0);
}

/** The value of `Accept-Encoding`. */
export const acceptedEncodings = zstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';
