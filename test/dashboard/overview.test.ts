import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextIndex, restOf, stacked } from '../../src/dashboard/components/chart-columns.js';
import {
  errorRate,
  pointsChange,
  rangeOf,
  ranges,
  refreshMs,
  relativeChange,
} from '../../src/dashboard/pages/overview/series.js';

const layer = (values: (number | null)[]) => ({ label: 'a', color: '#000', values });

describe('a change against the time before', () => {
  it.each([
    [112, 100, '+12%', 'up'],
    [95, 100, '−5.0%', 'down'],
    [100.1, 100, '0%', 'same'],
    [5_000, 1, '+>999%', 'up'],
    [0, 10, '−100%', 'down'],
  ])('from %s, after %s, is %s', (now, before, text, direction) => {
    expect(relativeChange(now, before)).toEqual({ text, direction });
  });

  it('is unknown where there was nothing, or nothing was measured', () => {
    expect(relativeChange(5, 0)).toBeNull();
    expect(relativeChange(null, 5)).toBeNull();
    expect(pointsChange(0.5, null)).toBeNull();
  });

  it('of a share is in percentage points', () => {
    expect(pointsChange(0.05, 0.02)).toEqual({ text: '+3.0 pt', direction: 'up' });
    expect(errorRate({ requests: 0, errors: 0 })).toBeNull();
  });
});

describe('the time range of the address', () => {
  it('is a day where the address names none that exists', () => {
    for (const name of [undefined, '', '2h', 'toString']) expect(rangeOf(name)).toBe('24h');
    expect(rangeOf('90d')).toBe('90d');
  });

  it('is asked for again every few seconds if short, and each minute if long', () => {
    for (const range of Object.keys(ranges))
      expect(refreshMs(rangeOf(range))).toBeGreaterThanOrEqual(5_000);
    expect(refreshMs('90d')).toBe(60_000);
  });
});

describe('a stacked chart', () => {
  it('has each layer on top of those before it, and ends at the sum', () => {
    expect(stacked([layer([1, 2]), layer([3, null])])).toEqual([
      [1, 2],
      [4, 2],
    ]);
  });

  it('shows what is left of the whole, if anything is', () => {
    expect(restOf([5, 3], [[1, 3]])).toEqual([4, 0]);
    expect(restOf([0.1 + 0.2], [[0.1], [0.2]])).toBeNull();
  });

  it('is walked through by keys, never beyond its ends', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.constantFrom(-1, 1)),
        (size, steps) => {
          let at: number | null = null;
          for (const step of steps) at = nextIndex(at, step, size);
          expect(at ?? 0).toBeGreaterThanOrEqual(0);
          expect(at ?? 0).toBeLessThan(size);
        },
      ),
    );
    expect(nextIndex(null, 1, 0)).toBeNull();
  });
});
