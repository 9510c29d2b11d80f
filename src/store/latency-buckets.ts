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
  // a chart adds hundreds of thousands of counts: to an array in a third of a map's time
  private readonly counts = new Float64Array(maxBucket + 1);
  private total = 0;

  add(bucket: number, count: number): void {
    this.counts[Math.min(bucket, maxBucket)]! += count;
    this.total += count;
  }

  /** Adds what `packed` returned; also several such texts, joined by commas. */
  addPacked(text: string): void {
    addPackedToAll(text, [this]);
  }

  /** All counts as a text: `<bucket>:<count>`, joined by commas. */
  packed(): string {
    const packed: string[] = [];
    for (let bucket = 0; bucket <= maxBucket; bucket += 1)
      if (this.counts[bucket]! > 0) packed.push(`${bucket}:${this.counts[bucket]!}`);
    return packed.join(',');
  }

  /**
   * The duration, in whole ms, that a share of all does not exceed; its relative error is at most
   * `maxPercentileError`, beside the rounding. Null: nothing was counted.
   */
  percentile(share: number): number | null {
    if (this.total === 0) return null;
    const rank = Math.max(1, Math.ceil(share * this.total));
    let below = 0;
    for (let bucket = 0; bucket <= maxBucket; bucket += 1) {
      below += this.counts[bucket]!;
      if (below >= rank) return Math.round(middleOf(bucket));
    }
    return null;
  }
}

/** Adds a text, as `addPacked` takes it, to several counts: it is read once. */
export function addPackedToAll(text: string, all: readonly LatencyCounts[]): void {
  let bucket = 0;
  let value = 0;
  // by hand: a chart of 90 days has hundreds of thousands of counts, and splitting takes longer
  for (let at = 0; at <= text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= zero && code <= zero + 9) value = value * 10 + code - zero;
    else {
      if (code === colon) bucket = value;
      else if (value > 0) for (const counts of all) counts.add(bucket, value);
      value = 0;
    }
  }
}
