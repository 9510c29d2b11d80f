import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { habitsOf } from '../../src/models/model-habits.js';
import { createCatalog } from '../../src/models/catalog.js';
import type { ModelFacts } from '../../src/models/model-facts.js';
import { modelIdentity } from '../../src/models/model-identity.js';
import { contextLengthByName } from '../../src/models/price-list.js';

const catalog = createCatalog({
  priceIds: { mistral: 'mistral', gemini: 'google', openrouter: 'openrouter', azure: 'azure' },
});
const priceOf = ({ inputPrice, outputPrice }: ModelFacts): unknown[] => [inputPrice, outputPrice];
const listed = (providerId: string, model: string): unknown[] => {
  const { input_mtok, output_mtok } = calcPrice({}, model, { providerId })!.model_price;
  return [input_mtok, output_mtok];
};
const latest = (name: string): boolean => /[-/]latest$/.test(name);

describe('a name that moves', () => {
  it.each([
    ['mistral-large-latest', 'mistral-large-2512'],
    ['mistral-medium-latest', 'mistral-medium-3-5'],
    ['mistral-small-latest', 'mistral-small-2603'],
    ['ministral-3b-latest', 'ministral-3b-2512'],
    ['ministral-8b-latest', 'ministral-8b-2512'],
    ['ministral-14b-latest', 'ministral-14b-2512'],
    ['devstral-latest', 'devstral-2512'],
    ['codestral-latest', 'codestral-2508'],
  ])('%s has the price and the ability of %s', (name, product) => {
    const facts = catalog.lookup('mistral', name);
    expect(priceOf(facts)).toEqual(listed('mistral', product));
    expect(modelIdentity(facts.knownAs)).toBe(modelIdentity(product));
    expect(facts.ability).toBe(catalog.lookup('mistral', product).ability);
    expect(habitsOf(name)).toEqual(habitsOf(product));
  });

  it.each([
    ['gemini', 'gemini-pro-latest'],
    ['gemini', 'gemini-flash-latest'],
    ['gemini', 'gemini-flash-lite-latest'],
    ['openrouter', 'google/gemini-pro-latest'],
    ['openrouter', 'mistralai/mistral-large-latest'],
    ['openrouter', 'qwen/qwen-plus-latest'],
    ['openrouter', 'qwen/qwen-max-latest'],
  ])('at %s, %s never has the price of an older product', (provider, name) => {
    const facts = catalog.lookup(provider, name);
    const older = findProvider({ providerId: provider === 'gemini' ? 'google' : provider })!
      .models.map(({ id }) => id)
      .filter((id) => !latest(id) && modelIdentity(id) !== modelIdentity(name));
    expect(older.length).toBeGreaterThan(50);
    const undated = name.replace(/-latest$/, '');
    if (older.includes(undated) && facts.inputPrice !== null)
      expect(priceOf(facts)).not.toEqual(listed(provider, undated));
    if (modelIdentity(name).endsWith('-latest')) expect(priceOf(facts)).toEqual([null, null]);
  });

  it('has the price that its provider lists for just that name', () => {
    for (const name of ['chatgpt-4o-latest', 'gpt-chat-latest'])
      expect(priceOf(catalog.lookup('openai', name))).toEqual(listed('openai', name));
    expect(priceOf(catalog.lookup('openrouter', '~google/gemini-pro-latest'))).toEqual([2, 12]);
  });

  it('has the price of its product where `latest` is a state of that', () => {
    for (const [provider, name, product] of [
      ['x-ai', 'grok-4-latest', 'grok-4'],
      ['anthropic', 'claude-3-7-sonnet-latest', 'claude-3-7-sonnet'],
      ['openai', 'gpt-5-chat-latest', 'gpt-5-chat'],
      ['gemini', 'gemini-1.5-pro-latest', 'gemini-1.5-pro'],
    ] as const) {
      const facts = catalog.lookup(provider, name);
      expect(facts.inputPrice, name).not.toBeNull();
      expect(priceOf(facts), name).toEqual(priceOf(catalog.lookup(provider, product)));
    }
  });

  it('of any provider in the price data has the price of its own product, or its own', () => {
    const ids = ['openai', 'anthropic', 'google', 'mistral', 'x-ai', 'deepseek', 'cohere']
      .concat(['moonshotai', 'openrouter', 'aws', 'azure', 'groq', 'together', 'fireworks'])
      .flatMap((provider) =>
        (findProvider({ providerId: provider })?.models ?? []).map(({ id }) => [provider, id]),
      ) as [string, string][];
    for (const [provider, id] of ids) {
      const bare = id.replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d|2[3-9]\d\d|latest)$/, '');
      const moving = `${bare}-latest`;
      const facts = catalog.lookup(provider, moving);
      if (facts.inputPrice === null || facts.inputPrice === 0) continue;
      const { model } = calcPrice({}, moving, { providerId: provider }) ?? { model: null };
      const isSame = ids.some(
        ([where, one]) => where === provider && modelIdentity(one) === modelIdentity(moving),
      );
      expect(isSame || model !== null, `${provider}/${moving}`).toBe(true);
    }
  });

  it('is not limited to the context of an older product', () => {
    expect(contextLengthByName('qwen-plus')).not.toBeNull();
    expect(contextLengthByName('qwen-plus-latest')).toBeNull();
  });

  it('is judged by its own size and thinks as current models do', () => {
    const ability = (name: string): number => catalog.lookup('gemini', name).ability!;
    expect(ability('gemini-flash-lite-latest')).toBeLessThan(ability('gemini-flash-latest'));
    expect(ability('gemini-flash-lite-latest')).toBeLessThan(ability('gemini-2.5-pro'));
    expect(ability('gemini-flash-latest')).toBeLessThan(ability('gemini-pro-latest'));
    expect(habitsOf('gemini-pro-latest')).toEqual(habitsOf('gemini-3.1-pro-preview'));
    expect(habitsOf('gemini-flash-latest').defaultEffort).toBe('medium');
    expect(habitsOf('gemini-flash-lite-latest').defaultEffort).toBe('none');
    expect(habitsOf('kimi-latest')).toEqual(habitsOf('kimi-k2.5'));
  });
});

