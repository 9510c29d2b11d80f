import type { PageError } from './page-error.js';

const firstCapacity = 65_536;

/**
 * Collects bytes in one growing array up to a limit. A list of pieces would take a hundred times as
 * much memory as its bytes where each piece is a single byte.
 */
export class GrowingBytes {
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
