export const dayMs = 86_400_000;
/** Half of what a rating teaches is forgotten after this long. */
export const ratingHalfLifeMs = 30 * dayMs;
/** Half of the counted answers and faults are forgotten after this long. */
export const servedHalfLifeMs = dayMs;

/** The share that is left after a time; 1 for a time before it began. */
export const leftOf = (since: number, now: number, halfLifeMs: number): number =>
  2 ** (-Math.max(0, now - since) / halfLifeMs);
