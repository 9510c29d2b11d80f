import { LRUCache } from 'lru-cache';

/** Time to the first token by provider and model: the median of the last hour. */
export interface LatencyWindow {
  /**
   * @param ttftMs what one answer took to its first token; anything but a finite, non-negative number is ignored
   * @param agoMs how long ago that was; absent: just now
   */
  record(provider: string, model: string, ttftMs: number, agoMs?: number): void;
  /** Null where the last hour holds fewer than three answers. At most a second old. */
  p50Ms(provider: string | null, model: string): number | null;
}

export interface LatencyWindowOptions {
  /** Milliseconds, any epoch; default: a clock that nobody sets back. */
  now?: () => number;
  /** How far back a measurement counts. */
  windowMs?: number;
}

const minSamples = 3;
const maxSamples = 256;
const maxModels = 1000;
const maxMedianAgeMs = 1000;
/** So few are sorted again at once. */
const maxEagerSamples = 16;

/**
 * Keeps at most 256 samples spread evenly over the window: when they are full, every second one goes and from then on only
 * every second, fourth, … answer is kept.
 */
class Samples {
  private times: number[] = [];
  private values: number[] = [];
  private every = 1;
  private seen = 0;
  private median: number | null = null;
  private medianAt = -Infinity;
  private stale = false;

  add(value: number, at: number): void {
    if (this.seen++ % this.every !== 0) return;
    if (this.times.length === maxSamples) this.thin();
    // in order of time, by which they expire
    this.times.push(Math.max(at, this.times.at(-1) ?? at));
    this.values.push(value);
    this.stale = true;
  }

  p50(at: number, windowMs: number): number | null {
    const expired = this.times.length > 0 && this.times[0]! <= at - windowMs;
    const recent = this.times.length > maxEagerSamples && at - this.medianAt < maxMedianAgeMs;
    if (!expired && (!this.stale || recent)) return this.median;
    this.dropBefore(at - windowMs);
    this.median = this.values.length < minSamples ? null : medianOf(this.values);
    this.medianAt = at;
    this.stale = false;
    return this.median;
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
    // traffic has thinned out: keep more of what comes
    while (this.every > 1 && this.times.length < maxSamples / 4) this.every /= 2;
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Makes an empty window. It holds the thousand models used last; both of its methods are cheap enough for every request. */
export function createLatencyWindow({
  now = () => performance.now(),
  windowMs = 3_600_000,
}: LatencyWindowOptions = {}): LatencyWindow {
  const models = new LRUCache<string, Samples>({ max: maxModels });
  return {
    record(provider, model, ttftMs, agoMs = 0) {
      if (!Number.isFinite(ttftMs) || ttftMs < 0 || agoMs >= windowMs) return;
      const key = `${provider}/${model}`;
      let samples = models.get(key);
      if (!samples) models.set(key, (samples = new Samples()));
      samples.add(ttftMs, now() - agoMs);
    },
    p50Ms: (provider, model) =>
      models.get(`${provider ?? ''}/${model}`)?.p50(now(), windowMs) ?? null,
  };
}
