const newline = 0x0a;

/**
 * Cuts bytes into lines. One that is longer than `maxBytes` is refused: nothing of a stream after
 * it can be trusted.
 */
export class LineReader {
  private parts: Buffer[] = [];
  private length = 0;

  constructor(private readonly maxBytes: number) {}

  /** The lines that end in this chunk. @throws RangeError for a line that is too long */
  read(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end; (end = chunk.indexOf(newline, start)) >= 0; start = end + 1) {
      this.keep(chunk.subarray(start, end));
      lines.push(Buffer.concat(this.parts).toString('utf8').trimEnd());
      this.parts = [];
      this.length = 0;
    }
    if (start < chunk.length) this.keep(chunk.subarray(start));
    return lines;
  }

  private keep(part: Buffer): void {
    this.length += part.length;
    if (this.length > this.maxBytes) {
      this.parts = [];
      throw new RangeError(`a line is longer than ${this.maxBytes} bytes`);
    }
    this.parts.push(part);
  }
}
