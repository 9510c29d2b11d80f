/** The ratio of the bounds of a bucket. */
const ratio = 1.1;
const logRatio = Math.log(ratio);
/** About three years; longer durations are clamped. */
const maxBucket = 265;
const zero = '0'.charCodeAt(0);
const colon = ':'.charCodeAt(0);

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

  addAll(other: LatencyCounts): void {
    for (const [bucket, count] of other.counts) this.add(bucket, count);
  }

  /** Adds what `packed` returned; also several such texts, joined by commas. */
  addPacked(text: string): void {
    let bucket = 0;
    let value = 0;
    // by hand: a chart of 90 days has hundreds of thousands of counts, and splitting takes longer
    for (let at = 0; at <= text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= zero && code <= zero + 9) value = value * 10 + code - zero;
      else {
        if (code === colon) bucket = value;
        else if (value > 0) this.add(bucket, value);
        value = 0;
      }
    }
  }

  /** All counts as a text: `<bucket>:<count>`, joined by commas. */
  packed(): string {
    return [...this.counts]
      .sort(([one], [other]) => one - other)
      .map(([bucket, count]) => `${bucket}:${count}`)
      .join(',');
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
