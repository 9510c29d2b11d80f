const minSamples = 3;
const minForPercentile = 20;
const maxAgeMs = 1000;
/** Up to this many samples, they are sorted again immediately; beyond, at most once a second. */
const maxEagerSamples = 24;

/**
 * Numbers of the last hour or so, and their percentiles. Keeps a bounded number of them, spread
 * evenly over the window: when it is full, it drops every second sample and from then on keeps only every
 * second, fourth, … answer.
 */
export class RecentSamples {
  private times: number[] = [];
  private values: number[] = [];
  private every = 1;
  private seen = 0;
  /** The values in ascending order, as of `sortedAt`. */
  private sorted = new Float64Array();
  private sortedAt = -Infinity;
  private stale = false;

  /** @param maxSamples how many are kept */
  constructor(private readonly maxSamples: number) {}

  /** @param at the time of the value, in milliseconds of any epoch */
  add(value: number, at: number): void {
    if (this.seen++ % this.every !== 0) return;
    if (this.times.length === this.maxSamples) this.thin();
    // keeps times ascending, because samples expire in order
    this.times.push(Math.max(at, this.times.at(-1) ?? at));
    this.values.push(value);
    this.stale = true;
  }

  /** The median of the samples within `windowMs` before `at`; null if there are fewer than 3. */
  p50(at: number, windowMs: number): number | null {
    const sorted = this.since(at, windowMs);
    const middle = sorted.length >> 1;
    if (sorted.length < minSamples) return null;
    return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  }

  /** A percentile of the samples within `windowMs` before `at`; null if there are fewer than 20. */
  percentile(percent: number, at: number, windowMs: number): number | null {
    const sorted = this.since(at, windowMs);
    if (sorted.length < minForPercentile) return null;
    return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? null;
  }

  /** The samples within `windowMs` before `at`, ascending; under load up to a second old. */
  private since(at: number, windowMs: number): Float64Array {
    const expired = this.times.length > 0 && this.times[0]! <= at - windowMs;
    const recent = this.times.length > maxEagerSamples && at - this.sortedAt < maxAgeMs;
    if (!expired && (!this.stale || recent)) return this.sorted;
    this.dropBefore(at - windowMs);
    this.sorted = Float64Array.from(this.values).sort();
    this.sortedAt = at;
    this.stale = false;
    return this.sorted;
  }

  /** How many are kept. */
  get count(): number {
    return this.values.length;
  }

  private thin(): void {
    this.times = this.times.filter((_, index) => index % 2 === 1);
    this.values = this.values.filter((_, index) => index % 2 === 1);
    this.every *= 2;
  }

  private dropBefore(limit: number): void {
    let gone = 0;
    while (gone < this.times.length && this.times[gone]! <= limit) gone++;
    this.times.splice(0, gone);
    this.values.splice(0, gone);
    // there is less traffic now: keep a larger share of the answers
    while (this.every > 1 && this.times.length < this.maxSamples / 4) this.every /= 2;
  }
}
