import { calcPrice, waitForUpdate, type Provider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeUsage } from '../../src/completion.js';
import { createCatalog } from '../../src/models/catalog.js';
import { isMovingName } from '../../src/models/model-name.js';
import { costOf } from '../../src/models/cost.js';
import { noPrices, type Prices } from '../../src/models/model-facts.js';

const prices = (some: Partial<Prices>): Prices => ({ ...noPrices, ...some });

describe('the cost of a call', () => {
  it('charges input and output at their rates', () => {
    const costs = costOf(
      makeUsage({ promptTokens: 1000, completionTokens: 200 }),
      prices({ inputPrice: 3, outputPrice: 15 }),
    );
    expect(costs).toEqual({
      input_tokens_cost: 0.003,
      output_tokens_cost: 0.003,
      total_tokens_cost: 0.006,
    });
  });

  it('charges cached, cache-written and reasoning tokens at their own rates', () => {
    const usage = makeUsage({
      promptTokens: 1000,
      cachedTokens: 600,
      cacheWriteTokens: 300,
      completionTokens: 100,
      reasoningTokens: 40,
    });
    const costs = costOf(
      usage,
      prices({
        inputPrice: 10,
        outputPrice: 20,
        cachedInputPrice: 1,
        cacheWritePrice: 12,
        reasoningPrice: 5,
      }),
    );
    expect(costs).toEqual({
      input_tokens_cost: 0.0052,
      output_tokens_cost: 0.0014,
      total_tokens_cost: 0.0066,
    });
  });

  it('charges such tokens as input or output if they have no rate of their own', () => {
    const usage = makeUsage({
      promptTokens: 1000,
      cachedTokens: 600,
      cacheWriteTokens: 300,
      completionTokens: 100,
      reasoningTokens: 40,
    });
    expect(costOf(usage, prices({ inputPrice: 10, outputPrice: 20 }))).toEqual({
      input_tokens_cost: 0.01,
      output_tokens_cost: 0.002,
      total_tokens_cost: 0.012,
    });
  });

  it('charges the whole prompt at the rate of the highest tier that it reaches', () => {
    const tiered = prices({
      inputPrice: { standard: 1, tiers: [{ start: 200_000, price: 2 }] },
      outputPrice: { standard: 10, tiers: [{ start: 200_000, price: 15 }] },
    });
    expect(
      costOf(makeUsage({ promptTokens: 200_000, completionTokens: 1000 }), tiered)
        .total_tokens_cost,
    ).toBe(0.21);
    expect(
      costOf(makeUsage({ promptTokens: 200_001, completionTokens: 1000 }), tiered)
        .total_tokens_cost,
    ).toBe(0.415002);
  });

  it('adds a fee for the request to the total', () => {
    const costs = costOf(
      makeUsage({ promptTokens: 1000, completionTokens: 1000 }),
      prices({ inputPrice: 1, outputPrice: 1, requestPrice: 0.012 }),
    );
    expect(costs).toEqual({
      input_tokens_cost: 0.001,
      output_tokens_cost: 0.001,
      total_tokens_cost: 0.014,
    });
  });

  it('has the cost of searches as a figure of its own, which is part of the total', () => {
    const usage = makeUsage({ promptTokens: 1000, completionTokens: 1000, webSearches: 3 });
    expect(costOf(usage, prices({ inputPrice: 1, outputPrice: 1, searchPrice: 0.01 }))).toEqual({
      input_tokens_cost: 0.001,
      output_tokens_cost: 0.001,
      total_tokens_cost: 0.032,
      web_search_cost: 0.03,
    });
  });

  it('does not say what searches cost if nobody counted them, or if their price is unknown', () => {
    const known = prices({ inputPrice: 1, outputPrice: 1 });
    const tokens = { promptTokens: 1000, completionTokens: 1000 };
    expect(costOf(makeUsage(tokens), known)).not.toHaveProperty('web_search_cost');
    expect(costOf(makeUsage({ ...tokens, webSearches: 2 }), known)).toMatchObject({
      total_tokens_cost: 0.002,
      web_search_cost: null,
    });
    expect(costOf(makeUsage({ ...tokens, webSearches: 0 }), known).web_search_cost).toBe(0);
  });

  it('is null in all three fields, never 0, if a price is unknown', () => {
    const none = { input_tokens_cost: null, output_tokens_cost: null, total_tokens_cost: null };
    expect(costOf(makeUsage({}), prices({}))).toEqual(none);
    expect(
      costOf(makeUsage({ promptTokens: 5, completionTokens: 5 }), prices({ inputPrice: 1 })),
    ).toEqual(none);
  });

  it('is 0 if the price is known to be 0', () => {
    expect(
      costOf(
        makeUsage({ promptTokens: 9, completionTokens: 9 }),
        prices({ inputPrice: 0, outputPrice: 0 }),
      ).total_tokens_cost,
    ).toBe(0);
  });

  it('needs no output price for an embedding, which has no output', () => {
    expect(
      costOf(makeUsage({ promptTokens: 1_000_000 }), prices({ inputPrice: 0.02 }))
        .total_tokens_cost,
    ).toBe(0.02);
  });

  it('has no rounding errors of binary fractions', () => {
    const costs = costOf(
      makeUsage({ promptTokens: 3, completionTokens: 1 }),
      prices({ inputPrice: 0.1, outputPrice: 0.3 }),
    );
    expect(JSON.stringify(costs)).toBe(
      '{"input_tokens_cost":3e-7,"output_tokens_cost":3e-7,"total_tokens_cost":6e-7}',
    );
  });

  it('is never negative, even if cached tokens exceed the prompt', () => {
    fc.assert(
      fc.property(
        fc.record({
          promptTokens: fc.nat(),
          cachedTokens: fc.nat(),
          cacheWriteTokens: fc.nat(),
          completionTokens: fc.nat(),
          reasoningTokens: fc.nat(),
        }),
        (parts) => {
          const costs = costOf(
            makeUsage(parts),
            prices({
              inputPrice: 3,
              outputPrice: 15,
              cachedInputPrice: 0.3,
              cacheWritePrice: 3.75,
            }),
          );
          expect(costs.input_tokens_cost).toBeGreaterThanOrEqual(0);
          expect(costs.total_tokens_cost).toBeCloseTo(
            costs.input_tokens_cost! + costs.output_tokens_cost!,
            9,
          );
        },
      ),
    );
  });
});

