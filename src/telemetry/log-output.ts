import { writeSync } from 'node:fs';

const batchBytes = 128 * 1024;
const flushEveryMs = 200;

/**
 * Where log lines gather before they are written together, at the latest after a fifth of a second and when the process exits. A line is
 * turned into bytes at once: strings that wait for their write survive young collections, which was most of what logging cost (25 µs a
 * line). A reader that does not keep up loses lines, which is said; it never holds up requests.
 */
export class LogOutput {
  private readonly batch = Buffer.allocUnsafe(batchBytes);
  private filled = 0;
  private lost = 0;

  /** @param descriptor of an open file; 1 is standard output */
  constructor(private readonly descriptor = 1) {
    setInterval(() => this.flush(), flushEveryMs).unref();
    process.once('exit', () => this.flush());
  }

  write(line: string): void {
    // three bytes are the most that a UTF-16 unit can take
    const room = line.length * 3;
    if (this.filled + room > batchBytes / 2) this.flush();
    if (this.filled + room <= batchBytes) this.filled += this.batch.write(line, this.filled);
    else this.lost++;
  }

  /** Writes what has gathered, as far as the reader takes it. */
  flush(): void {
    let written = 0;
    try {
      while (written < this.filled)
        written += writeSync(this.descriptor, this.batch, written, this.filled - written);
    } catch (error) {
      // a full pipe takes the rest later; a closed one never will
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') written = this.filled;
    }
    this.batch.copyWithin(0, written, this.filled);
    this.filled -= written;
    if (this.lost > 0 && this.filled === 0) this.tellLoss();
  }

  private tellLoss(): void {
    const line = `{"level":40,"time":"${new Date().toISOString()}","lost":${this.lost},"msg":"log lines were lost: their reader is too slow"}\n`;
    this.lost = 0;
    this.filled = this.batch.write(line, 0);
  }
}
