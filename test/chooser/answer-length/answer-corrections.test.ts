import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerCorrections } from '../../../src/chooser/answer-length/answer-corrections.js';

const model = 'wordy-1';
/** Answers that are so many times as long as they would be expected without corrections. */
function answer(
  corrections: AnswerCorrections,
  account: string,
  times: number,
  count: number,
): void {
  for (let one = 0; one < count; one++) {
    const expected = 100 * corrections.factorOf(model, account);
    corrections.add(model, account, expected, 100 * times);
  }
}

describe('corrections of expected lengths', () => {
  it('follow the answers of an account for its own requests', () => {
    const corrections = new AnswerCorrections();
    answer(corrections, 'one', 3, 64);
    expect(corrections.factorOf(model, 'one')).toBeGreaterThan(2.5);
    expect(corrections.factorOf(model, 'one')).toBeLessThan(3.2);
    answer(corrections, 'one', 1, 400);
    expect(corrections.factorOf(model, 'one')).toBeLessThan(1.2);
  });

  it('change at every eighth answer', () => {
    const corrections = new AnswerCorrections();
    answer(corrections, 'one', 3, 7);
    expect(corrections.factorOf(model, 'one')).toBe(1);
    answer(corrections, 'one', 3, 1);
    expect(corrections.factorOf(model, 'one')).toBeGreaterThan(1.5);
  });

  it('of one account leave all others alone, however odd its answers are', () => {
    const corrections = new AnswerCorrections();
    answer(corrections, 'odd', 1_000, 500);
    expect(corrections.factorOf(model, 'other')).toBe(1);
    expect(corrections.factorOf(model, null)).toBe(1);
    answer(corrections, 'other', 1, 16);
    answer(corrections, 'odd', 1_000, 500);
    expect(corrections.factorOf(model, 'other')).toBe(1);
  });

  it('that two accounts agree on hold for a third, as far as the more moderate goes', () => {
    const corrections = new AnswerCorrections();
    answer(corrections, 'one', 2, 200);
    answer(corrections, 'two', 6, 200);
    expect(corrections.factorOf(model, 'three')).toBeGreaterThan(1.8);
    expect(corrections.factorOf(model, 'three')).toBeLessThan(2.2);
  });

  it('are not agreed on by accounts that point in both directions', () => {
    const corrections = new AnswerCorrections();
    answer(corrections, 'one', 4, 200);
    answer(corrections, 'two', 0.25, 200);
    expect(corrections.factorOf(model, 'three')).toBe(1);
  });

  it('do not give one account of five more than its place', () => {
    const corrections = new AnswerCorrections();
    for (const account of ['a', 'b', 'c', 'd']) answer(corrections, account, 2, 40);
    const before = corrections.factorOf(model, 'new');
    answer(corrections, 'odd', 1_000, 5_000);
    expect(corrections.factorOf(model, 'new') / before).toBeLessThan(1.1);
  });

  it('forget the accounts of a model that were heard of longest ago', () => {
    const corrections = new AnswerCorrections();
    answer(corrections, 'first', 5, 64);
    expect(corrections.factorOf(model, 'first')).toBeGreaterThan(3);
    for (let account = 0; account < 40; account++) answer(corrections, `later ${account}`, 1, 8);
    expect(corrections.factorOf(model, 'first')).toBe(1);
  });

  it('stay within bounds for any answers of any accounts', () => {
    const answers = fc.array(
      fc.record({
        account: fc.constantFrom('a', 'b', 'c'),
        expected: fc.double(),
        actual: fc.double(),
      }),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(answers, (all) => {
        const corrections = new AnswerCorrections();
        for (const { account, expected, actual } of all)
          corrections.add(model, account, expected, actual);
        for (const account of ['a', 'b', 'c', 'd', null]) {
          expect(corrections.factorOf(model, account)).toBeGreaterThanOrEqual(1 / 8.01);
          expect(corrections.factorOf(model, account)).toBeLessThanOrEqual(8.01);
        }
      }),
      { numRuns: 60 },
    );
  });
});
