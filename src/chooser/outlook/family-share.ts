import { logOdds } from '../../models/numbers.js';

/** Abilities follow shares in a straight line above this, and their log odds below. */
const straightFrom = 0.25;
const slope = straightFrom * (1 - straightFrom);
const least = 0.03;

/**
 * Where a share of the families' table stands on a line that abilities follow. Log odds alone put
 * the best families .3 to .6 above what their models' results say (2026-11): the table was written
 * by hand, with small steps near 1.
 * @param share 0..1
 */
export function placeOfShare(share: number): number {
  const kept = Math.min(1 - least, Math.max(least, share));
  if (kept >= straightFrom) return kept;
  return straightFrom + slope * (logOdds(kept) - logOdds(straightFrom));
}
