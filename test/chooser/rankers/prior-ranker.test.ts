import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/config/fill.js';
import type { Appraisal, RankedCandidate, RoutingRequest } from '../../../src/chooser/plan.js';
import { createPriorRanker } from '../../../src/chooser/rankers/prior-ranker.js';
import { appraisalOf } from '../../helpers/appraisals.js';

const ranker = createPriorRanker(defaults.routing);
const rank = (candidates: readonly Appraisal[], request: Partial<RoutingRequest> = {}) =>
  ranker.rank({ messages: [], ...request }, candidates);
const order = (...args: Parameters<typeof rank>) =>
  rank(...args)
    .map(({ model }) => model)
    .join(' ');

const best = appraisalOf('best', { quality: 0.9, price: 10, latency: 2 });
const near = appraisalOf('near', { quality: 0.85, price: 1, latency: 1 });
const far = appraisalOf('far', { quality: 0.6, price: 0.1, latency: 0.1 });
const free = appraisalOf('free', { quality: 0.88, price: 0, latency: 3 });

describe('without a tradeoff', () => {
  it('the best quality comes first', () => expect(order([far, near, best])).toBe('best near far'));

  it('equals are ordered by cost, then by latency, then as given', () => {
    const dear = appraisalOf('dear', { price: 3 });
    const cheap = appraisalOf('cheap', { price: 1, latency: 2 });
    const quick = appraisalOf('quick', { price: 1, latency: 1 });
    const unpriced = appraisalOf('unpriced');
    expect(order([unpriced, dear, cheap, quick])).toBe('quick cheap dear unpriced');
    expect(order([appraisalOf('one'), appraisalOf('two')])).toBe('one two');
    expect(order([appraisalOf('two'), appraisalOf('one')])).toBe('two one');
  });

  it('gives the reason', () => {
    expect(rank([near, best]).map(({ why }) => why)).toEqual([
      { quality: 0.9, price: 10, latency: 2, reason: 'best predicted quality, 0.9' },
      { quality: 0.85, price: 1, latency: 1, reason: 'predicted quality 0.85, best is 0.9' },
    ]);
  });
});

describe('with a tradeoff', () => {
  it('`cost` puts the cheapest within the tolerance first, then the others within it, then the rest by quality', () => {
    expect(order([far, best, near, free], { tradeoff: 'cost' })).toBe('free near best far');
  });

  it('`latency` puts the fastest within the tolerance first', () =>
    expect(order([far, best, near, free], { tradeoff: 'latency' })).toBe('near best free far'));

  it('the boundary of the tolerance is inside, despite binary fractions', () => {
    expect(order([best, near], { tradeoff: 'cost' })).toBe('near best');
    expect(
      order([best, appraisalOf('below', { quality: 0.8499, price: 0 })], { tradeoff: 'cost' }),
    ).toBe('best below');
  });

  it('a wider tolerance reaches further', () => {
    const wide = createPriorRanker({ ...defaults.routing, tolerance: 0.3 }).rank(
      { messages: [], tradeoff: 'cost' },
      [best, near, far],
    );
    expect(wide[0]!.model).toBe('far');
  });

  it('candidates without a price or latency come last within the tolerance', () => {
    const unknown = appraisalOf('unknown', { quality: 0.95 });
    expect(order([unknown, best, free, far], { tradeoff: 'cost' })).toBe('best unknown free far');
    expect(order([unknown, best, far], { tradeoff: 'latency' })).toBe('best unknown far');
  });

  it('reaches no further down the quality ranking than max_model_depth', () => {
    expect(order([near, free, best, far], { tradeoff: 'cost', maxModelDepth: 1 })).toBe(
      'best free near far',
    );
    expect(order([near, free, best, far], { tradeoff: 'latency', maxModelDepth: 2 })).toBe(
      'best free near far',
    );
    expect(order([near, free, best, far], { tradeoff: 'latency', maxModelDepth: 99 })).toBe(
      'near best free far',
    );
  });

  it('says what decided the order', () => {
    expect(rank([best, near, far], { tradeoff: 'cost' }).map(({ why }) => why.reason)).toEqual([
      'cheapest within 0.05 of the best quality, 1 USD per million tokens',
      'within 0.05 of the best quality, 10 USD per million tokens',
      'predicted quality 0.6, best is 0.9',
    ]);
    expect(rank([near, best], { tradeoff: 'latency' })[0]!.why.reason).toBe(
      'fastest within 0.05 of the best quality, 1 s to the first token',
    );
  });
});

describe('for any candidates', () => {
  const figure = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: null });
  const candidates = fc
    .uniqueArray(
      fc.record({
        model: fc.string({ minLength: 1 }),
        quality: fc.double({ min: 0, max: 1, noNaN: true }),
        price: figure,
        latency: figure,
      }),
      { minLength: 1, maxLength: 30, selector: ({ model }) => model },
    )
    .map((all) => all.map(({ model, ...known }) => appraisalOf(model, known)));
  const requests = fc.record({
    tradeoff: fc.constantFrom('cost' as const, 'latency' as const, null),
    maxModelDepth: fc.option(fc.integer({ min: 1, max: 40 }), { nil: null }),
  });

  it('none is dropped, none is added, and scores never rise down the list', () => {
    fc.assert(
      fc.property(candidates, requests, (all, request) => {
        const ranked = rank(all, request);
        expect(ranked.map(({ label }) => label).sort()).toEqual(
          all.map(({ candidate }) => candidate.label).sort(),
        );
        for (let index = 1; index < ranked.length; index++)
          expect(ranked[index]!.score).toBeLessThanOrEqual(ranked[index - 1]!.score);
      }),
    );
  });

  it('their order changes the choice between exact equals only', () => {
    const shuffled = candidates.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, requests, ([all, other], request) => {
        const figures = (ranked: RankedCandidate[]) =>
          ranked.map(({ why }) => [why.quality, why.price, why.latency]);
        expect(figures(rank(other, request))).toEqual(figures(rank(all, request)));
      }),
    );
  });

  it('the first under a tradeoff is within the tolerance, where none is cheaper', () => {
    fc.assert(
      fc.property(candidates, (all) => {
        const top = Math.max(...all.map(({ figures }) => figures.quality));
        const chosen = rank(all, { tradeoff: 'cost' })[0]!;
        expect(chosen.why.quality).toBeGreaterThanOrEqual(top - 0.05 - 1e-9);
        const cheapest = Math.min(
          ...all
            .filter(({ figures }) => figures.quality >= top - 0.05)
            .map(({ figures }) => figures.price ?? Infinity),
        );
        expect(chosen.why.price ?? Infinity).toBeLessThanOrEqual(cheapest);
      }),
    );
  });

  it('a tradeoff does not change which candidates are among the first max_model_depth', () => {
    fc.assert(
      fc.property(candidates, requests, (all, request) => {
        const depth = request.maxModelDepth ?? all.length;
        const first = (ranked: RankedCandidate[]) =>
          ranked
            .slice(0, depth)
            .map(({ label }) => label)
            .sort();
        expect(first(rank(all, request))).toEqual(first(rank(all)));
      }),
    );
  });
});