describe('a name that one provider uses for another product than others do', () => {
  it.each([
    // https://docs.mistral.ai/models/model-cards/mistral-medium-3-5-26-04
    ['mistral', 'mistral-medium-3', 'mistral-medium-3-5'],
    ['mistral', 'mistral-medium', 'mistral-medium-2508'],
    ['openrouter', 'mistralai/mistral-medium-3', 'mistral-medium-2505'],
  ])('at %s, %s is %s', (provider, name, product) => {
    const facts = catalog.lookup(provider, name);
    expect(modelIdentity(facts.knownAs)).toBe(modelIdentity(product));
    expect(facts.ability).toBe(catalog.lookup('mistral', product).ability);
    expect(priceOf(facts)).toEqual(listed('mistral', product));
  });

  it('counts as what it is at its maker without a provider', () => {
    expect(catalog.lookup(null, 'mistral-medium-3').knownAs).toBe('mistral-medium-3-5');
    expect(catalog.lookup('azure', 'mistral-medium-3').knownAs).toBe('mistral-medium-3');
  });
});

describe('a size in a name', () => {
  it.each([
    ['gpt-6', 'gpt-6-mini'],
    ['gpt-6-mini', 'gpt-6-nano'],
    ['gpt-7', 'gpt-7-mini'],
    ['gpt-5.5', 'gpt-5.5-mini'],
    ['grok-5', 'grok-5-mini'],
    ['gemini-4-pro', 'gemini-4-flash-lite'],
    ['gemini-flash', 'gemini-flash-lite'],
  ])('counts where the family is newer than the table: %s is above %s', (large, small) => {
    const ability = (name: string): number => catalog.lookup('nobody', name).ability!;
    expect(ability(large)).toBeGreaterThan(ability(small));
  });
});

describe('a price', () => {
  it('of a name that the list spells otherwise is that of the same product', () => {
    expect(priceOf(catalog.lookup('mistral', 'mistral-small-2506'))).toEqual(
      listed('mistral', 'mistral-small-3.2-24b-instruct'),
    );
  });

  it('of a fine-tuned model is not that of the model that it was made of', () => {
    expect(priceOf(catalog.lookup('openai', 'ft:gpt-4o-mini'))).toEqual([null, null]);
  });

  it('of a dated product is not that of the one without a date', () => {
    expect(priceOf(catalog.lookup('openrouter', 'qwen/qwen-max-2031-01-31'))).toEqual([null, null]);
  });
});
