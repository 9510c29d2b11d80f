import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/config/fill.js';
import { resolveConfig } from '../../src/config/config.js';
import { appraise } from '../../src/routing/appraise.js';
import { createCatalog } from '../../src/routing/catalog.js';
import { createLatencyWindow } from '../../src/routing/latency-window.js';
import type { ModelOverride } from '../../src/routing/model-facts.js';
import type { Appraisal, Ranker } from '../../src/routing/plan.js';
import { shippedPredictor } from '../../src/routing/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../src/routing/rankers/learned-ranker.js';
import { createPriorRanker } from '../../src/routing/rankers/prior-ranker.js';

const latencies = createLatencyWindow();
const appraised = (model: string, override: ModelOverride = {}): Appraisal =>
  appraise(
    { label: `p/${model}`, provider: 'p', model },
    { promptTokens: 10, weighsCost: false },
    { catalog: createCatalog({ overrides: { [`p/${model}`]: override } }), latencies },
  );
const rankers: Record<string, Ranker> = {
  learned: createLearnedRanker({ predictor: shippedPredictor(), ...defaults.routing }),
  prior: createPriorRanker(defaults.routing),
};
const request = { messages: [{ role: 'user', content: 'Is 91 a prime number?' }] };
/** What a ranker expects of a model. */
const expected = (ranker: Ranker, one: Appraisal): number =>
  ranker.rank(request, [one])[0]!.why.quality;

describe.each(Object.entries(rankers))('the %s ranker', (_name, ranker) => {
  it.each([
    ['nobody-knows-this', 'openai/gpt-4o-mini'],
    ['nobody-knows-this', 'claude-4.5-sonnet'],
    ['gpt-4o', 'anthropic/claude-3-haiku-20240307'],
    ['gpt-4o', 'llama3.1:8b'],
  ])('expects of %s what it expects of %s, which it is like', (model, like) => {
    const stated = expected(ranker, appraised(model, { ability: like }));
    expect(stated).toBe(expected(ranker, appraised(like)));
    expect(stated).not.toBe(expected(ranker, appraised(model)));
  });

  it('expects more of a model the higher its stated number is', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.double({ min: 0.1, max: 2, noNaN: true }),
        fc.constantFrom('gpt-4o', 'nobody-knows-this'),
        (ability, more, model) => {
          const lower = expected(ranker, appraised(model, { ability }));
          expect(expected(ranker, appraised(model, { ability: ability + more }))).toBeGreaterThan(
            lower,
          );
        },
      ),
    );
  });

  it('keeps what it knows of a model that is like one that nobody knows', () => {
    const like = appraised('gemini-2.5-flash', { ability: 'x/nobody-knows-this-either' });
    expect(like.figures.quality).toBe(appraised('gemini-2.5-flash').figures.quality);
  });

  it('takes a stated quality before a stated ability', () => {
    const one = appraised('gpt-4o', { ability: 'llama3.1:8b', quality: 0.97 });
    expect(expected(ranker, one)).toBe(0.97);
  });
});

describe('an appraisal', () => {
  it('says which ability is stated, for whoever predicts', () => {
    expect(appraised('a').abilityStated).toBeNull();
    expect(appraised('a', { ability: 'gpt-5' }).abilityStated).toEqual({ like: 'gpt-5' });
    expect(appraised('a', { ability: 0 }).abilityStated).toEqual({ value: 0 });
  });
});

describe('the configuration', () => {
  const read = (ability: unknown): unknown =>
    resolveConfig({ models: { 'p/a': { ability } as never } }, {}).models['p/a']?.ability;

  it.each(['openai/gpt-5-mini', 'gpt-5-mini', 0, -2.5, 3])('takes %s as an ability', (ability) =>
    expect(read(ability)).toBe(ability),
  );

  it.each(['', 'x'.repeat(201), 60, -60, true, ['gpt-5'], {}])(
    'refuses %j as an ability',
    (ability) => expect(() => read(ability)).toThrow(/models\[p\/a\]\[ability\]/),
  );
});
