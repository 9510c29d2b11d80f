import { describe, expect, it } from 'vitest';
import type { AnswerTimes } from '../../src/chooser/figures.js';
import type { CandidateFigures, RoutingRequest } from '../../src/chooser/plan.js';
import { rankByTradeoff } from '../../src/chooser/rank-by-tradeoff.js';

const known = (
  model: string,
  latency: number | null,
  times: AnswerTimes | null = null,
  quality = 0.9,
): CandidateFigures => ({
  candidate: { label: model, provider: 'p', model },
  figures: { quality, price: 1, latency, times },
});
const rank = (candidates: CandidateFigures[], request: Partial<RoutingRequest> = {}) =>
  rankByTradeoff({ messages: [], tradeoff: 'latency', ...request }, candidates, {
    tolerance: 0.05,
    affinity: 0.02,
    economy: 5,
  });
const order = (...args: Parameters<typeof rank>): string[] =>
  rank(...args).map(({ model }) => model);

/** Begins at once and is slow, or thinks first and is quick, or reasons in the open. */
const slow = known('slow', 0.2, { start: 0.2, whole: 20 });
const quick = known('quick', 1, { start: 1, whole: 4 });
const thinker = known('thinker', 0.1, { start: 6, whole: 8 });

describe('the tradeoff latency', () => {
  it('prefers the model whose answer ends first, if nobody watches it', () => {
    expect(order([slow, thinker, quick])).toEqual(['quick', 'thinker', 'slow']);
    expect(rank([slow, quick])[0]!.why.reason).toBe(
      'fastest within 0.05 of the best quality, about 4 s to the end of the answer',
    );
  });

  it('prefers the model whose answer begins first, after its reasoning, if it is streamed', () => {
    expect(order([thinker, quick, slow], { isStreamed: true })).toEqual([
      'slow',
      'quick',
      'thinker',
    ]);
    expect(rank([slow], { isStreamed: true })[0]!.why.reason).toContain(
      'about 0.2 s to the first token of the answer, 20 s to the last',
    );
  });

  it('prefers the shorter answer of those that begin at the same time', () => {
    const other = known('other', 0.3, { start: 0.2, whole: 5 });
    expect(order([slow, other], { isStreamed: true })).toEqual(['other', 'slow']);
  });

  it('compares latencies if the pace of one of the models is not known', () => {
    expect(order([quick, slow, known('stated', 0.1)])).toEqual(['stated', 'slow', 'quick']);
    expect(rank([quick, known('stated', 0.1)])[0]!.why.reason).toContain('s to the first token');
  });

  it('says that a time is only expected', () => {
    const [first] = rank([known('new', null, { start: 1, whole: 3, isExpected: true }), slow]);
    expect(first!.why.reason).toBe(
      'fastest within 0.05 of the best quality, about 3 s to the end of the answer (expected, not measured)',
    );
  });

  it('compares an expected latency with a stated one', () => {
    const guessed = known('guessed', null, { start: 0.5, whole: 3, isExpected: true });
    expect(order([known('stated', 0.7), guessed, known('other', 0.3)])).toEqual([
      'other',
      'guessed',
      'stated',
    ]);
  });

  it('puts models without a latency last', () => {
    expect(order([known('unknown', null), slow, quick])).toEqual(['quick', 'slow', 'unknown']);
  });

  it('never prefers a fast model beyond the tolerance', () => {
    const poor = known('poor', 0.1, { start: 0.1, whole: 0.5 }, 0.7);
    expect(order([poor, slow, quick])).toEqual(['quick', 'slow', 'poor']);
  });

  it('stays with the model of a conversation unless another saves a fifth of the time', () => {
    const continued = { provider: 'p', model: 'near', cachedTokens: 2_000 };
    const near = known('near', 0.9, { start: 0.9, whole: 4.5 });
    expect(order([quick, near], { continued })[0]).toBe('near');
    expect(order([quick, slow], { continued: { ...continued, model: 'slow' } })[0]).toBe('quick');
  });

  it('has scores that never rise', () => {
    const scores = rank([slow, thinker, quick, known('unknown', null)]).map(({ score }) => score);
    expect([...scores].sort((a, b) => b - a)).toEqual(scores);
  });
});
