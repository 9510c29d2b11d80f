import { DatabaseFailure } from '../../failure.js';

interface Waiting {
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
}

/** `DatabaseFailure.code` where the turn did not come in time. */
export const waitedTooLong = 'WAITED_TOO_LONG';

/** One at a time, in the order of asking. */
export class Turns {
  private isTaken = false;
  private readonly waiting: Waiting[] = [];

  /** @param longestWaitMs so that a crowd behind a locked database hears of it, and one that waits for itself too */
  constructor(private readonly longestWaitMs = 10_000) {}

  /** Resolves when it is the caller's turn, which lasts until `give`. @throws DatabaseFailure `waitedTooLong` */
  async take(): Promise<void> {
    if (!this.isTaken) {
      this.isTaken = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(
          new DatabaseFailure(
            `it was busy with others for ${this.longestWaitMs} ms`,
            waitedTooLong,
          ),
        );
      };
      const waiting: Waiting = { go: resolve, timer: setTimeout(leave, this.longestWaitMs) };
      this.waiting.push(waiting);
    });
  }

  /** Ends the turn. */
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
