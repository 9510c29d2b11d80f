import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/config/fill.js';
import { createCatalog } from '../../src/models/catalog.js';
import { makePlan } from '../../src/chooser/make-plan.js';
import type { RankedCandidate } from '../../src/chooser/plan.js';
import { shippedPredictor } from '../../src/chooser/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../src/chooser/rankers/learned-ranker.js';

const catalog = createCatalog({ priceIds: { openai: 'openai', anthropic: 'anthropic' } });
const ranker = createLearnedRanker({ predictor: shippedPredictor(), ...defaults.routing });

function ranked(content: string, provider: string, ...models: string[]): RankedCandidate[] {
  const plan = makePlan({
    request: { messages: [{ role: 'user', content }] },
    candidates: models.map((model) => ({ label: model, provider, model })),
    ranker,
    catalog,
    latencies: { p50Ms: () => null },
    limits: { retriesPerCandidate: 0, firstEventTimeoutMs: 1, idleTimeoutMs: 1, totalTimeoutMs: 1 },
    blame: { field: 'models', code: 'bad_request' },
  });
  return [...plan.candidates];
}
const first = (...asked: Parameters<typeof ranked>): string => ranked(...asked)[0]!.model;

describe('by default, a greeting', () => {
  it.each([
    'hi',
    'Hello there!',
    'thanks!',
    'привет',
    'bonjour, ça va ?',
    '你好',
    'Habari yako',
    'Bawo ni',
  ])(
    'goes to the cheapest of models that are told apart by other requests alone: %s',
    (greeting) => {
      expect(first(greeting, 'openai', 'gpt-5', 'gpt-5-mini', 'gpt-5-nano')).toBe('gpt-5-nano');
      expect(first(greeting, 'anthropic', 'claude-opus-4-5', 'claude-haiku-4-5')).toBe(
        'claude-haiku-4-5',
      );
    },
  );

  it('does not go to a model that is surely worse, however cheap', () => {
    expect(first('hi', 'openai', 'gpt-5', 'gpt-3.5-turbo')).toBe('gpt-5');
  });

  it('says that its quality is not known better than to half a hundredth', () => {
    for (const { why } of ranked('hi', 'openai', 'gpt-5', 'gpt-5-nano')) {
      expect(why.uncertainty).toBeGreaterThanOrEqual(0.005);
    }
  });
});

describe('by default, a request behind a greeting', () => {
  it('is answered as without it', () => {
    const proof = 'Hi! Prove that the square root of 2 plus the square root of 3 is irrational.';
    expect(first(proof, 'openai', 'gpt-5', 'gpt-5-nano')).toBe('gpt-5');
  });
});
