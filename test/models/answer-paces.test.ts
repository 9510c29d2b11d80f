import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AnswerPaces,
  expectedPace,
  likelyPace,
  type TimedAnswer,
} from '../../src/models/answer-paces.js';

const answer = (part: Partial<TimedAnswer> = {}): TimedAnswer => ({
  firstContentMs: 500,
  endMs: 4_500,
  tokens: 400,
  reasoningTokens: 0,
  ...part,
});
const pacesOf = (answers: readonly TimedAnswer[]): AnswerPaces => {
  const paces = new AnswerPaces(() => 0);
  for (const one of answers) paces.record('p', 'm', one);
  return paces;
};
const thrice = (part: Partial<TimedAnswer> = {}): AnswerPaces =>
  pacesOf([answer(part), answer(part), answer(part)]);

describe('the pace of a model', () => {
  it('is known after three answers, at the provider that gave them', () => {
    expect(pacesOf([answer(), answer()]).of('p/m')).toBeNull();
    expect(thrice().of('p/m')).toEqual({
      startSeconds: 0.5,
      secondsPerToken: 0.01,
      answers: 3,
    });
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
    const paces = new AnswerPaces(() => now);
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

describe('the expected pace of a model', () => {
  const of = (offer: string) =>
    expectedPace({ offer, knownAs: offer.slice(offer.indexOf('/') + 1) });

  it('depends on the provider, then on the family, then on the size', () => {
    expect(of('groq/llama-3.3-70b-versatile').tokensPerSecond).toBeGreaterThan(
      2 * of('together/meta-llama/Llama-3.3-70B-Instruct').tokensPerSecond,
    );
    expect(of('openai/gpt-5-nano').tokensPerSecond).toBeGreaterThan(
      of('openai/gpt-5').tokensPerSecond,
    );
    expect(of('anthropic/claude-haiku-4-5').firstTokenMs).toBeLessThan(
      of('bedrock/eu.anthropic.claude-opus-4-5-20251101-v1:0').firstTokenMs,
    );
    expect(of('mine/ours-7b').tokensPerSecond).toBeGreaterThan(
      of('mine/ours-405b').tokensPerSecond,
    );
    expect(of('ollama/llama3.3:70b').tokensPerSecond).toBeLessThan(20);
  });

  it('is positive and finite for any name', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (provider, model) => {
        const { firstTokenMs, tokensPerSecond } = of(`${provider}/${model}`);
        expect(firstTokenMs).toBeGreaterThan(0);
        expect(tokensPerSecond).toBeGreaterThan(0);
        expect(Number.isFinite(firstTokenMs / tokensPerSecond)).toBe(true);
      }),
    );
  });

  it('counts as two answers beside measured ones', () => {
    const expected = { firstTokenMs: 500, tokensPerSecond: 10 };
    expect(likelyPace(expected, null)).toEqual({
      startSeconds: 0.5,
      secondsPerToken: 0.1,
      answers: 0,
    });
    const measured = { startSeconds: 0.5, secondsPerToken: 0.001 };
    const after = (answers: number): number =>
      likelyPace(expected, { ...measured, answers }).secondsPerToken;
    // halfway in logarithms
    expect(after(2)).toBeCloseTo(0.01, 9);
    expect(after(64)).toBeLessThan(0.00116);
    expect(after(64)).toBeGreaterThan(0.001);
  });
});
