import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  latencyBucket,
  LatencyCounts,
  maxPercentileError,
} from '../../src/store/latency-buckets.js';

const durations = fc.array(fc.double({ min: 0, max: 86_400_000, noNaN: true }), {
  minLength: 1,
  maxLength: 200,
});

describe('percentiles from counts by bucket', () => {
  it('are within 5 % of the true ones, whatever the durations', () => {
    expect(maxPercentileError).toBeLessThan(0.05);
    fc.assert(
      fc.property(durations, fc.constantFrom(0.5, 0.95, 1), (all, share) => {
        const counts = new LatencyCounts();
        for (const ms of all) counts.add(latencyBucket(ms), 1);
        const sorted = [...all].sort((a, b) => a - b);
        const exact = sorted[Math.ceil(share * all.length) - 1]!;
        const error = Math.abs((counts.percentile(share) ?? NaN) - exact);
        // below 1 ms there is one bucket, and the result is rounded to whole ms
        expect(error).toBeLessThanOrEqual(Math.max(1, exact * maxPercentileError + 0.51));
      }),
    );
  });

  it('are null where nothing was counted', () => {
    expect(new LatencyCounts().percentile(0.5)).toBeNull();
  });

  it('put durations that cannot be into the first or the last bucket', () => {
    for (const ms of [NaN, -1, 0, 1]) expect(latencyBucket(ms)).toBe(0);
    expect(latencyBucket(Infinity)).toBe(latencyBucket(1e30));
  });
});
