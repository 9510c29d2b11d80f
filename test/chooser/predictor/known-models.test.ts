import { describe, expect, it } from 'vitest';
import { createFindModel } from '../../../src/chooser/predictor/known-models.js';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';

const models = [
  'gpt-4o-2024-05-13',
  'gpt-4o-2024-08-06',
  'claude-3-5-sonnet-20240620',
  'llama-3.1-8b-instruct',
  'gpt-4o-mini-2024-07-18',
];
const find = createFindModel(models);

describe("a candidate's name", () => {
  it.each([
    'openai/gpt-4o-2024-08-06',
    'gpt-4o-2024-08-06',
    'gpt-4o',
    'azure/gpt-4o',
    'GPT-4o',
    'gpt-4o-2024-11-20',
  ])('%s is GPT-4o, the newest version that was measured', (name) => {
    expect(models[find(name)]).toBe('gpt-4o-2024-08-06');
  });

  it('finds exactly the same version if it was measured', () => {
    expect(models[find('gpt-4o-2024-05-13')]).toBe('gpt-4o-2024-05-13');
  });

  it.each([
    'eu.anthropic.claude-3-5-sonnet-20240620-v1:0',
    'anthropic/claude-3.5-sonnet',
    'claude-3-5-sonnet@20240620',
  ])('%s is the same model on another cloud', (name) => {
    expect(models[find(name)]).toBe('claude-3-5-sonnet-20240620');
  });

  it.each([
    'llama3.1:8b',
    'meta-llama/Llama-3.1-8B-Instruct',
    'accounts/fireworks/models/llama-v3p1-8b-instruct',
  ])('%s is the same open model on another provider', (name) => {
    expect(models[find(name)]).toBe('llama-3.1-8b-instruct');
  });

  it.each(['gpt-5', 'my-own-model', '', 'x'.repeat(100_000)])(
    'is no known model where nobody measured it',
    (name) => {
      expect(find(name)).toBe(-1);
    },
  );
});

describe('a preview is a different model from its release', () => {
  const early = [
    'gpt-4-0613',
    'gpt-4-1106-preview',
    'gpt-4-turbo-2024-04-09',
    'o1-2024-12-17',
    'gpt-3.5-turbo-0125',
    'qwq-32b',
    'gemini-2.5-pro',
  ];
  const named = (name: string): string | null => early[createFindModel(early)(name)] ?? null;

  it.each([
    ['gpt-4', 'gpt-4-0613'],
    ['gpt-4-0314', 'gpt-4-0613'],
    ['gpt-4-0125-preview', 'gpt-4-turbo-2024-04-09'],
    ['gpt-4-turbo-preview', 'gpt-4-turbo-2024-04-09'],
    ['gpt-4-1106-preview', 'gpt-4-1106-preview'],
    ['gemini-2.5-pro-preview-05-06', 'gemini-2.5-pro'],
    ['gpt-35-turbo', 'gpt-3.5-turbo-0125'],
    ['azure/gpt-35-turbo-16k', null],
    ['o1-preview', null],
    ['o1-preview-2024-09-12', null],
    ['qwq-32b-preview', null],
    ['gpt-3.5-turbo-instruct', null],
  ])('%s is %s', (name, model) => expect(named(name)).toBe(model));
});

describe('a fine-tuned model that was measured', () => {
  it('is not used for its base model', () => {
    const own = ['ft:gpt-4o-mini-2024-07-18:acme::abc123', 'openai/gpt-4o'];
    expect(createFindModel(own)('gpt-4o-mini')).toBe(-1);
    expect(createFindModel(own)('azure/gpt-4o')).toBe(1);
    expect(createFindModel(own)('openai/ft:gpt-4o-mini-2024-07-18:acme::abc123')).toBe(0);
    expect(createFindModel(own)('ft:gpt-4o-2024-08-06:acme::other')).toBe(1);
  });
});

