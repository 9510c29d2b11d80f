import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChatRequest, makeUsage } from '../../src/completion.js';
import { costOf } from '../../src/routing/cost.js';
import {
  maxCostUsd,
  maxAnswerTokens,
  maxPromptTokens,
  statedAnswerTokens,
} from '../../src/routing/max-cost.js';
import type { TokenPrice } from '../../src/routing/model-facts.js';
import { noPrices, type Prices } from '../../src/routing/model-facts.js';
import { measureRequest } from '../../src/routing/tokens.js';
import { runs } from '../helpers/runs.js';

const prices = (some: Partial<Prices>): Prices => ({ ...noPrices, ...some });
const chat = (
  content: ChatRequest['messages'][number]['content'],
  more: Partial<ChatRequest> = {},
): ChatRequest => ({ messages: [{ role: 'user', content: content ?? null }], ...more });
const nobodyKnows = { maxOutput: null, contextLength: null };

const rate = fc.double({ min: 0, max: 200, noNaN: true });
const price: fc.Arbitrary<TokenPrice> = fc.oneof(
  rate,
  fc.record({
    standard: rate,
    tiers: fc
      .array(fc.record({ start: fc.integer({ min: 0, max: 300_000 }), price: rate }), {
        maxLength: 3,
      })
      .map((tiers) => tiers.sort((a, b) => a.start - b.start)),
  }),
);
const facts: fc.Arbitrary<Prices> = fc.record({
  inputPrice: price,
  outputPrice: price,
  cachedInputPrice: fc.option(price),
  cacheWritePrice: fc.option(price),
  reasoningPrice: fc.option(price),
  requestPrice: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
});
const tokens = fc.integer({ min: 0, max: 1_000_000 });
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('the maximum cost of a call', () => {
  it('is not exceeded by any usage within the limits, whatever the prices', () => {
    fc.assert(
      fc.property(
        facts,
        tokens,
        tokens,
        fc.tuple(share, share, share, share, share),
        (known, promptTokens, completionTokens, [read, written, cached, made, reasoned]) => {
          const prompt = Math.floor(promptTokens * read);
          const completion = Math.floor(completionTokens * written);
          const usage = makeUsage({
            promptTokens: prompt,
            cachedTokens: Math.floor(prompt * cached),
            cacheWriteTokens: Math.floor(prompt * made),
            completionTokens: completion,
            reasoningTokens: Math.floor(completion * reasoned),
          });
          expect(costOf(usage, known).total_tokens_cost ?? Infinity).toBeLessThanOrEqual(
            maxCostUsd({ promptTokens, completionTokens }, known) ?? -1,
          );
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('charges every token at the highest rate of its kind, and adds the fee for the request', () => {
    const known = prices({
      inputPrice: 1,
      cachedInputPrice: 0.1,
      cacheWritePrice: 2,
      outputPrice: 4,
      reasoningPrice: 8,
      requestPrice: 0.5,
    });
    expect(maxCostUsd({ promptTokens: 1_000_000, completionTokens: 1_000_000 }, known)).toBe(
      2 + 8 + 0.5,
    );
  });

  it('uses the most expensive tier that the prompt can reach', () => {
    const known = prices({
      inputPrice: {
        standard: 1,
        tiers: [
          { start: 100, price: 5 },
          { start: 1000, price: 3 },
        ],
      },
      outputPrice: 0,
    });
    expect(maxCostUsd({ promptTokens: 100, completionTokens: 0 }, known)).toBe(100 / 1e6);
    expect(maxCostUsd({ promptTokens: 2000, completionTokens: 0 }, known)).toBe(10_000 / 1e6);
  });

  it('is unknown if a price is unknown, except the output price of a model without output', () => {
    expect(
      maxCostUsd({ promptTokens: 1, completionTokens: 1 }, prices({ inputPrice: 1 })),
    ).toBeNull();
    expect(
      maxCostUsd({ promptTokens: 1, completionTokens: 1 }, prices({ outputPrice: 1 })),
    ).toBeNull();
    expect(
      maxCostUsd({ promptTokens: 1_000_000, completionTokens: 0 }, prices({ inputPrice: 1 })),
    ).toBe(1);
  });
});

describe('the maximum number of prompt tokens', { timeout: 60_000 }, () => {
  it('is at least one for each byte of every text, wherever it is in the request', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'binary' }),
        (first, second) => {
          const request = chat([{ type: 'text', text: first }], {
            tools: [{ type: 'function', function: { name: 'f', description: second } }],
            response_format: { type: first },
          });
          const bound = maxPromptTokens(request);
          expect(bound).toBeGreaterThanOrEqual(
            2 * Buffer.byteLength(first) + Buffer.byteLength(second),
          );
          expect(bound).toBeGreaterThanOrEqual(
            measureRequest(request.messages, request.tools ?? []).tokens,
          );
        },
      ),
    );
  });

  it('covers texts whose estimate exceeds their number of bytes', () => {
    const request = chat('1A'.repeat(50_000));
    expect(maxPromptTokens(request)).toBeGreaterThanOrEqual(
      measureRequest(request.messages).tokens,
    );
  });

  it.each([
    [
      'arguments of tool calls',
      {
        role: 'assistant',
        tool_calls: [
          {
            id: 'c',
            type: 'function' as const,
            function: { name: 'f', arguments: 'x'.repeat(9000) },
          },
        ],
      },
    ],
    [
      'reasoning that is handed back',
      { role: 'assistant', content: '', reasoning_content: 'x'.repeat(9000) },
    ],
    ['unknown fields', { role: 'user', content: '', later: { text: 'x'.repeat(9000) } }],
  ])('counts %s', (_what, message) => {
    expect(maxPromptTokens({ messages: [message] })).toBeGreaterThan(9000);
  });

  it('counts a fixed number for a picture, and at least that for a file, whose bytes may be more', () => {
    const picture = maxPromptTokens(
      chat([
        { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(500_000)}` } },
      ]),
    );
    const document = maxPromptTokens(
      chat([
        {
          type: 'image_url',
          image_url: { url: `data:application/pdf;base64,${'A'.repeat(500_000)}` },
        },
      ]),
    );
    const reference = maxPromptTokens(chat([{ type: 'file', file: { file_id: 'f' } }]));
    expect(picture).toBeLessThan(60_000);
    expect(document).toBeGreaterThan(500_000);
    expect(reference).toBeGreaterThan(100_000);
  });
});

describe('the maximum number of answer tokens', () => {
  it('is the higher of the two limits that the request states, for each of its answers', () => {
    expect(maxAnswerTokens(chat('', { max_tokens: 10 }), nobodyKnows, 5)).toBe(10);
    expect(
      maxAnswerTokens(
        chat('', { max_tokens: 10, max_completion_tokens: 30, n: 4 }),
        nobodyKnows,
        5,
      ),
    ).toBe(120);
    expect(statedAnswerTokens(chat('', { max_tokens: null }))).toBeNull();
  });

  it('is otherwise what the model can write, or the configured limit', () => {
    expect(maxAnswerTokens(chat(''), { maxOutput: 100, contextLength: 1000 }, null)).toBe(100);
    expect(maxAnswerTokens(chat(''), { maxOutput: null, contextLength: 1000 }, null)).toBe(1000);
    expect(maxAnswerTokens(chat(''), { maxOutput: null, contextLength: 1000 }, 50)).toBe(50);
    expect(maxAnswerTokens(chat(''), nobodyKnows, null)).toBe(262_144);
  });

  it('includes a prediction, which is charged when it is rejected', () => {
    expect(
      maxAnswerTokens(
        chat('', { max_tokens: 10, prediction: { type: 'content', content: 'x'.repeat(500) } }),
        nobodyKnows,
        null,
      ),
    ).toBeGreaterThan(510);
  });
});
