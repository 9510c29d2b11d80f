/** The ratio of the bounds of a bucket. */
const ratio = 1.1;
const logRatio = Math.log(ratio);
/** About three years; longer durations are clamped. */
const maxBucket = 265;

/** The largest relative error of a percentile: 0.048. */
export const maxPercentileError = (ratio - 1) / (ratio + 1);

/** The bucket of a duration in ms: buckets have bounds that grow by a tenth, from 1 ms. */
export function latencyBucket(ms: number): number {
  if (!(ms > 1)) return 0;
  return Math.min(maxBucket, Math.ceil(Math.log(ms) / logRatio - 1e-9));
}

/** The duration that is nearest to all of a bucket, relatively. */
const middleOf = (bucket: number): number => (2 * ratio ** bucket) / (ratio + 1);

/** Counts of durations by bucket. */
export class LatencyCounts {
  private readonly counts = new Map<number, number>();
  private total = 0;

  add(bucket: number, count: number): void {
    this.counts.set(bucket, (this.counts.get(bucket) ?? 0) + count);
    this.total += count;
  }

  /**
   * The duration, in whole ms, that a share of all does not exceed; its relative error is at most
   * `maxPercentileError`, beside the rounding. Null: nothing was counted.
   */
  percentile(share: number): number | null {
    if (this.total === 0) return null;
    const rank = Math.max(1, Math.ceil(share * this.total));
    let below = 0;
    for (const bucket of [...this.counts.keys()].sort((a, b) => a - b)) {
      below += this.counts.get(bucket) ?? 0;
      if (below >= rank) return Math.round(middleOf(bucket));
    }
    return null;
  }
}
