import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/config/fill.js';
import { createCatalog } from '../../src/models/catalog.js';
import { createLatencyWindow } from '../../src/models/latency-window.js';
import { shippedPredictor } from '../../src/chooser/predictor/shipped-predictor.js';
import { makePlan } from '../../src/chooser/make-plan.js';
import type { Candidate, Plan, RoutingRequest } from '../../src/chooser/plan.js';
import { createLearnedRanker } from '../../src/chooser/rankers/learned-ranker.js';
import { runs } from '../helpers/runs.js';

const catalog = createCatalog({
  priceIds: { openai: 'openai', anthropic: 'anthropic', local: null },
});
const ranker = createLearnedRanker({ predictor: shippedPredictor(), ...defaults.routing });
const limits = {
  retriesPerCandidate: 0,
  firstEventTimeoutMs: 1,
  idleTimeoutMs: 1,
  totalTimeoutMs: 1,
};
const planFor = (
  candidates: readonly Candidate[],
  request: RoutingRequest,
  more: { deny?: readonly string[] } = {},
): Plan =>
  makePlan({
    id: 'fixed',
    request,
    candidates,
    ranker,
    catalog,
    latencies: createLatencyWindow(),
    limits,
    blame: { field: 'models', code: 'bad_request' },
    ...more,
  });

/** Measured models, models of a known family, and unknown ones. */
const names = [
  'gpt-4o',
  'gpt-4o-mini',
  'claude-3-5-sonnet-20240620',
  'claude-opus-4-8',
  'gemini-1.5-pro',
  'llama-3.1-70b-instruct',
  'llama-3.1-8b-instruct',
  'mistral-large-2407',
  'gpt-6',
  'my-own-13b',
  'nobody-knows',
  'ft:gpt-4o-mini:acme::x',
];
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    'Write a Python function that merges two sorted lists.',
    '¿Cuál es la capital de Francia?',
    '法国的首都是哪里？',
    'ما هي عاصمة فرنسا؟',
    'Prove that $\\sqrt{2}$ is irrational.',
    'Which gas do plants take in?\nA. Oxygen\nB. Helium',
    '',
    ' ',
    'a'.repeat(20_000),
    '\ud800'.repeat(3_000),
  ),
);
const figure = fc.oneof(
  fc.double({ min: 0, max: 1e12, noNaN: true }),
  fc.double({ min: 0.01, max: 100, noNaN: true }),
  fc.constantFrom(0, 1e-300, 1e12),
);
const candidates = fc
  .uniqueArray(
    fc.record({
      model: fc.constantFrom(...names),
      price: fc.option(fc.record({ input: figure, output: figure }), { nil: undefined }),
      latency: fc.option(figure, { nil: undefined }),
      quality: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: names.length, selector: ({ model }) => model },
  )
  .map((all) =>
    all.map(({ model, price, latency, quality }): Candidate => ({
      label: `local/${model}`,
      provider: 'local',
      model,
      ...(price ? { price } : {}),
      ...(latency === undefined ? {} : { latency }),
      ...(quality === undefined ? {} : { attributes: { quality } }),
    })),
  );
const weight = fc.constantFrom(0, 1, 1_000_000);
const wishes = fc.record({
  tradeoff: fc.constantFrom('cost' as const, 'latency' as const, null),
  maxModelDepth: fc.option(fc.integer({ min: 1, max: 12 }), { nil: null }),
  maxTokens: fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: null }),
  preference: fc.option(
    fc.record({
      weights: fc
        .record({ quality: weight, cost: weight, latency: weight })
        .filter(({ quality, cost, latency }) => quality + cost + latency > 0),
    }),
    { nil: null },
  ),
});
const asked = fc
  .tuple(texts, wishes)
  .map(([content, wish]): RoutingRequest => ({ messages: [{ role: 'user', content }], ...wish }));
const labels = (plan: Plan): string[] => plan.candidates.map(({ label }) => label);

