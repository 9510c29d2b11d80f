import { describe, expect, it } from 'vitest';
import { weighEvidence } from '../../../src/chooser/savings/weigh-evidence.js';
import type { KeyRatings } from '../../../src/store/contracts/choices.js';

/** Ratings by a key of one model, all with the same difference from what was predicted. */
const ratings = (
  keyId: string,
  answers: number,
  difference: number,
  accountId = 'account',
): KeyRatings => ({
  accountId,
  keyId,
  model: 'up/large',
  answers,
  difference: answers * difference,
  squares: answers * difference ** 2,
});
const answersOf = (all: readonly KeyRatings[]): number =>
  weighEvidence(all, [], []).ratings.reduce((sum, { answers }) => sum + answers, 0);

describe('the ratings of a receipt', () => {
  it('all count where one key rates', () => {
    expect(answersOf([ratings('one', 140, 0.1)])).toBe(140);
  });

  it('count for half by one of two keys, and for a third where there are more', () => {
    expect(answersOf([ratings('one', 40, 0.1), ratings('two', 100, -0.1)])).toBeCloseTo(80, 6);
    const three = [ratings('one', 20, 0.1), ratings('two', 20, 0.1), ratings('three', 100, -0.5)];
    const [large] = weighEvidence(three, [], []).ratings;
    expect(large?.answers).toBeCloseTo(60, 6);
    expect(large?.difference).toBeCloseTo(40 * 0.1 - 20 * 0.5, 6);
  });

  it('are bounded in each account by those of its own keys', () => {
    const all = [ratings('one', 10, 0), ratings('two', 10, 0), ratings('three', 500, 0, 'another')];
    expect(answersOf(all)).toBe(520);
  });

  it('are bounded in rated pairs as well', () => {
    const pair = (keyId: string, pairs: number, difference: number) => ({
      accountId: 'account',
      keyId,
      chosen: 'up/small',
      shadow: 'up/large',
      pairs,
      difference: pairs * difference,
      squares: pairs * difference ** 2,
      uncertainty: 0.05 * pairs,
      chosenUncertainty: 0.05 * pairs,
      singles: ['up/small', 'up/large'].map((model) => ({
        model,
        answers: pairs,
        difference: 0,
        squares: 0,
      })),
    });
    const { pairs } = weighEvidence(
      [ratings('one', 10, 0), ratings('two', 40, 0)],
      [],
      [pair('one', 10, 0.2), pair('two', 40, -0.2)],
    );
    expect(pairs.rated).toHaveLength(1);
    expect(pairs.rated[0]?.pairs).toBeCloseTo(20, 6);
    expect(pairs.rated[0]?.difference).toBeCloseTo(0, 6);
    expect(pairs.rated[0]?.singles.map(({ answers }) => answers)).toEqual([20, 20]);
  });
});
