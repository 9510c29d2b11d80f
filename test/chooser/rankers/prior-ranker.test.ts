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
  it('the best quality comes first where it is worth its price', () => {
    expect(order([far, near, best])).toBe('best near far');
    const dear = appraisalOf('dear', { quality: 0.9, price: 100 });
    expect(order([far, near, dear])).toBe('near dear far');
    expect(rank([near, dear]).map(({ why }) => why.reason)).toEqual([
      'best value at 1 USD per good answer: predicted quality 0.85, best is 0.9, 1 USD per million tokens',
      '5 points better than p/near for 100 times the price: not worth it at 1 USD per good answer',
    ]);
  });

  it('a difference below a hundredth is never paid for', () => {
    const [good, cheap] = [
      appraisalOf('good', { quality: 0.9, price: 0.002 }),
      appraisalOf('cheap', { quality: 0.891, price: 0.001 }),
    ];
    expect(order([good, cheap])).toBe('cheap good');
    expect(order([good, cheap], { economy: 0 })).toBe('good cheap');
  });

  it('the dial of the request comes before that of its key, and that before the configuration', () => {
    const pool = [best, near];
    expect(order(pool, { keyEconomy: 8 })).toBe('near best');
    expect(order(pool, { keyEconomy: 8, economy: 5 })).toBe('best near');
    const thrifty = createPriorRanker({ ...defaults.routing, economy: 8 });
    expect(thrifty.rank({ messages: [] }, pool)[0]!.model).toBe('near');
    expect(thrifty.rank({ messages: [], keyEconomy: 5 }, pool)[0]!.model).toBe('best');
    const weights = { weights: { quality: 1, cost: 1e6, latency: 0 } };
    expect(order(pool, { preference: weights })).toBe('near best');
    expect(order(pool, { preference: weights, economy: 5 })).toBe('best near');
  });

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
      {
        quality: 0.85,
        price: 1,
        latency: 1,
        reason: 'predicted quality 0.85, best is 0.9; saves too little at 1 USD per good answer',
      },
    ]);
  });
});

describe('with a tradeoff', () => {
  it('`cost` puts the best value within the tolerance first, then the others within it, then the rest by quality', () => {
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
    const firstOf = (tolerance: number): string =>
      createPriorRanker({ ...defaults.routing, tolerance }).rank(
        { messages: [], tradeoff: 'cost', economy: 9 },
        [best, near, appraisalOf('below', { quality: 0.84, price: 0.1 })],
      )[0]!.model;
    expect([0.04, 0.05, 0.06].map(firstOf)).toEqual(['best', 'near', 'below']);
  });

  it('a candidate without a price counts as the dearest, one without a latency comes last', () => {
    const unknown = appraisalOf('unknown', { quality: 0.9 });
    expect(order([unknown, best, free, far], { tradeoff: 'cost' })).toBe('free best unknown far');
    const better = appraisalOf('unknown', { quality: 0.95 });
    expect(order([best, better, far], { tradeoff: 'cost' })).toBe('unknown best far');
    expect(order([better, best, far], { tradeoff: 'latency' })).toBe('best unknown far');
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
      'best value at 0.063 USD per good answer: predicted quality 0.85, best is 0.9, 1 USD per million tokens',
      '5 points better than p/near for 10 times the price: not worth it at 0.063 USD per good answer',
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

  it('the first is within the tolerance, and none of better quality costs less', () => {
    fc.assert(
      fc.property(candidates, requests, (all, { tradeoff }) => {
        const top = Math.max(...all.map(({ figures }) => figures.quality));
        const chosen = rank(all, { tradeoff })[0]!;
        expect(chosen.why.quality).toBeGreaterThanOrEqual(top - 0.05 - 1e-9);
        if (tradeoff === 'latency') return;
        const dominating = all.filter(
          ({ figures: { quality, price } }) =>
            quality > chosen.why.quality && (price ?? Infinity) < (chosen.why.price ?? Infinity),
        );
        expect(dominating).toEqual([]);
      }),
    );
  });

  it('fewer than max_model_depth candidates are clearly better than the first', () => {
    fc.assert(
      fc.property(candidates, requests, (all, request) => {
        const depth = request.maxModelDepth ?? all.length;
        const { quality } = rank(all, request)[0]!.why;
        const better = all.filter(({ figures }) => figures.quality > quality + 0.016 + 1e-9);
        expect(better.length).toBeLessThan(Math.max(1, depth));
      }),
    );
  });
});
