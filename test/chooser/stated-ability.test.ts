import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/config/fill.js';
import { abilityWarnings } from '../../src/pipeline/engine/config-warnings.js';
import { resolveConfig } from '../../src/config/config.js';
import { appraise } from '../../src/chooser/appraise.js';
import { createCatalog } from '../../src/models/catalog.js';
import { createLatencyWindow } from '../../src/models/latency-window.js';
import type { ModelOverride } from '../../src/models/model-facts.js';
import type { Appraisal, Ranker } from '../../src/chooser/plan.js';
import { shippedPredictor } from '../../src/chooser/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../src/chooser/rankers/learned-ranker.js';
import { createPriorRanker } from '../../src/chooser/rankers/prior-ranker.js';

const latencies = createLatencyWindow();
const appraised = (model: string, override: ModelOverride = {}): Appraisal =>
  appraise(
    { label: `p/${model}`, provider: 'p', model },
    { promptTokens: 10 },
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

describe('a stated ability', () => {
  const learned = rankers['learned']!;
  const effort = (one: Appraisal, asked: 'low' | 'high'): Appraisal => ({ ...one, effort: asked });

  it('is that of the named model at the effort in the name', () => {
    const high = expected(learned, appraised('ours', { ability: 'gpt-5-high' }));
    expect(high).toBe(expected(learned, effort(appraised('gpt-5'), 'high')));
    expect(high).toBeGreaterThan(expected(learned, appraised('ours', { ability: 'gpt-5-low' })));
    const asked = effort(appraised('ours', { ability: 'gpt-5-high' }), 'low');
    expect(expected(learned, asked)).toBe(high);
  });

  it('lends its habits of answering to a model of which nothing else is known', () => {
    const tokens = (one: Appraisal) => learned.rank(request, [one])[0]!.why.outputTokens;
    const like = tokens(appraised('gpt-5-mini'));
    expect(tokens(appraised('our-finetune', { ability: 'openai/gpt-5-mini' }))).toBe(like);
    expect(tokens(appraised('our-finetune', { ability: 'gpt-5-mini-high' }))).toBeGreaterThan(
      like!,
    );
    // how these answer is known
    for (const model of ['gpt-4o', 'llama-3.1-8b', 'claude-haiku-4-5'])
      expect(tokens(appraised(model, { ability: 'openai/gpt-5-mini' }))).toBe(
        tokens(appraised(model)),
      );
    expect(tokens(appraised('our-finetune', { ability: 1.5 }))).toBe(
      tokens(appraised('our-finetune')),
    );
  });

  it('counts under every name that the provider has for the model', () => {
    const catalog = createCatalog({
      overrides: {
        'anthropic/claude-haiku-4-5': { ability: 2, inputPrice: 7 },
        'openai/gpt-4o-2024-05-13': { ability: 0 },
        'openai/gpt-4o-2024-11-20': { ability: 1 },
        'openai/o3-mini-high': { ability: 3 },
      },
    });
    const stated = (provider: string, model: string): unknown =>
      catalog.lookup(provider, model).abilityStated;
    expect(stated('anthropic', 'claude-haiku-4-5-20251001')).toEqual({ value: 2 });
    expect(stated('anthropic', 'claude-haiku-4-5@20251001')).toEqual({ value: 2 });
    // what else is stated is of one name, and each provider has its own models
    expect(catalog.lookup('anthropic', 'claude-haiku-4-5-20251001').inputPrice).toBe(1);
    expect(stated('aws', 'anthropic.claude-haiku-4-5-20251001-v1:0')).toBeNull();
    expect(stated('anthropic', 'claude-sonnet-4-5')).toBeNull();
    // its own comes first, and of two that contradict each other neither counts elsewhere
    expect(stated('openai', 'gpt-4o-2024-05-13')).toEqual({ value: 0 });
    expect(stated('openai', 'gpt-4o')).toBeNull();
    // another effort is not the same
    expect(stated('openai', 'o3-mini')).toBeNull();
    expect(stated('openai', 'o3-mini-2025-01-31-high')).toEqual({ value: 3 });
  });
});

describe('the warnings of a start', () => {
  const warnings = (ability: string | number): string[] =>
    abilityWarnings(resolveConfig({ models: { 'local/ours': { ability } } }, {}), Date.now());

  it.each([
    ['openai/gpt-5-minni', 'gpt-5-mini'],
    ['claude-hiaku-4-5', 'claude-haiku-4-5'],
  ])('name a model whose ability is that of %s, which is misspelt', (ability, meant) => {
    expect(warnings(ability)).toEqual([
      `models["local/ours"].ability names a model that no table has, so it is judged by that name's family if it is known, else as if nothing were stated; did you mean ${meant}?`,
    ]);
  });

  it('tell of a name that is like no other', () => {
    expect(warnings('x/nobody-knows-this-either')).toEqual([
      expect.stringMatching(/^models\["local\/ours"\]\.ability .* nothing were stated$/),
    ]);
  });

  it.each(['openai/gpt-5-mini', 'gpt-5-high', 'claude-4.5-sonnet', 'llama3.1:8b', 'gpt-6-sol', 1])(
    'do not mention %s',
    (ability) => expect(warnings(ability)).toEqual([]),
  );
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
    (ability) => expect(() => read(ability)).toThrow(/models\["p\/a"\]\.ability/),
  );
});
