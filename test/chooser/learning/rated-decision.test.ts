import { describe, expect, it } from 'vitest';
import { predictedQuality, ratingOf } from '../../../src/chooser/learning/rated-decision.js';

const model = 'm';
const decisionWith = (candidate: object) => ({
  preferenceId: '',
  kinds: null,
  candidates: [{ label: model, provider: null, model, quality: 0.9, ...candidate }],
});
const rating = { provider: null, model, score: 0, at: 0 };

describe('the quality that a stored decision predicted', () => {
  it.each([
    ['with an uncertainty', { uncertainty: 0.04, basis: 'measured' }],
    ['with one that was stored as 0', { uncertainty: 0, basis: 'measured' }],
    ['before a basis was stored', { uncertainty: 0.04 }],
  ])('is known %s', (_what, candidate) => {
    expect(ratingOf(decisionWith(candidate), rating)).toMatchObject({ predicted: 0.9 });
    expect(predictedQuality(decisionWith(candidate), rating)).toBe(0.9);
  });

  it.each([
    ['where it was stated', { uncertainty: 0 }],
    ['of a candidate that was excluded', { uncertainty: 0.04, basis: 'family', excluded: 'no' }],
  ])('is not known %s', (_what, candidate) => {
    expect(ratingOf(decisionWith(candidate), rating)).toBeNull();
    expect(predictedQuality(decisionWith(candidate), rating)).toBeNull();
  });
});
