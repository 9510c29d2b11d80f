import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/config/fill.js';
import { shippedPredictor } from '../../src/chooser/predictor/shipped-predictor.js';
import type {
  Appraisal,
  Continued,
  RankedCandidate,
  RoutingRequest,
} from '../../src/chooser/plan.js';
import { givenOrder } from '../../src/chooser/rankers/given-order.js';
import { createLearnedRanker } from '../../src/chooser/rankers/learned-ranker.js';
import { createPriorRanker } from '../../src/chooser/rankers/prior-ranker.js';
import { appraisalOf } from '../helpers/appraisals.js';

const predictor = shippedPredictor();
const ranker = createLearnedRanker({ predictor, ...defaults.routing });
const messages = [{ role: 'user', content: 'And in the second year?' }];
const after = (model: string, cachedTokens = 0): Continued => ({
  provider: 'p',
  model,
  cachedTokens,
});
const rank = (
  candidates: readonly Appraisal[],
  request: Partial<RoutingRequest> = {},
  by = ranker,
): RankedCandidate[] => by.rank({ messages, promptTokens: 10_000, ...request }, candidates);
const stated = (model: string, quality: number, price = 1): Appraisal =>
  appraisalOf(model, { quality, qualityStated: true, price });
/** A model that reads a million new tokens for 10 USD, and cached ones for 1 USD. */
const cached = (model: string, quality: number, input = 10): Appraisal =>
  appraisalOf(model, {
    quality,
    qualityStated: true,
    price: input,
    rates: { input, output: input, cachedInput: input / 10 },
  });

describe('a continued conversation without a tradeoff', () => {
  const pool = [stated('best', 0.9), stated('near', 0.88), stated('far', 0.8)];
  const first = (
    continued: Continued | null,
    request: Partial<RoutingRequest> = {},
    by = ranker,
  ): string => rank(pool, { continued, ...request }, by)[0]!.model;

  it('stays with its model if that is hardly worse than the best, and says so', () => {
    const ranked = rank(pool, { continued: after('near') });
    expect(ranked.map(({ model }) => model)).toEqual(['near', 'best', 'far']);
    expect(ranked[0]!.why.reason).toBe(
      'stays with the model of this conversation, predicted quality 0.88, that of p/best is 0.9',
    );
    expect(ranked[1]!.why.reason).toBe('best predicted quality, 0.9');
  });

  it('leaves its model if much would be lost', () => expect(first(after('far'))).toBe('best'));

  it('has its model first if that is the best anyway', () =>
    expect(rank(pool, { continued: after('best') })[0]!.why.reason).toBe(
      'best predicted quality, 0.9',
    ));

  it('is ranked anew if its model is not a candidate any more, or only of another provider', () => {
    expect(first(after('gone'))).toBe('best');
    expect(first({ ...after('near'), provider: 'q' })).toBe('best');
    expect(first(null)).toBe('best');
  });

  it('stays within the configured margin, boundary included; 0 switches it off', () => {
    expect(
      first(
        after('far'),
        {},
        createLearnedRanker({ predictor, ...defaults.routing, affinity: 0.1 }),
      ),
    ).toBe('far');
    expect(
      first(
        after('near'),
        {},
        createLearnedRanker({ predictor, ...defaults.routing, affinity: 0.02 }),
      ),
    ).toBe('near');
    expect(
      first(
        after('near'),
        {},
        createLearnedRanker({ predictor, ...defaults.routing, affinity: 0.019 }),
      ),
    ).toBe('best');
    expect(
      first(
        after('near'),
        {},
        createLearnedRanker({ predictor, ...defaults.routing, affinity: 0 }),
      ),
    ).toBe('best');
    expect(first(after('near'), {}, createPriorRanker(defaults.routing))).toBe('near');
  });

  it('reaches no further down than max_model_depth', () => {
    expect(first(after('near'), { maxModelDepth: 1 })).toBe('best');
    expect(first(after('near'), { maxModelDepth: 2 })).toBe('near');
  });

  it("also stays when a preference's weights decide", () => {
    const preference = { weights: { quality: 1, cost: 0, latency: 0 } };
    const [top] = rank(pool, { continued: after('near'), preference });
    expect(top).toMatchObject({
      model: 'near',
      why: {
        reason:
          'stays with the model of this conversation, score by the weights of the preference 0.88, best is 0.9',
      },
    });
  });

  it('keeps the given order if that is configured', () =>
    expect(rank(pool, { continued: after('far') }, givenOrder)[0]!.model).toBe('best'));
});

