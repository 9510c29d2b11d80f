import { PageError } from './page-error.js';

/**
 * The time limits of one reading: one for all of it, and one for each wait within it. Its signal
 * is aborted with the PageError that the reading fails with.
 */
export class ReadingClock {
  private readonly controller = new AbortController();
  private readonly total: NodeJS.Timeout;
  private wait: NodeJS.Timeout | undefined;

  constructor(
    totalMs: number,
    private readonly cancellation: AbortSignal | undefined,
  ) {
    this.total = setTimeout(() => this.expire(`took longer than ${totalMs} ms`), totalMs);
    if (cancellation?.aborted) this.cancel();
    else cancellation?.addEventListener('abort', this.cancel);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get failure(): PageError | null {
    return this.controller.signal.aborted ? (this.controller.signal.reason as PageError) : null;
  }

  /** Begins a wait, which ends the one before. @param what completes `the page …` */
  waitFor(what: string, limitMs: number): void {
    clearTimeout(this.wait);
    this.wait = setTimeout(() => this.expire(`${what} for ${limitMs} ms`), limitMs);
  }

  /** The last wait ended; a byte of a body begins it anew. */
  refresh(): void {
    this.wait?.refresh();
  }

  stopWaiting(): void {
    clearTimeout(this.wait);
  }

  /** What follows has its own limits. */
  stopTotal(): void {
    clearTimeout(this.total);
  }

  /** Ends the reading. */
  fail(error: PageError): void {
    this.controller.abort(error);
  }

  /** The reading is over. */
  end(): void {
    clearTimeout(this.total);
    clearTimeout(this.wait);
    this.cancellation?.removeEventListener('abort', this.cancel);
  }

  private expire(what: string): void {
    this.fail(new PageError('too_slow', `the page ${what}`));
  }

  private readonly cancel = (): void =>
    this.fail(new PageError('cancelled', 'the reading was cancelled'));
}
