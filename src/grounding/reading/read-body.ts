import { pipeline } from 'node:stream/promises';
import { type Decoder, decoders } from '../../async/decoders.js';
import { PageError } from './page-error.js';
import type { ReadingClock } from './reading-clock.js';
import { connectionError, type WebAnswer } from './web-request.js';

/**
 * Reads a body to its end and decompresses it. The limit holds for the bytes on the wire and for
 * those after decompression.
 * @param host for messages
 * @throws PageError `too_large`, `unsupported_encoding`, `unreadable`, `unreachable`, or that of
 *   the clock
 */
export async function readBody(
  { headers, body }: WebAnswer,
  host: string,
  maxBytes: number,
  clock: ReadingClock,
): Promise<Uint8Array<ArrayBuffer>> {
  const decoder = decoderFor(headers['content-encoding'], host);
  const tooLarge = (): PageError =>
    new PageError('too_large', `the page of ${host} has more than ${maxBytes} bytes`);
  if (Number(headers['content-length']) > maxBytes) throw tooLarge();
  const wire = new GrowingBytes(maxBytes, tooLarge);
  try {
    for await (const piece of body) {
      clock.refresh();
      wire.add(piece as Uint8Array);
    }
    const bytes = wire.taken();
    const [first] = bytes;
    if (!decoder || first === undefined) return bytes;
    const plain = new GrowingBytes(maxBytes, tooLarge);
    await pipeline(
      [bytes],
      decoder(first),
      (pieces: AsyncIterable<Uint8Array>) => plain.addAll(pieces),
      { signal: clock.signal },
    );
    return plain.taken();
  } catch (error) {
    throw clock.failure ?? bodyError(host, error);
  }
}

function decoderFor(header: string | string[] | undefined, host: string): Decoder | null {
  // a list, or a header sent twice, would be compressed several times
  const encoding = String(header ?? 'identity')
    .trim()
    .toLowerCase();
  if (encoding === 'identity' || encoding === '') return null;
  const decoder = decoders.get(encoding);
  if (decoder) return decoder;
  throw new PageError('unsupported_encoding', `${host} sent a compression that is not supported`);
}

/** Codes of the decoders: zlib, Brotli (`ERR__ERROR_FORMAT_…`, `ERR_PADDING_…`), zstd. */
const damaged = /^(Z_|ZSTD_|ERR__|ERR_(PADDING|FORMAT|BROTLI|ZSTD))/;

function bodyError(host: string, error: unknown): PageError {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && damaged.test(code)
    ? new PageError('unreadable', `${host} sent damaged compressed data`, null, { cause: error })
    : connectionError(host, error);
}

const firstCapacity = 65_536;

/** Collects bytes up to a limit, in one array: single bytes in a list take 100 times as much. */
class GrowingBytes {
  private bytes = new Uint8Array(0);
  private length = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly tooLarge: () => PageError,
  ) {}

  /** @throws PageError beyond the limit */
  add(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (length > this.maxBytes) throw this.tooLarge();
    if (length > this.bytes.length) this.growTo(length);
    this.bytes.set(piece, this.length);
    this.length = length;
  }

  async addAll(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of pieces) this.add(piece);
  }

  /** All that was added, without a copy. */
  taken(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }

  private growTo(length: number): void {
    const capacity = Math.max(
      length,
      firstCapacity,
      Math.min(this.bytes.length * 2, this.maxBytes),
    );
    const grown = new Uint8Array(capacity);
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}
