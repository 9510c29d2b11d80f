import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChatRequest, type ContentPart, makeUsage } from '../../src/completion.js';
import { costOf } from '../../src/models/cost.js';
import {
  maxCostUsd,
  maxAnswerTokens,
  maxPromptTokens,
  maxPromptWithMedia,
  maxPromptWithSearches,
  maxSearches,
  minPromptTokens,
  statedAnswerTokens,
} from '../../src/models/max-cost.js';
import { mediaOf } from '../../src/models/prompt-media.js';
import type { TokenPrice } from '../../src/models/model-facts.js';
import { noPrices, type Prices } from '../../src/models/model-facts.js';
import { measureRequest } from '../../src/models/tokens.js';
import { runs } from '../helpers/runs.js';
import { chatOf } from '../../src/http/surfaces/responses/read-call.js';

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
  hourCacheWritePrice: fc.option(price),
  audioInputPrice: fc.option(price),
  cachedAudioPrice: fc.option(price),
  mediaOutputPrice: fc.option(price),
  hasOtherCharges: fc.constant(false),
  requestPrice: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  searchPrice: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  isConfigured: fc.boolean(),
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
        fc.tuple(share, share, share, share, share, share, share),
        fc.record({ unbounded: fc.nat(2), longCache: fc.boolean() }),
        fc.nat(10),
        (known, promptTokens, completionTokens, shares, media, searches) => {
          const [read, written, cached, made, reasoned, kept, heard] = shares;
          const prompt = Math.floor(promptTokens * read);
          const completion = Math.floor(completionTokens * written);
          const usage = makeUsage({
            promptTokens: prompt,
            cachedTokens: Math.floor(prompt * cached),
            cacheWriteTokens: Math.floor(prompt * made),
            completionTokens: completion,
            reasoningTokens: Math.floor(completion * reasoned),
            hourCacheWriteTokens: media.longCache ? Math.floor(prompt * made * kept) : 0,
            audioTokens: media.unbounded > 0 ? Math.floor(prompt * heard) : 0,
            cachedAudioTokens: media.unbounded > 0 ? Math.floor(prompt * heard * cached) : 0,
            mediaTokens: Math.floor(completion * heard),
            webSearches: Math.floor(searches * read),
          });
          expect(costOf(usage, known).total_tokens_cost ?? Infinity).toBeLessThanOrEqual(
            maxCostUsd({ promptTokens, completionTokens, searches }, known, media) ?? -1,
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

  it('has the price of each search that the model may run', () => {
    const known = prices({ inputPrice: 1, outputPrice: 1, searchPrice: 0.01 });
    expect(maxCostUsd({ promptTokens: 0, completionTokens: 0, searches: 3 }, known)).toBe(0.03);
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

  it('counts a fixed number for a picture that was sent, however long its bytes are', () => {
    const picture = maxPromptTokens(
      chat([
        { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(500_000)}` } },
      ]),
    );
    expect(picture).toBeGreaterThanOrEqual(50_000);
    expect(picture).toBeLessThan(60_000);
  });

  it.each<[string, ContentPart]>([
    ['a picture by its address', { type: 'image_url', image_url: { url: 'https://x.test/a.png' } }],
    ['a film by its address', { type: 'image_url', image_url: { url: 'gs://films/hour.mp4' } }],
    ['a film', { type: 'video_url', video_url: { url: 'https://x.test/hour.mp4' } }],
    ['a document by its id', { type: 'file', file: { file_id: 'file-1' } }],
    ['a document by its address', { type: 'file', file: { file_data: 'https://x.test/a.pdf' } }],
    ['a document', { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }],
    [
      'a document in the field of a picture',
      { type: 'image_url', image_url: { url: 'data:application/pdf;base64,AAAA' } },
    ],
    ['sound', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
    ['a part that nobody knows', { type: 'later', later: {} }],
  ])('is the context length for %s', (_what, part) => {
    const request = chat([{ type: 'text', text: 'Read this' }, part]);
    const media = mediaOf(request);
    expect(media.unbounded).toBe(1);
    const text = maxPromptTokens(request);
    expect(maxPromptWithMedia(text, media, { contextLength: 1_000_000 })).toBe(1_000_000);
    expect(maxPromptWithMedia(text, media, { contextLength: 10 })).toBe(text);
  });

  it('is the context length for an earlier answer in sound', () => {
    const request = { messages: [{ role: 'assistant', content: null, audio: { id: 'audio_1' } }] };
    expect(mediaOf(request)).toMatchObject({ unbounded: 1, sound: true });
  });
});

describe('the cost of a cache', () => {
  const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  it.each<[string, ChatRequest]>([
    ['the request', chat('', hour)],
    ['a message', { messages: [{ role: 'user', content: '', ...hour }] }],
    ['a part', chat([{ type: 'text', text: 'x', ...hour }])],
    ['a tool', chat('', { tools: [{ type: 'function', function: { name: 'f' }, ...hour }] })],
    ['the request, in OpenAI’s words', chat('', { prompt_cache_options: { ttl: '12h' } })],
    [
      'a part, in OpenAI’s words',
      chat([{ type: 'text', text: 'x', prompt_cache_breakpoint: { ttl: '12h' } }]),
    ],
  ])('is that of an hour where %s asks for one', (_where, request) => {
    expect(mediaOf(request).longCache).toBe(true);
  });

  it('is that of twelve hours where a request of the Responses API asks for one', () => {
    const long = { ttl: '12h' };
    const part = { type: 'input_text', text: 'x', prompt_cache_breakpoint: long };
    const input = (...content: object[]) => [{ type: 'message', role: 'user', content }];
    for (const body of [
      { model: 'm', input: 'x', prompt_cache_options: long },
      { model: 'm', input: input(part) },
      { model: 'm', input: input({ ...part, type: 'input_file', file_id: 'f' }) },
    ])
      expect(mediaOf(chatOf(body)).longCache).toBe(true);
  });

  it('is the usual one where thirty minutes are asked for, or nothing', () => {
    for (const options of [{ ttl: '30m' }, { mode: 'explicit' }, { ttl: null }])
      expect(mediaOf(chat('', { prompt_cache_options: options })).longCache).toBe(false);
  });

  it('is twice that of input for an hour, unless its price is known', () => {
    const usage = makeUsage({
      promptTokens: 1_000_000,
      cacheWriteTokens: 1_000_000,
      hourCacheWriteTokens: 600_000,
    });
    const known = prices({ inputPrice: 4, cacheWritePrice: 5, outputPrice: 0 });
    expect(costOf(usage, known).total_tokens_cost).toBeCloseTo(0.6 * 8 + 0.4 * 5, 9);
    expect(costOf(usage, { ...known, hourCacheWritePrice: 10 }).total_tokens_cost).toBeCloseTo(
      0.6 * 10 + 0.4 * 5,
      9,
    );
    const long = { unbounded: 0, longCache: true };
    expect(maxCostUsd({ promptTokens: 1_000_000, completionTokens: 0 }, known, long)).toBe(8);
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

  it('is no more than the model can write, and than the prompt leaves of its context', () => {
    const facts = { maxOutput: 100, contextLength: 120 };
    expect(maxAnswerTokens(chat('', { max_tokens: 500 }), facts, null)).toBe(100);
    expect(maxAnswerTokens(chat('', { max_tokens: 50 }), facts, null)).toBe(50);
    expect(maxAnswerTokens(chat(''), facts, null, 40)).toBe(80);
    expect(maxAnswerTokens(chat(''), facts, null, 200)).toBe(0);
    expect(maxAnswerTokens(chat(''), { maxOutput: null, contextLength: 1e6 }, null)).toBe(262_144);
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

describe('the least number of prompt tokens', () => {
  it('counts words, which no tokenizer joins', () => {
    expect(minPromptTokens(chat('Why is  the sky\n\tblue?'))).toBe(5);
    expect(minPromptTokens(chat([{ type: 'text', text: 'Read this' }, { type: 'later' }]))).toBe(2);
    expect(minPromptTokens({ messages: [{ role: 'assistant', content: null }] })).toBe(0);
  });

  it('counts nothing that a tokenizer may make one token of', () => {
    const runs = [' '.repeat(9000), '\n \t'.repeat(3000), '- '.repeat(99), '=\n'.repeat(99)];
    for (const text of runs) expect(minPromptTokens(chat(text))).toBe(0);
    expect(minPromptTokens(chat('x'.repeat(9000)))).toBe(1);
  });

  it('is never more than the most', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(minPromptTokens(chat(text))).toBeLessThanOrEqual(maxPromptTokens(chat(text)));
      }),
    );
  });
});

describe("the searches of a model's own", () => {
  const searching = (options: Record<string, unknown>): ChatRequest =>
    chat('Who won?', { web_search_options: options });

  it('are none where the request asks for none', () => {
    expect(maxSearches(chat('Who won?'), true)).toBe(0);
    expect(maxSearches(chat('Who won?', { web_search_options: null }), true)).toBe(0);
  });

  it('are as many as the request allows, where the model keeps to it', () => {
    expect(maxSearches(searching({ max_uses: 3 }), true)).toBe(3);
    expect(maxSearches(searching({ max_uses: 3 }), false)).toBeNull();
  });

  it.each([[{}], [{ max_uses: null }], [{ max_uses: 0 }], [{ max_uses: -1 }], [{ max_uses: '3' }]])(
    'have no bound where it is %j',
    (options) => {
      expect(maxSearches(searching(options), true)).toBeNull();
    },
  );

  it('make the model read its prompt and all results so far again', () => {
    expect(maxPromptWithSearches(1_000, 0)).toBe(1_000);
    expect(maxPromptWithSearches(1_000, 1)).toBe(2_000 + 20_000);
    expect(maxPromptWithSearches(1_000, 3)).toBe(4_000 + 20_000 + 40_000 + 60_000);
  });
});