describe('the shipped predictor, for any request and candidates', { timeout: 60_000 }, () => {
  it('ranks every candidate once, with a probability, an uncertainty and scores that never rise', () => {
    fc.assert(
      fc.property(candidates, asked, (given, request) => {
        const { candidates: ranked, gate } = planFor(given, request);
        expect(ranked.map(({ label }) => label).sort()).toEqual(
          given.map(({ label }) => label).sort(),
        );
        expect(gate! >= 0 && gate! <= 1).toBe(true);
        for (const [at, { score, why, attributes }] of ranked.entries()) {
          if (attributes)
            expect([why.quality, why.uncertainty]).toEqual([attributes['quality'], 0]);
          else
            expect(
              why.quality > 0 && why.quality < 1 && why.uncertainty! > 0 && why.uncertainty! < 0.5,
            ).toBe(true);
          expect(
            why.outputTokens! > 0 &&
              Number.isFinite(score) &&
              (at === 0 || score <= ranked[at - 1]!.score),
          ).toBe(true);
          expect(why.cost === null || (Number.isFinite(why.cost) && why.cost! >= 0)).toBe(true);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('decides the same every time, for any order of the candidates', () => {
    const shuffled = candidates.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, asked, ([given, other], request) => {
        const plan = planFor(given, request);
        expect(planFor(given, request)).toEqual(plan);
        // only exact equals keep the given order
        const weighed = ({ candidates: ranked }: Plan): unknown[] =>
          ranked.map(({ score, why }) => [score, why.quality, why.cost, why.latency]);
        expect(weighed(planFor(other, request))).toEqual(weighed(plan));
        if (new Set(weighed(plan).map(String)).size === given.length)
          expect(labels(planFor(other, request))).toEqual(labels(plan));
      }),
      { numRuns: runs(300) },
    );
  });

  it('never moves a model down under `cost` because it becomes cheaper', () => {
    const cheaper = fc.record({
      input: fc.double({ min: 0, max: 1, noNaN: true }),
      output: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(candidates, asked, fc.nat(), cheaper, (given, request, pick, by) => {
        const at = pick % given.length;
        const { price, ...one } = given[at]!;
        if (!price) return;
        const moved = given.map((each, index) =>
          index === at
            ? {
                ...one,
                price: { input: price.input! * by.input, output: price.output! * by.output },
              }
            : each,
        );
        const place = (all: readonly Candidate[]): number =>
          labels(planFor(all, { ...request, tradeoff: 'cost', preference: null })).indexOf(
            one.label,
          );
        expect(place(moved)).toBeLessThanOrEqual(place(given));
      }),
      { numRuns: runs(500) },
    );
  });

  it('does not continue a conversation with a model that is denied now', () => {
    const two = names.slice(0, 2).map((model): Candidate => ({
      label: `local/${model}`,
      provider: 'local',
      model,
      attributes: { quality: model === 'gpt-4o' ? 0.9 : 0.89 },
    }));
    const request: RoutingRequest = {
      messages: [{ role: 'user', content: 'Hi' }],
      continued: { provider: 'local', model: 'gpt-4o-mini', cachedTokens: 0 },
    };
    expect(labels(planFor(two, request))[0]).toBe('local/gpt-4o-mini');
    const denied = planFor(two, request, { deny: ['local/*-mini'] });
    expect([
      labels(denied),
      denied.excluded.map(({ candidate }) => candidate.label),
      denied.reason,
    ]).toEqual([['local/gpt-4o'], ['local/gpt-4o-mini'], 'best predicted quality, 0.9']);
  });
});

describe('the expected cost of an answer', () => {
  it('includes the fee for each request if the price list has one and the caller states no price', () => {
    const request = { messages: [{ role: 'user', content: 'Hi' }], tradeoff: 'cost' as const };
    const { requestPrice } = catalog.lookup('perplexity', 'sonar');
    expect(requestPrice).toBeGreaterThan(0.001);
    const costOf = (candidate: Partial<Candidate>): number =>
      planFor([{ label: 'x', provider: 'perplexity', model: 'sonar', ...candidate }], request)
        .candidates[0].why.cost!;
    expect(costOf({})).toBeGreaterThan(requestPrice!);
    expect(costOf({ price: { input: 1, output: 1 } })).toBeLessThan(requestPrice!);
  });
});

describe('the weights of a preference', () => {
  it('order equals by cost, then by latency, for any given order', () => {
    const of = (model: string, price: number, latency: number): Candidate => ({
      label: model,
      provider: 'local',
      model,
      price: { input: price, output: price },
      latency,
      attributes: { quality: 0.8 },
    });
    const pool = [of('dear', 5, 1), of('cheap', 1, 3), of('quick', 1, 2)];
    const request = {
      messages: [{ role: 'user', content: 'Hi' }],
      maxTokens: 1,
      preference: { weights: { quality: 1, cost: 0, latency: 0 } },
    };
    for (const given of [pool, [...pool].reverse()])
      expect(labels(planFor(given, request))).toEqual(['quick', 'cheap', 'dear']);
  });
});
