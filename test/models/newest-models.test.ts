import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/models/catalog.js';
import { costOf } from '../../src/models/cost.js';
import { rateAt } from '../../src/models/model-facts.js';
import { makeUsage } from '../../src/completion.js';

const providers = ['openai', 'anthropic', 'google', 'aws', 'x-ai', 'deepseek', 'moonshotai'].concat(
  ['minimax', 'mistral', 'alibaba'],
);
const catalog = createCatalog({
  priceIds: Object.fromEntries(providers.map((id) => [id, id])),
  now: () => Date.parse('2026-11-28T12:00:00Z'),
});
const factsOf = (offer: string) => {
  const [provider = '', model = ''] = offer.split('/');
  return catalog.lookup(provider, model);
};

describe('a model that came out since August 2026', () => {
  it.each([
    ['openai/gpt-6.2-sol', 2, 10, 0.1, 2.5, 1_050_000],
    ['openai/gpt-6.2-astra', 8, 40, 0.4, 10, 1_050_000],
    ['openai/gpt-6.1-sol', 2, 10, 0.1, 2.5, 1_050_000],
    ['openai/gpt-6.1-terra', 1, 5, 0.05, 1.25, 1_050_000],
    ['anthropic/claude-fable-5-2', 8, 40, 0.2, 10, 1_000_000],
    ['anthropic/claude-mythos-5-2', 8, 40, 0.2, 10, 1_000_000],
    ['anthropic/claude-mythos-5-1', 10, 50, 0.25, 12.5, 1_000_000],
    ['anthropic/claude-sonnet-5-5', 2, 10, 0.2, 2.5, 1_000_000],
    ['anthropic/claude-haiku-5-5', 0.1, 0.5, 0.01, 0.125, 1_000_000],
    ['aws/us.anthropic.claude-sonnet-5-5', 2.2, 11, 0.22, 2.75, 1_000_000],
    ['aws/global.anthropic.claude-sonnet-5-5', 2, 10, 0.2, 2.5, 1_000_000],
    ['google/gemini-4-argon', 4, 20, 0.2, null, 1_048_576],
    ['google/gemini-4-carbon', 4, 20, 0.2, null, 1_048_576],
    ['google/gemini-4-neon', 3, 15, 0.15, null, 1_048_576],
    ['google/gemini-4-hydrogen', 1.5, 7.5, 0.075, null, 1_048_576],
    ['x-ai/grok-4.7', 2, 6, 0.5, null, 500_000],
    ['deepseek/deepseek-flash', 0.3, 1.2, 0.006, null, 1_000_000],
    ['moonshotai/kimi-k3.1-pro', 2, 10, 0.2, null, 1_048_576],
    ['moonshotai/kimi-k3.1-pro-highspeed', 4, 20, 0.2, null, 1_048_576],
    ['mistral/mistral-large-4-0', 0.7, 2.1, 0.07, null, 1_048_576],
  ])('%s has its own prices and context', (offer, input, output, read, write, context) => {
    const facts = factsOf(offer);
    const { inputPrice, outputPrice, cachedInputPrice, cacheWritePrice } = facts;
    const rates = [inputPrice, outputPrice, cachedInputPrice, cacheWritePrice].map((price) =>
      price === null ? null : rateAt(price, 1_000),
    );
    expect(rates).toEqual([input, output, read, write]);
    expect(facts.contextLength).toBe(context);
    expect(facts.tools).toBe(true);
  });

  it('of OpenAI costs more from 272,000 tokens on, and with a cache of twelve hours', () => {
    const facts = factsOf('openai/gpt-6.2-sol');
    const written = (promptTokens: number, hourCacheWriteTokens: number): number | null => {
      const counts = { promptTokens, cacheWriteTokens: promptTokens, hourCacheWriteTokens };
      return costOf(makeUsage(counts), facts).total_tokens_cost;
    };
    expect(written(100_000, 0)).toBeCloseTo(0.25, 9);
    expect(written(100_000, 100_000)).toBeCloseTo(0.5, 9);
    expect(written(400_000, 0)).toBeCloseTo(2, 9);
    expect(written(400_000, 400_000)).toBeCloseTo(4, 9);
  });
});

describe('a newer version of a model in the price data', () => {
  it.each([
    'openai/gpt-6.3-sol',
    'openai/gpt-6.2-astra-law',
    'openai/gpt-6.2-luna',
    'anthropic/claude-sonnet-5-9',
    'anthropic/claude-opus-5-9',
    'anthropic/claude-haiku-5-9',
    'aws/us.anthropic.claude-sonnet-5-9',
    'aws/global.anthropic.claude-sonnet-5-9-v1:0',
    'google/claude-sonnet-5-9',
    'google/gemini-4-xenon',
    'x-ai/grok-4.9',
    'deepseek/deepseek-v4.2-flash',
    'moonshotai/kimi-k3.2-pro',
    'mistral/mistral-large-5',
  ])('%s never gets the price of the older one', (offer) => {
    const { inputPrice, outputPrice } = factsOf(offer);
    expect([inputPrice, outputPrice]).toEqual([null, null]);
  });

  it('is an older one all the same where the data names both, or they are known to cost the same', () => {
    for (const offer of ['minimax/MiniMax-M2.1', 'google/claude-opus-4-1', 'anthropic/claude-2.1'])
      expect(factsOf(offer).inputPrice).not.toBeNull();
  });
});
