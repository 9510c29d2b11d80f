import { describe, expect, it } from 'vitest';
import { makePlan } from '../../src/chooser/make-plan.js';
import { shippedPredictor } from '../../src/chooser/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../src/chooser/rankers/learned-ranker.js';
import { defaults } from '../../src/config/fill.js';
import { createCatalog } from '../../src/models/catalog.js';

const catalog = createCatalog({});
const ranker = createLearnedRanker({ predictor: shippedPredictor(), ...defaults.routing });
const pool = [
  ...['openai/gpt-5.2', 'openai/gpt-5-mini', 'openai/gpt-5-nano'],
  ...['anthropic/claude-opus-4-5', 'anthropic/claude-sonnet-4-5', 'anthropic/claude-haiku-4-5'],
  ...['google/gemini-3-pro-preview', 'google/gemini-2.5-flash', 'google/gemini-2.5-flash-lite'],
  ...['deepseek/deepseek-chat', 'alibaba/qwen3-max', 'groq/llama-3.1-8b-instant'],
];
const frontier = /gpt-5\.2|opus|gemini-3-pro|qwen3-max/;

function ranked(content: string, isStreamed = false) {
  const { candidates } = makePlan({
    request: { messages: [{ role: 'user', content }], tradeoff: 'latency', isStreamed },
    candidates: pool.map((label) => {
      const [provider = '', model = ''] = label.split('/');
      return { label, provider, model };
    }),
    ranker,
    catalog,
    latencies: { p50Ms: () => null },
    limits: { retriesPerCandidate: 0, firstEventTimeoutMs: 1, idleTimeoutMs: 1, totalTimeoutMs: 1 },
    blame: { field: 'models', code: 'bad_request' },
  });
  return candidates;
}

describe('the fastest model, before anything was measured', () => {
  it.each([
    'hi',
    'What is 17% of 240?',
    'How do you spell accommodate?',
    'Translate to French: Where is the train station?',
    'What is the boiling point of water?',
    '法国的首都是哪里？',
    'Name five fruits.',
    'Is this review positive or negative, in one word? "I loved it."',
  ])('is no frontier model for %s', (text) => {
    for (const isStreamed of [false, true]) {
      const [first] = ranked(text, isStreamed);
      expect(first.label).not.toMatch(frontier);
      expect(first.why.reason).toContain('(expected, not measured)');
    }
  });

  it('has an expected time, as all others have', () => {
    for (const { why } of ranked('Explain how tides work.')) {
      expect(why.latency).toBeNull();
      expect(why.times?.isExpected).toBe(true);
      expect(why.times?.whole).toBeGreaterThan(why.times?.start ?? Infinity);
    }
  });
});