describe('the cost of continuing', () => {
  it("charges text that the provider has read before at the cached rate, for the conversation's own model only", () => {
    const costs = (continued: Continued | null): number[] =>
      rank([cached('one', 0.9), cached('two', 0.9)], { continued, maxTokens: 1 })
        .map(({ why }) => why.cost!)
        .sort((a, b) => a - b);
    expect(costs(null)).toEqual([0.10001, 0.10001]);
    expect(costs(after('one', 9_000))).toEqual([0.01901, 0.10001]);
    // an estimate may be too high
    expect(costs(after('one', 1e9))[0]).toBeCloseTo(0.01001, 9);
  });

  it('keeps a more expensive model if its cached rate makes up for it', () => {
    const pool = [cached('mine', 0.9, 10), cached('other', 0.9, 5)];
    expect(rank(pool, { tradeoff: 'cost' })[0]!.model).toBe('other');
    expect(rank(pool, { tradeoff: 'cost', continued: after('mine', 9_500) })[0]!.model).toBe(
      'mine',
    );
  });

  it('keeps a model that is slightly more expensive, but not one that is much more expensive or not good enough', () => {
    const first = (price: number, quality = 0.9): RankedCandidate =>
      rank([stated('mine', quality, price), stated('other', 0.9, 1)], {
        tradeoff: 'cost',
        continued: after('mine'),
      })[0]!;
    expect(first(1.2).model).toBe('mine');
    expect(first(1.2).why.reason).toMatch(
      /^stays with the model of this conversation, predicted quality 0.9, that of p\/other is 0.9$/,
    );
    expect(first(1.3).model).toBe('other');
    expect(first(1.2, 0.8).model).toBe('other');
  });

  it('keeps a model that is slightly slower', () => {
    const first = (latency: number): string =>
      rank(
        [
          appraisalOf('mine', { latency, quality: 0.9, qualityStated: true }),
          appraisalOf('other', { latency: 1, quality: 0.9, qualityStated: true }),
        ],
        { tradeoff: 'latency', continued: after('mine') },
      )[0]!.model;
    expect([first(1.2), first(1.3)]).toEqual(['mine', 'other']);
  });
});

describe('for any candidates and any model that answered last', { timeout: 60_000 }, () => {
  const figures = fc.oneof(
    fc.double({ min: 0, max: 1e12, noNaN: true }),
    fc.constantFrom(0, 1e-300, 1e12),
  );
  const candidates = fc
    .uniqueArray(
      fc.record({
        model: fc.oneof(
          fc.constantFrom('gpt-4o', 'gpt-4o-mini', 'claude-opus-4-8'),
          fc.string({ minLength: 1 }),
        ),
        quality: fc.double({ min: 0, max: 1, noNaN: true }),
        qualityStated: fc.boolean(),
        price: fc.option(figures, { nil: null }),
        latency: fc.option(figures, { nil: null }),
      }),
      { minLength: 1, maxLength: 12, selector: ({ model }) => model },
    )
    .map((all) => all.map(({ model, ...known }) => appraisalOf(model, known)));
  const requests = fc.record({
    tradeoff: fc.constantFrom('cost' as const, 'latency' as const, null),
    maxModelDepth: fc.option(fc.integer({ min: 1, max: 12 }), { nil: null }),
    preference: fc.option(
      fc.record({
        weights: fc.record({
          quality: fc.integer({ min: 0, max: 9 }),
          cost: fc.integer({ min: 1, max: 1e6 }),
          latency: fc.integer({ min: 0, max: 9 }),
        }),
      }),
      { nil: null },
    ),
    cachedTokens: fc.nat(1_000_000),
    maxTokens: fc.option(fc.nat(100_000), { nil: null }),
  });

  it('no candidate is dropped, scores are numbers that never rise, and the first max_model_depth candidates are the same', () => {
    fc.assert(
      fc.property(candidates, requests, fc.nat(), (given, { cachedTokens, ...request }, pick) => {
        const continued = after(given[pick % given.length]!.candidate.model, cachedTokens);
        const [fresh, ranked] = [rank(given, request), rank(given, { ...request, continued })];
        expect(ranked.map(({ model }) => model).sort()).toEqual(
          given.map(({ candidate }) => candidate.model).sort(),
        );
        for (const [at, { score, why }] of ranked.entries()) {
          expect(Number.isFinite(score) && (at === 0 || score <= ranked[at - 1]!.score)).toBe(true);
          for (const figure of [
            why.quality,
            why.uncertainty,
            why.cost ?? 0,
            why.outputTokens,
            why.gate,
          ])
            expect(Number.isFinite(figure)).toBe(true);
        }
        const depth = request.maxModelDepth ?? given.length;
        if (!request.preference && cachedTokens === 0)
          expect(
            ranked
              .slice(0, depth)
              .map(({ model }) => model)
              .sort(),
          ).toEqual(
            fresh
              .slice(0, depth)
              .map(({ model }) => model)
              .sort(),
          );
      }),
    );
  });

  it("a candidate that becomes cheaper never moves down under a preference's weights", () => {
    fc.assert(
      fc.property(candidates, requests, fc.nat(), (given, { preference, maxTokens }, pick) => {
        const at = pick % given.length;
        const { candidate, figures: known, qualityStated } = given[at]!;
        const { price } = known;
        if (price === null || !preference) return;
        const cheaper = given.map((one, index) =>
          index === at
            ? {
                ...appraisalOf(candidate.model, {
                  quality: known.quality,
                  qualityStated,
                  latency: known.latency,
                  price: price / 2,
                }),
              }
            : one,
        );
        const place = (all: readonly Appraisal[]): number =>
          rank(all, { preference, maxTokens }).findIndex(({ model }) => model === candidate.model);
        expect(place(cheaper)).toBeLessThanOrEqual(place(given));
      }),
    );
  });

  it('every candidate has the same familiarity of the request', () => {
    const [one, other] = rank([stated('a', 0.9), appraisalOf('gpt-4o')]).map(({ why }) => why.gate);
    expect(one).toBeGreaterThan(0);
    expect(one).toBeLessThan(1);
    expect(other).toBe(one);
  });
});
