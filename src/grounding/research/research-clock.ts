/** Time, as a research run needs it. */
export interface ResearchClock {
  /** In ms; never goes back. */
  now(): number;
  /** In ms since 1970. */
  wallClock(): number;
  /** Runs something once after a time. @returns what cancels it */
  after(ms: number, run: () => void): () => void;
}

/** The time of this machine. */
export const systemClock: ResearchClock = {
  now: () => performance.now(),
  wallClock: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};

/** The time for something is over. */
export class TimeIsUp extends Error {
  override readonly name = 'TimeIsUp';

  constructor() {
    super('the time of this research is over');
  }
}

/** A signal that is aborted with another one, with its reason, or with `TimeIsUp`. */
export class TimedSignal {
  private readonly controller = new AbortController();
  private readonly stopTimer: () => void;

  constructor(
    clock: ResearchClock,
    ms: number,
    private readonly outer: AbortSignal,
  ) {
    this.stopTimer = clock.after(Math.max(0, ms), () => this.controller.abort(new TimeIsUp()));
    if (outer.aborted) this.follow();
    else outer.addEventListener('abort', this.follow);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Must be called when what it bounds is over. */
  end(): void {
    this.stopTimer();
    this.outer.removeEventListener('abort', this.follow);
  }

  private readonly follow = (): void => this.controller.abort(this.outer.reason);
}

/** Settles as `work` does, or rejects with the signal's reason as soon as that is aborted. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
}
