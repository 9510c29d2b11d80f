import { describe, expect, it } from 'vitest';
import { makeReceipt } from '../../../src/chooser/savings/make-receipt.js';
import type { Receipt } from '../../../src/chooser/savings/summary.js';
import { choiceRowsOf, fromChoiceColumns } from '../../../src/store/sql/choices/choice-rows.js';
import { withChoice } from '../../../src/store/sum-choices.js';

/** A candidate: its predicted quality, and USD for an answer. */
type Weighed = readonly [name: string, quality: number, usd: number];

const large: Weighed = ['up/large', 0.9, 0.01];
const small: Weighed = ['up/small', 0.85, 0.001];
const other: Weighed = ['up/other', 0.8, 0.004];
const rare: Weighed = ['up/rare', 0.97, 0.08];

/** Some equal choices between candidates, of which the first was chosen. */
const times = (count: number, ...candidates: readonly Weighed[]) =>
  Array.from({ length: count }, () => {
    const whose = { accountId: 'account', keyId: 'key', at: Date.UTC(2026, 10, 1) };
    const choice = {
      preferenceId: null,
      names: candidates.map(([name]) => name),
      figures: candidates.flatMap(([, quality, usd]) => [quality, 0.02, 0.0001, usd]),
      chosen: 0,
      measured: {
        costUsd: 0.0001 + candidates[0]![2],
        tokens: 100,
        expectedTokens: 100,
      },
    };
    return withChoice(undefined, whose, choice, '2026-11-01', 1);
  });

const receiptOf = (choices: ReturnType<typeof times>): Promise<Receipt> =>
  makeReceipt(
    choiceRowsOf(choices).map((row) => ({ group: '', ...fromChoiceColumns(row) })),
    { ratings: [], pairs: { sums: [], rated: [] } },
    null,
  );

describe('the candidate that a receipt compares with', () => {
  it('was one in most of the choices, however good a rarer one is', async () => {
    const receipt = await receiptOf([...times(30, small, large), ...times(1, small, rare)]);
    expect(receipt.best).toMatchObject({ model: 'up/large', candidateIn: 30 });
    expect(receipt.summary).toContain(
      'always calling up/large where it was a candidate (30 of 31 choices), the best in expected quality of those in most choices, would have cost',
    );
    expect(receipt.candidates.map(({ model }) => model)).toEqual([
      'up/large',
      'up/small',
      'up/rare',
    ]);
  });

  it('is the best of the choices in which it was one: absence is not counted as a quality', async () => {
    // 0.05 better than what was chosen in 6 of 11 choices, another one .03 in all of them
    const receipt = await receiptOf([
      ...times(6, small, large, ['up/even', 0.88, 0.01]),
      ...times(5, small, ['up/even', 0.88, 0.01]),
    ]);
    expect(receipt.best).toMatchObject({ model: 'up/large', candidateIn: 6 });
    expect(receipt.best?.qualityGivenUp.value).toBeCloseTo(0.05, 4);
  });

  it('is named as one of all choices where it was', async () => {
    const { summary } = await receiptOf(times(30, small, large));
    expect(summary).toContain(
      'always calling up/large, the candidate of the best expected quality in all of them, would have cost',
    );
  });

  it('is none where none was one in most of the choices, and the summary says so', async () => {
    const receipt = await receiptOf([
      ...times(30, small, large),
      ...times(30, other, rare),
      ...times(1, ['up/third', 0.8, 0.01], rare),
    ]);
    expect(receipt.best).toMatchObject({ model: 'up/rare', candidateIn: 31 });
    const even = await receiptOf([...times(30, small, large), ...times(30, other, rare)]);
    expect(even.best).toBeNull();
    expect(even.summary).toMatch(
      /^60 requests left a choice\. Their candidates differ: none was one in more than half of them, so that nothing can be said of all; the receipts by key, preference or model compare fewer choices each\. The chosen models cost \$0\.\d+\.$/,
    );
  });

  it('cannot be said to be the cheapest of choices in which it was none', async () => {
    const { summary } = await receiptOf([
      ...times(30, ['up/cheap', 0.95, 0.0001], large),
      ...times(29, large, rare),
    ]);
    expect(summary).not.toContain('cannot save');
  });
});

describe('a saving of exactly nothing', () => {
  it('is told as such where the best candidate was always chosen', async () => {
    const receipt = await receiptOf(times(400, large, small));
    expect(receipt.best?.savedUsd).toEqual({ value: 0, low: 0, high: 0 });
    expect(receipt.summary).toMatch(
      /^400 requests left a choice\. Choosing saved nothing: up\/large, the candidate of the best expected quality, was chosen in all of them \(\$4\.04\)\. /,
    );
  });

  it('is told as such where it was chosen whenever it was a candidate', async () => {
    const { summary } = await receiptOf([...times(20, large, small), ...times(10, small, other)]);
    expect(summary).toContain(
      'Choosing saved nothing against up/large, which was chosen in all 20 of 30 choices in which it was a candidate',
    );
  });
});
