import { describe, expect, it } from 'vitest';
import { errorShare, priceShare } from '../../src/dashboard/pages/models/scales.js';

describe('the bar of a price', () => {
  it('is logarithmic: factors count, not differences', () => {
    const all = [0.1, 1, 10];
    expect(priceShare(10, all)).toBe(1);
    expect(priceShare(1, all)).toBeCloseTo(0.5);
  });

  it('stays visible for the cheapest, is empty for a free model, and absent for an unknown price', () => {
    const all = [0, 0.1, 10, null];
    expect(priceShare(0.1, all)).toBeGreaterThan(0);
    expect(priceShare(0, all)).toBe(0);
    expect(priceShare(null, all)).toBeNull();
  });

  it('is full where there is nothing to compare with', () => {
    expect(priceShare(3, [3])).toBe(1);
  });
});

describe('the share of calls that failed', () => {
  it('is unknown before the first call', () => {
    expect(errorShare(null)).toBeNull();
    expect(errorShare({ attempts: 0, failures: 0 })).toBeNull();
    expect(errorShare({ attempts: 4, failures: 1 })).toBe(0.25);
  });
});
