import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../src/async/backoff.js';

const rule = { firstMs: 100, maxMs: 5_000 };
const failures = [1, 2, 3, 6, 7, 5_000];

describe('an exponential backoff', () => {
  it('doubles with each failure, up to its maximum', () => {
    expect(failures.map((count) => backoffMs(count, rule))).toEqual([
      100, 200, 400, 3_200, 5_000, 5_000,
    ]);
  });

  it('is random in the share that its jitter says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (count, jitter, chance) => {
          const fullMs = backoffMs(count, rule);
          const ms = backoffMs(count, { ...rule, jitter }, () => chance);
          expect(ms).toBeGreaterThanOrEqual(fullMs * (1 - jitter) - 1e-9);
          expect(ms).toBeLessThanOrEqual(fullMs);
        },
      ),
    );
  });
});
