import { setTimeout as wait } from 'node:timers/promises';

/** More than these are not begun: mails that nobody takes must not fill the memory. */
const mostUnderWay = 100;
/** How long a process that stops waits for a mail server that does not answer. */
const patienceMs = 5_000;

/** Work that an answer does not wait for, so that how long the answer takes tells nothing of it. */
export class BackgroundTasks {
  private readonly underWay = new Set<Promise<void>>();

  /** Begins the work once the answer under way has been written. It never fails: `onFailure` hears of what went wrong. */
  run(work: () => Promise<void>, onFailure: (error: unknown) => void): void {
    if (this.underWay.size >= mostUnderWay) {
      onFailure(new Error(`${mostUnderWay} are under way already`));
      return;
    }
    const begun = new Promise<void>((resolve) => setImmediate(resolve))
      .then(work)
      .catch(onFailure)
      .finally(() => this.underWay.delete(begun));
    this.underWay.add(begun);
  }

  /** Resolves when all that was begun is done, or after some seconds. */
  async done(): Promise<void> {
    const late = Date.now() + patienceMs;
    while (this.underWay.size > 0 && Date.now() < late)
      await Promise.race([
        Promise.all(this.underWay),
        wait(late - Date.now(), undefined, { ref: false }),
      ]);
  }
}