describe('the models of the shipped predictor', () => {
  const shipped = shippedPredictor().weights.models;
  const findShipped = createFindModel(shipped);
  const named = (name: string): string | null => shipped[findShipped(name)] ?? null;

  const isBase = (model: string): boolean =>
    ['-instruct', '-it', '-chat'].some((ending) => shipped.includes(`${model}${ending}`));

  it('are found by their own names on any provider, unless a chat model has the same name', () => {
    expect(shipped.filter(isBase).length).toBeLessThan(10);
    // today this name stands for another model
    const renamed = ['mistral-medium'];
    for (const model of shipped.filter((one) => !isBase(one) && !renamed.includes(one)))
      for (const name of [model, model.toUpperCase(), `somebody/${model}`, ` ${model} `])
        expect(named(name), name).toBe(model);
  });

  it.each([
    ['gpt-4o', /^gpt-4o-20/],
    ['openai/gpt-4o-2024-08-06', /^gpt-4o-2024-08-06$/],
    ['azure/gpt-4o', /^gpt-4o-20/],
    ['ft:gpt-4o-mini-2024-07-18:acme:x:abc', /^gpt-4o-mini/],
    ['gpt-4', /^gpt-4-0\d{3}$/],
    ['gpt-4-turbo', /^gpt-4-turbo/],
    ['anthropic.claude-3-5-sonnet-20240620-v1:0', /^claude-3-5-sonnet-20240620$/],
    [
      'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0',
      /^claude-3-haiku/,
    ],
    ['us.anthropic.claude-3-5-sonnet-20240620-v1:0', /^claude-3-5-sonnet-20240620$/],
    ['claude-3-5-sonnet@20240620', /^claude-3-5-sonnet-20240620$/],
    ['google/gemini-pro-1.5', /^gemini-1\.5-pro/],
    ['gemini-flash-1.5', /^gemini-1\.5-flash/],
    ['anthropic.claude-v2:1', /^claude-2\.1$/],
    ['mistral.mistral-7b-instruct-v0:2', /^mistral-7b-instruct-v0\.2$/],
    ['meta-llama/Llama-3.1-70B-Instruct', /^llama-3\.1-70b/],
    ['meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo', /^llama-3\.1-70b/],
    ['Meta-Llama-3-8B-Instruct', /^llama-3-8b/],
    ['accounts/fireworks/models/llama-v3p1-70b-instruct', /^llama-3\.1-70b/],
    ['llama3.1:8b', /^llama-3\.1-8b-instruct$/],
    ['llama3:70b-instruct-q4_0', /^llama-3-70b-instruct$/],
    ['llama3-8b-8192', /^llama-3-8b-instruct$/],
    ['gemma:7b', /^gemma-7b-it$/],
    ['mistral.mixtral-8x7b-instruct-v0:1', /^mixtral-8x7b-instruct-v0\.1$/],
    ['mistral:7b', /^mistral-7b-instruct-v0\.3$/],
    ['gpt-3.5-turbo', /^gpt-3\.5-turbo-0125$/],
    ['gpt-4-turbo-preview', /^gpt-4-turbo/],
    ['us.meta.llama3-1-8b-instruct-v1:0', /^llama-3\.1-8b/],
    ['publishers/google/models/gemini-1.5-pro-002', /^gemini-1\.5-pro/],
  ])('%s is one of them', (name, model) => expect(named(name)).toMatch(model));

  it.each([
    'claude-3-5-sonnet-v2@20241022',
    'vertex_ai/claude-3-5-sonnet-v2@20241022',
    'anthropic.claude-3-5-sonnet-20241022-v2:0',
    'claude-3-5-sonnet-v2',
  ])('%s is the same version as in its usual spelling', (name) => {
    expect(named(name)).toBe(named('claude-3-5-sonnet-20241022'));
    expect(named(name)).toMatch(/^claude-3-5-sonnet-/);
  });

  it.each([
    'gemini-flash-1.5-8b',
    'gemini-pro-vision',
    'gemini-pro-2.5',
    'gemini-flash-2.0',
    'claude-3-sonnet-v2',
    'claude-3-5-haiku@20241022',
    'claude-3-7-sonnet@20250219',
    'anthropic.claude-v3',
  ])('%s is not one of them', (name) => {
    expect(named(name)).toBeNull();
  });

  const other = [
    '-mini',
    '-nano',
    '-pro',
    '-coder',
    '-thinking',
    '-vision',
    '-audio',
    '-distill',
    '2',
    '-7b',
    '-405b',
    'x',
  ];
  it('are not confused with models whose names only begin or end alike', () => {
    // all pairs: random samples missed a wrong one
    for (const model of shipped) {
      for (const suffix of other) expect(named(`${model}${suffix}`), suffix).not.toBe(model);
      expect(named(`notquite-${model}`)).not.toBe(model);
    }
  });

  it('are never found for a model of another size', () => {
    const sized = shipped.filter((model) => /\d+b(?![a-z0-9])/i.test(model));
    expect(sized.length).toBeGreaterThan(20);
    for (const model of sized) {
      const size = /(\d+(?:\.\d+)?)b(?![a-z0-9])/i.exec(model)![1]!;
      for (const another of ['8', '70', '405', '1', '13']) {
        if (another === size) continue;
        const found = named(
          model.replace(`${size}b`, `${another}b`).replace(`${size}B`, `${another}B`),
        );
        if (found !== null)
          expect(found.toLowerCase(), `${another}b for ${model}`).toContain(`${another}b`);
      }
    }
  });

  it.each([
    ['gpt-4o-mini', /^gpt-4o-mini/],
    ['gpt-4o-mini-2099-01-01', /^gpt-4o-mini/],
    ['llama-3-8b', /^llama-3-8b/],
    ['o1-mini', /^o1-mini/],
    ['o1', /^o1(?:-20.*)?$/],
    ['o1-pro', /^o1-pro/],
    ['gpt-4', /^gpt-4-\d{4}$/],
    ['claude-3-haiku', /^claude-3-haiku/],
  ])('%s is that model or unknown', (name, model) =>
    expect(named(name) ?? name).toMatch(new RegExp(`${model.source}|^${name}$`)),
  );
});