describe('the price list itself', { timeout: 60_000 }, () => {
  const at = Date.parse('2026-11-20T02:30:00Z');

  async function everyListed(): Promise<{ provider: Provider; id: string }[]> {
    const providers = (await waitForUpdate()) ?? [];
    return providers.flatMap((provider) => provider.models.map(({ id }) => ({ provider, id })));
  }

  it('agrees with our arithmetic for every model and any usage', async () => {
    const listed = await everyListed();
    const catalog = createCatalog({
      priceIds: Object.fromEntries(listed.map(({ provider }) => [provider.id, provider.id])),
      now: () => at,
    });
    const shares = fc.record({
      prompt: fc.nat(600_000),
      cached: fc.nat(1000),
      written: fc.nat(1000),
      answer: fc.nat(50_000),
      reasoning: fc.nat(1000),
    });
    let compared = 0;
    for (const { provider, id } of listed) {
      const facts = catalog.lookup(provider.id, id);
      // where a name has moved on, the list may have the earlier price
      if (facts.inputPrice === null || (provider.id === 'mistral' && isMovingName(id))) continue;
      fc.assert(
        fc.property(shares, ({ prompt, cached, written, answer, reasoning }) => {
          const usage = makeUsage({
            promptTokens: prompt,
            cachedTokens: Math.floor((prompt * cached) / 2001),
            cacheWriteTokens: Math.floor((prompt * written) / 2001),
            completionTokens: facts.outputPrice === null ? 0 : answer,
            reasoningTokens:
              facts.outputPrice === null ? 0 : Math.floor((answer * reasoning) / 1000),
          });
          const theirs = calcPrice(
            {
              input_tokens: usage.promptTokens,
              cache_read_tokens: usage.cachedTokens,
              cache_write_tokens: usage.cacheWriteTokens,
              output_tokens: usage.completionTokens,
              output_reasoning_tokens: usage.reasoningTokens,
            },
            id,
            { providerId: provider.id, timestamp: new Date(at) },
          );
          if (!theirs) return;
          const ours = costOf(usage, facts);
          expect(ours.input_tokens_cost).toBeCloseTo(theirs.input_price, 9);
          expect(ours.output_tokens_cost).toBeCloseTo(theirs.output_price, 9);
          expect(ours.total_tokens_cost).toBeCloseTo(theirs.total_price, 9);
          compared++;
        }),
        { numRuns: 3 },
      );
    }
    expect(compared).toBeGreaterThan(3000);
  });
});
