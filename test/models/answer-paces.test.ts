import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerPaces, type TimedAnswer } from '../../src/models/answer-paces.js';

const answer = (part: Partial<TimedAnswer> = {}): TimedAnswer => ({
  firstContentMs: 500,
  endMs: 4_500,
  tokens: 400,
  reasoningTokens: 0,
  ...part,
});
const pacesOf = (answers: readonly TimedAnswer[]): AnswerPaces => {
  const paces = new AnswerPaces({ now: () => 0 });
  for (const one of answers) paces.record('p', 'm', one);
  return paces;
};
const thrice = (part: Partial<TimedAnswer> = {}): AnswerPaces =>
  pacesOf([answer(part), answer(part), answer(part)]);

describe('the pace of a model', () => {
  it('is known after three answers, at the provider that gave them', () => {
    expect(pacesOf([answer(), answer()]).of('p/m')).toBeNull();
    expect(thrice().of('p/m')).toEqual({ startSeconds: 0.5, secondsPerToken: 0.01 });
    expect(thrice().of('other/m')).toBeNull();
    expect(thrice().of('/m')).toBeNull();
  });

  it('begins before hidden reasoning, which its provider waits for', () => {
    // 1,000 tokens at 100 a second are ten seconds of the eleven
    const pace = thrice({
      firstContentMs: 11_000,
      endMs: 15_000,
      tokens: 1_400,
      reasoningTokens: 1_000,
    });
    expect(pace.of('p/m')?.secondsPerToken).toBeCloseTo(0.01, 4);
    expect(pace.of('p/m')?.startSeconds).toBeCloseTo(1, 4);
  });

  it('begins with reasoning that is shown', () => {
    const pace = thrice({
      firstContentMs: 1_000,
      endMs: 15_000,
      tokens: 1_400,
      reasoningTokens: 1_000,
    });
    expect(pace.of('p/m')?.secondsPerToken).toBeCloseTo(0.01, 4);
    expect(pace.of('p/m')?.startSeconds).toBeCloseTo(1, 4);
  });

  it.each([
    ['that were not streamed', { firstContentMs: 4_500 }],
    ['of a few tokens', { tokens: 10 }],
    ['whose tokens nobody counted', { tokens: 0 }],
    ['with times that are none', { endMs: NaN }],
    ['that ended before they began', { endMs: -1 }],
  ])('is not learned from answers %s', (_what, part) => {
    expect(thrice(part).of('p/m')).toBeNull();
  });

  it('follows the answers of the last hour', () => {
    let now = 0;
    const paces = new AnswerPaces({ now: () => now });
    for (let one = 0; one < 500; one++) paces.record('p', 'm', answer());
    now = 3_600_001;
    expect(paces.of('p/m')).toBeNull();
    for (let one = 0; one < 3; one++) paces.record('p', 'm', answer({ endMs: 40_500 }));
    expect(paces.of('p/m')?.secondsPerToken).toBeCloseTo(0.1, 6);
  });

  it('is positive and finite for any answers', () => {
    const answers = fc.array(
      fc.record({
        firstContentMs: fc.double({ min: 0 }),
        endMs: fc.double(),
        tokens: fc.double(),
        reasoningTokens: fc.double(),
      }),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(answers, (all) => {
        const pace = pacesOf([...all, answer(), answer(), answer()]).of('p/m');
        expect(pace).not.toBeNull();
        expect(pace!.startSeconds).toBeGreaterThanOrEqual(0);
        expect(pace!.secondsPerToken).toBeGreaterThan(0);
        expect(Number.isFinite(pace!.startSeconds + pace!.secondsPerToken)).toBe(true);
      }),
    );
  });
});
