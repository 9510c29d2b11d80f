import { withTimeout } from '../async/with-timeout.js';

/** More tasks than these are refused: mails that no server takes must not fill the memory. */
const maxUnderWay = 100;
/** How long a process that stops waits for a mail server that does not answer. */
const maxWaitMs = 5_000;

/**
 * Work that an answer does not wait for, so that the time it takes reveals nothing about the work.
 */
export class BackgroundTasks {
  private readonly underWay = new Set<Promise<void>>();

  /**
   * Begins the work after the current answer has been written. Never throws; `onFailure` is called
   * when the work fails or is refused.
   */
  run(work: () => Promise<void>, onFailure: (error: unknown) => void): void {
    if (this.underWay.size >= maxUnderWay) {
      onFailure(new Error(`${maxUnderWay} tasks are under way already`));
      return;
    }
    const begun = new Promise<void>((resolve) => setImmediate(resolve))
      .then(work)
      .catch(onFailure)
      .finally(() => this.underWay.delete(begun));
    this.underWay.add(begun);
  }

  /** Resolves when all tasks are done, those that they begin included, or after some seconds. */
  async done(): Promise<void> {
    await withTimeout(this.allDone(), maxWaitMs, () => undefined);
  }

  private async allDone(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }
}
