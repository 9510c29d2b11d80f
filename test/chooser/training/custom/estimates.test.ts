import { describe, expect, it } from 'vitest';
import { estimateOf } from '../../../../src/chooser/training/custom/bootstrap.js';
import { bootstrap, estimateOfError } from '../../../lab/estimates.js';

describe('the bootstrap', () => {
  const groups = ['a', 'b', 'a', 'c', 'b', 'a'];

  it('draws rows of one group together, and as many groups as there are', () => {
    const seen: Float64Array[] = [];
    bootstrap(groups, { draws: 50, seed: 1 }, (weights) => {
      seen.push(weights.slice());
      return new Map([['rows', 1]]);
    });
    expect(seen).toHaveLength(51);
    for (const weights of seen) {
      expect([weights[0], weights[1]]).toEqual([weights[2], weights[4]]);
      expect(weights[0]).toBe(weights[5]);
      expect(weights[0]! + weights[1]! + weights[3]!).toBe(3);
    }
  });

  it('draws the same for the same seed and differently for another', () => {
    const drawnBy = (seed: number): readonly number[] =>
      bootstrap(
        groups,
        { draws: 20, seed },
        (weights) => new Map([['first', weights[0]!]]),
      ).draws.get('first')!;
    expect(drawnBy(3)).toEqual(drawnBy(3));
    expect(drawnBy(3)).not.toEqual(drawnBy(4));
  });

  it('gives an interval that contains 95 % of the draws, infinite ones included', () => {
    const draws = Array.from({ length: 1000 }, (_, at) => (at < 900 ? at : Infinity));
    expect(estimateOf(450, draws)).toEqual({ value: 450, low: 25, high: Infinity });
    expect(estimateOf(1, [])).toEqual({ value: 1, low: 1, high: 1 });
  });

  it('centres the draws of an error on the error, because drawing makes it larger', () => {
    const { value, low, high } = estimateOfError(0.1, [0.2, 0.3]);
    expect(value).toBe(0.1);
    expect(low).toBeCloseTo(0.05);
    expect(high).toBeCloseTo(0.15);
  });
});
