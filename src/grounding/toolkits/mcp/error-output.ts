const maxLines = 20;
const perMs = 60_000;
const maxLineLength = 500;

/**
 * Takes what a server writes to its standard error, and passes on whole lines: at most twenty in a
 * minute, each cut at 500 characters.
 */
export class ErrorOutput {
  private line = '';
  private passed = 0;
  private skipped = 0;
  private since = -perMs;

  constructor(private readonly onLine: (line: string) => void) {}

  write(text: string): void {
    for (const [place, part] of text.split('\n').entries()) {
      if (place > 0) this.end();
      if (this.line.length < maxLineLength) this.line += part.slice(0, maxLineLength);
    }
  }

  private end(): void {
    const line = this.line.trim().slice(0, maxLineLength);
    this.line = '';
    const now = performance.now();
    if (now - this.since >= perMs) {
      if (this.skipped > 0) this.onLine(`${this.skipped} more lines`);
      this.since = now;
      this.passed = 0;
      this.skipped = 0;
    }
    if (line === '') return;
    if (++this.passed <= maxLines) this.onLine(line);
    else this.skipped++;
  }
}
