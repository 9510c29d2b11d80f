import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Hedging } from '../../src/dispatch/hedging.js';

describe('the share of hedged requests', () => {
  const rules = { afterPercentile: 95, maxShare: 0.05 };

  it('is bounded from the first request on, of all and of each account, in any order', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        fc.array(fc.nat(3), { maxLength: 400 }),
        (maxShare, accounts) => {
          const hedging = new Hedging({ ...rules, maxShare }, { percentileMs: () => 1 });
          const taken = [0, 0, 0, 0];
          const asked = [0, 0, 0, 0];
          for (const account of accounts) {
            hedging.count(String(account));
            asked[account]!++;
            if (hedging.take(String(account))) taken[account]!++;
            const sum = (of: number[]): number => of.reduce((one, other) => one + other);
            expect(taken[account]).toBeLessThanOrEqual(maxShare * asked[account]! + 1e-6);
            expect(sum(taken)).toBeLessThanOrEqual(maxShare * sum(asked) + 1e-6);
          }
        },
      ),
    );
  });

  it('is the whole share where every request is late', () => {
    const hedging = new Hedging(rules, { percentileMs: () => 1 });
    let taken = 0;
    for (let n = 0; n < 1_000; n++) {
      hedging.count('one');
      if (hedging.take('one')) taken++;
    }
    expect(taken).toBe(50);
  });

  it('saves no more than ten hedges for later', () => {
    const hedging = new Hedging(rules, { percentileMs: () => 1 });
    for (let n = 0; n < 10_000; n++) hedging.count('one');
    let taken = 0;
    while (hedging.take('one')) taken++;
    expect(taken).toBe(10);
  });
});
