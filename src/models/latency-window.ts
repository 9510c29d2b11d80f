import { NameCache } from './name-cache.js';
import { RecentSamples } from './recent-samples.js';

/** Time to the first token by provider and model: percentiles of the last hour. */
export interface LatencyWindow {
  /**
   * Records one answer.
   * @param ttftMs its time to the first token; ignored unless finite and not negative
   * @param agoMs how long ago the answer was; absent: now
   */
  record(provider: string, model: string, ttftMs: number, agoMs?: number): void;
  /**
   * The median; null if the last hour has fewer than three answers. At most one second out of date.
   * @param offer `<provider>/<model>`
   */
  p50Ms(offer: string): number | null;
  /** As `p50Ms`, for any percentile; null if there are fewer than twenty answers. */
  percentileMs(offer: string, percent: number): number | null;
}

const windowMs = 3_600_000;
const maxSamples = 256;
const maxModels = 1000;
const newSamples = (): RecentSamples => new RecentSamples(maxSamples);

/**
 * Makes an empty window: the last hour of at least the thousand models that were used last. All
 * methods are cheap enough for every request.
 * @param now milliseconds, any epoch; by default a monotonic clock
 */
export function createLatencyWindow(now = () => performance.now()): LatencyWindow {
  const models = new NameCache<RecentSamples>(maxModels);
  return {
    record(provider, model, ttftMs, agoMs = 0) {
      if (!Number.isFinite(ttftMs) || ttftMs < 0 || agoMs >= windowMs) return;
      models.of(`${provider}/${model}`, newSamples).add(ttftMs, now() - agoMs);
    },
    p50Ms: (offer) => models.get(offer)?.p50(now(), windowMs) ?? null,
    percentileMs: (offer, percent) =>
      models.get(offer)?.percentile(percent, now(), windowMs) ?? null,
  };
}
