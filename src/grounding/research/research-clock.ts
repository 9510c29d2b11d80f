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

/**
 * A signal that is aborted with another one, with its reason, or with `TimeIsUp`.
 * @returns `end`: to be called when what the signal bounds is over
 */
export function timedSignal(
  clock: ResearchClock,
  ms: number,
  outer: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const end = clock.after(Math.max(0, ms), () => controller.abort(new TimeIsUp()));
  return { signal: AbortSignal.any([outer, controller.signal]), end };
}
