import { DatabaseFailure } from '../../failure.js';

interface Waiting {
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
}

/** `DatabaseFailure.code` if the turn did not come in time. */
export const waitedTooLong = 'WAITED_TOO_LONG';

/** A lock with a queue in front of it. */
export class Turns {
  private isTaken = false;
  private readonly waiting: Waiting[] = [];

  /**
   * @param maxWaitMs limits the queue behind a locked database, and ends a caller's wait for itself
   */
  constructor(private readonly maxWaitMs = 10_000) {}

  /**
   * Resolves when the caller has the lock, until `give`.
   * @throws DatabaseFailure `waitedTooLong`
   */
  async take(): Promise<void> {
    if (!this.isTaken) {
      this.isTaken = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(new DatabaseFailure(`it was busy for ${this.maxWaitMs} ms`, waitedTooLong));
      };
      const waiting: Waiting = { go: resolve, timer: setTimeout(leave, this.maxWaitMs) };
      this.waiting.push(waiting);
    });
  }

  /** Passes the lock on. */
  give(): void {
    const next = this.waiting.shift();
    if (next === undefined) {
      this.isTaken = false;
      return;
    }
    clearTimeout(next.timer);
    next.go();
  }
}
