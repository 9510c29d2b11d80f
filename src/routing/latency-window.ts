import { LRUCache } from 'lru-cache';

/** Time to the first token by provider and model: the median of the last hour. */
export interface LatencyWindow {
  /**
   * Records one answer.
   * @param ttftMs its time to the first token; ignored unless finite and not negative
   * @param agoMs how long ago the answer was; absent: now
   */
  record(provider: string, model: string, ttftMs: number, agoMs?: number): void;
  /**
   * The median; null if the last hour has fewer than three answers. At most one second out of date.
   */
  p50Ms(provider: string | null, model: string): number | null;
}

interface LatencyWindowOptions {
  /** Milliseconds, any epoch; by default a monotonic clock. */
  now?: () => number;
  /** The length of the window: older measurements are ignored. */
  windowMs?: number;
}

const minSamples = 3;
const maxSamples = 256;
const maxModels = 1000;
const maxMedianAgeMs = 1000;
/** Up to this many samples, the median is recomputed immediately; beyond, at most once a second. */
const maxEagerSamples = 16;

/**
 * Keeps at most 256 samples, spread evenly over the window: when it is full, it drops every second
 * sample and from then on keeps only every second, fourth, … answer.
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
    // keeps the order of time, by which samples expire
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
    // there is less traffic now: keep a larger share of the answers
    while (this.every > 1 && this.times.length < maxSamples / 4) this.every /= 2;
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Makes an empty window. It holds the thousand most recently used models. Both methods are cheap
 * enough for every request.
 */
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
