import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLatencyWindow } from '../../src/models/latency-window.js';

function windowAt(start = 0) {
  const clock = { now: start };
  const latencies = createLatencyWindow(() => clock.now);
  return { clock, latencies };
}

describe('the measured time to the first token', () => {
  it('is unknown below three answers', () => {
    const { latencies } = windowAt();
    latencies.record('openai', 'gpt-4o', 100);
    latencies.record('openai', 'gpt-4o', 200);
    expect(latencies.p50Ms('openai/gpt-4o')).toBeNull();
    latencies.record('openai', 'gpt-4o', 600);
    expect(latencies.p50Ms('openai/gpt-4o')).toBe(200);
  });

  it('is the median, or the mean of the middle two', () => {
    const { latencies } = windowAt();
    for (const ms of [400, 100, 300, 200]) latencies.record('a', 'm', ms);
    expect(latencies.p50Ms('a/m')).toBe(250);
  });

  it('is kept for each provider and model', () => {
    const { latencies } = windowAt();
    for (let n = 0; n < 3; n++) latencies.record('a', 'm', 100);
    expect(latencies.p50Ms('b/m')).toBeNull();
    expect(latencies.p50Ms('a/n')).toBeNull();
    expect(latencies.p50Ms('/m')).toBeNull();
  });

  it('ignores answers older than an hour', () => {
    const { clock, latencies } = windowAt();
    for (let n = 0; n < 3; n++) latencies.record('a', 'm', 900);
    clock.now = 30 * 60_000;
    for (let n = 0; n < 3; n++) latencies.record('a', 'm', 100);
    expect(latencies.p50Ms('a/m')).toBe(500);
    clock.now = 60 * 60_000;
    expect(latencies.p50Ms('a/m')).toBe(100);
    clock.now = 90 * 60_000;
    expect(latencies.p50Ms('a/m')).toBeNull();
  });

  it('is at most a second old under load', () => {
    const { clock, latencies } = windowAt();
    for (let n = 0; n < 20; n++) latencies.record('a', 'm', 100);
    expect(latencies.p50Ms('a/m')).toBe(100);
    for (let n = 0; n < 60; n++) latencies.record('a', 'm', 500);
    expect(latencies.p50Ms('a/m')).toBe(100);
    clock.now += 1000;
    expect(latencies.p50Ms('a/m')).toBe(500);
  });

  it('covers the whole hour, however many answers there were', () => {
    const { clock, latencies } = windowAt();
    for (let n = 0; n < 36_000; n++) {
      clock.now = n * 100;
      latencies.record('a', 'm', n < 24_000 ? 100 : 900);
    }
    expect(latencies.p50Ms('a/m')).toBe(100);
  });

  it('ignores values that are not durations', () => {
    const { latencies } = windowAt();
    for (const bad of [NaN, Infinity, -1])
      for (let n = 0; n < 3; n++) latencies.record('a', 'm', bad);
    expect(latencies.p50Ms('a/m')).toBeNull();
  });

  it('is between the fastest and the slowest answer, for any sequence', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ ms: fc.nat(10_000), wait: fc.nat(60_000) }), {
          minLength: 3,
          maxLength: 800,
        }),
        (answers) => {
          const { clock, latencies } = windowAt();
          for (const { ms, wait } of answers) {
            clock.now += wait;
            latencies.record('a', 'm', ms);
          }
          const all = answers.map(({ ms }) => ms);
          const p50 = latencies.p50Ms('a/m');
          if (p50 === null) return;
          expect(p50).toBeGreaterThanOrEqual(Math.min(...all));
          expect(p50).toBeLessThanOrEqual(Math.max(...all));
        },
      ),
      { numRuns: 50 },
    );
  });
});
