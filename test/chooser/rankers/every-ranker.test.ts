import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/config/fill.js';
import type { Ranker } from '../../../src/chooser/plan.js';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';
import { givenOrder } from '../../../src/chooser/rankers/given-order.js';
import { rankers } from '../../../src/chooser/rankers/index.js';
import { appraisalOf } from '../../helpers/appraisals.js';
import { runs } from '../../helpers/runs.js';

const all: Ranker[] = [
  givenOrder,
  ...Object.values(rankers).map((create) =>
    create({ predictor: shippedPredictor, ...defaults.routing }),
  ),
];

const figure = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null });
const candidates = fc
  .uniqueArray(
    fc.record({
      model: fc.oneof(fc.constantFrom('gpt-4o', 'claude-opus-4-8'), fc.string({ minLength: 1 })),
      quality: fc.double({ min: 0, max: 1, noNaN: true }),
      qualityStated: fc.boolean(),
      price: figure,
      latency: figure,
    }),
    { minLength: 1, maxLength: 12, selector: ({ model }) => model },
  )
  .map((drawn) => drawn.map(({ model, ...known }) => appraisalOf(model, known)));
const requests = fc.record({
  messages: fc.tuple(fc.record({ role: fc.constant('user'), content: fc.string() })),
  tradeoff: fc.constantFrom('cost' as const, 'latency' as const, null),
  promptTokens: fc.nat(1_000_000),
});

describe.each(all.map((ranker) => [ranker.name, ranker] as const))(
  'the ranker %s',
  (_name, ranker) => {
    it('ranks every candidate once, with a reason and with scores that never rise', () => {
      fc.assert(
        fc.property(requests, candidates, (request, given) => {
          const ranked = ranker.rank(request, given);
          expect(ranked.map(({ model }) => model).sort()).toEqual(
            given.map(({ candidate }) => candidate.model).sort(),
          );
          for (const [at, { score, why }] of ranked.entries()) {
            expect(Number.isFinite(score)).toBe(true);
            expect(score).toBeLessThanOrEqual(ranked[at - 1]?.score ?? Infinity);
            expect(why.reason).not.toBe('');
          }
        }),
        { numRuns: runs(500) },
      );
    });
  },
);
