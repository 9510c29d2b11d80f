import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/config/fill.js';
import { createCatalog } from '../../src/models/catalog.js';
import { makePlan } from '../../src/chooser/make-plan.js';
import type { Candidate } from '../../src/chooser/plan.js';
import { shippedPredictor } from '../../src/chooser/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../src/chooser/rankers/learned-ranker.js';
import { type Accepted, type OwnConversation, ownConversations } from './own-conversations.js';

/** USD per million tokens of prompt and answer, and seconds to the first token. */
const offers: readonly (readonly [string, number, number, number])[] = [
  ['gpt-5.2', 1.75, 14, 1.4],
  ['claude-sonnet-4-5', 3, 15, 1.2],
  ['gemini-2.5-flash', 0.3, 2.5, 0.5],
  ['claude-haiku-4-5', 1, 5, 0.6],
  ['gpt-5-nano', 0.05, 0.4, 0.9],
  ['llama-3.3-70b', 0.59, 0.79, 0.4],
];
const candidates: Candidate[] = offers.map(([model, input, output, latency]) => ({
  label: model,
  provider: null,
  model,
  price: { input, output },
  latency,
}));
const ranker = createLearnedRanker({ predictor: shippedPredictor(), ...defaults.routing });

const chosen = ({ request }: OwnConversation, tradeoff: 'cost' | 'latency' | null): string =>
  makePlan({
    id: 'own',
    request: { ...request, tradeoff },
    candidates,
    ranker,
    catalog: createCatalog({ priceIds: {} }),
    latencies: { p50Ms: () => null },
    limits: {
      retriesPerCandidate: 0,
      firstEventTimeoutMs: 1,
      idleTimeoutMs: 1,
      totalTimeoutMs: 1,
    },
    blame: { field: 'models', code: 'bad_request' },
  }).candidates[0].model;

const mayRefuse = 4;

describe('of forty conversations, an expert accepts at least nine of ten choices', () => {
  it('which are forty', () => {
    expect(ownConversations).toHaveLength(40);
  });

  it.each(['cost', 'latency'] as const)(
    'with the setting %s, of no model that is always chosen',
    (setting) => {
      for (const [model] of offers) {
        const refused = ownConversations.filter(
          ({ accepted }) => !accepted[setting].includes(model),
        );
        expect(refused.length, model).toBeGreaterThan(mayRefuse);
      }
    },
  );

  it.each([
    ['usual', null],
    ['cost', 'cost'],
    ['latency', 'latency'],
  ] as const)('with the setting %s', (setting: keyof Accepted, tradeoff) => {
    const refused = ownConversations
      .map((one) => ({ one, model: chosen(one, tradeoff) }))
      .filter(({ one, model }) => !one.accepted[setting].includes(model))
      .map(({ one, model }) => `${one.name}: ${model}`);
    expect(refused.length, refused.join('; ')).toBeLessThanOrEqual(mayRefuse);
  });
});
