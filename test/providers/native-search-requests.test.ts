import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatRequest, NativeSearchOptions } from '../../src/completion.js';
import { GatewayError } from '../../src/errors.js';
import type { ProviderAdapter } from '../../src/providers/adapter.js';
import { dialects } from '../../src/providers/index.js';
import { callOf } from '../helpers/collect-stream.js';
import { runs } from '../helpers/runs.js';

function adapterOf(api: string, more: object = {}): ProviderAdapter {
  const dialect = dialects.get(api);
  if (!dialect) throw new Error(`there is no dialect ${api}`);
  return dialect.create({
    name: api,
    api,
    baseUrl: 'http://127.0.0.1:9/v1',
    project: 'p',
    region: 'r',
    ...more,
  });
}

const everything: NativeSearchOptions = {
  search_context_size: 'low',
  user_location: { type: 'approximate', approximate: { country: 'DE', city: 'Köln' } },
  max_uses: 3,
  allowed_domains: ['a.example', 'b.example'],
  recency: 'week',
  required: true,
};
const place = { type: 'approximate', country: 'DE', city: 'Köln' };

type Json = Record<string, unknown>;

/** The parts of a body that say something of a search. */
async function bodyOf(
  api: string,
  model: string,
  options: unknown,
  more: Partial<ChatRequest> = {},
): Promise<Json> {
  const request = { ...more, web_search_options: options } as Partial<ChatRequest>;
  const built = await adapterOf(api).buildRequest({ ...callOf(request, false), model }, 'key');
  return JSON.parse(built.body.toString()) as Json;
}

describe('the request for a search of the model', () => {
  it("has OpenAI's tool with its filters, made to search, no more often than asked", async () => {
    expect(await bodyOf('openai-responses', 'gpt-5.2', everything)).toMatchObject({
      tools: [
        {
          type: 'web_search',
          search_context_size: 'low',
          user_location: place,
          filters: { allowed_domains: ['a.example', 'b.example'] },
        },
      ],
      tool_choice: { type: 'web_search' },
      max_tool_calls: 3,
      include: expect.arrayContaining(['web_search_call.action.sources']) as unknown,
    });
  });

  it('is for a search and nothing else, whatever a client puts beside it', async () => {
    const options = { type: 'code_interpreter', container: { type: 'auto' }, filters: { x: 1 } };
    for (const model of ['gpt-5.2', 'grok-4.3', 'deepseek-v4-flash'])
      expect((await bodyOf('openai-responses', model, options))['tools']).toEqual([
        { type: 'web_search' },
      ]);
    expect((await bodyOf('anthropic', 'claude-sonnet-4-5', options))['tools']).toEqual([
      { type: 'web_search_20250305', name: 'web_search' },
    ]);
  });

  it('asks for low effort where OpenAI refuses a search with minimal effort', async () => {
    const more = { reasoning_effort: 'minimal' };
    expect(await bodyOf('openai-responses', 'gpt-5', {}, more)).toMatchObject({
      reasoning: { effort: 'low' },
    });
    expect(await bodyOf('openai-responses', 'gpt-5', null, more)).toMatchObject({
      reasoning: { effort: 'minimal' },
    });
  });

  it("leaves a client's own choice of tool alone", async () => {
    const tools = [{ type: 'function' as const, function: { name: 'look' } }];
    const more = { tools, tool_choice: 'none' as const };
    expect(await bodyOf('openai-responses', 'gpt-5.2', everything, more)).toMatchObject({
      tool_choice: 'none',
      tools: [{ name: 'look' }, { type: 'web_search' }],
    });
  });

  it("has xAI's names for domains, and neither a choice nor a number of calls", async () => {
    const options = { ...everything, allowed_domains: null, blocked_domains: ['c.example'] };
    const body = await bodyOf('openai-responses', 'grok-4.3', options);
    expect(body['tools']).toEqual([
      {
        type: 'web_search',
        search_context_size: 'low',
        user_location: place,
        excluded_domains: ['c.example'],
      },
    ]);
    expect(Object.keys(body)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/tool_choice|max_tool_calls/)]),
    );
  });

  it("has Claude's tool, beside the client's", async () => {
    const tools = [{ type: 'function' as const, function: { name: 'look' } }];
    const body = await bodyOf('anthropic', 'claude-sonnet-4-5', everything, { tools });
    expect(body['tools']).toEqual([
      { name: 'look', input_schema: { type: 'object', properties: {} } },
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 3,
        allowed_domains: ['a.example', 'b.example'],
        user_location: place,
      },
    ]);
    expect(body).not.toHaveProperty('web_search_options');
  });

  it('has no tool for a model without a search behind the same API', async () => {
    expect(await bodyOf('anthropic', 'glm-5.3', everything)).not.toHaveProperty('tools');
  });

  it("has Google's tool, with the filter that each of its APIs takes", async () => {
    const body = await bodyOf('gemini', 'gemini-3.5-flash', everything);
    const [{ googleSearch }] = body['tools'] as [
      { googleSearch: { timeRangeFilter: Record<string, string> } },
    ];
    const { startTime = '', endTime = '' } = googleSearch.timeRangeFilter;
    expect(Date.parse(endTime) - Date.parse(startTime)).toBe(7 * 24 * 60 * 60 * 1000);
    expect(Math.abs(Date.parse(endTime) - Date.now())).toBeLessThan(60_000);
    expect(
      (await bodyOf('vertex', 'gemini-2.5-flash', { blocked_domains: ['c.example'] }))['tools'],
    ).toEqual([{ googleSearch: { excludeDomains: ['c.example'] } }]);
    expect((await bodyOf('gemini', 'gemini-1.5-pro', {}))['tools']).toEqual([
      { googleSearchRetrieval: {} },
    ]);
  });

  it("has Perplexity's filters, which forbid domains with a dash", async () => {
    const body = await bodyOf('perplexity', 'sonar', everything);
    expect(body).toMatchObject({
      search_domain_filter: ['a.example', 'b.example'],
      search_recency_filter: 'week',
      web_search_options: {
        search_context_size: 'low',
        user_location: { country: 'DE', city: 'Köln' },
      },
    });
    expect(
      (await bodyOf('perplexity', 'sonar', { blocked_domains: ['c.example'] }))[
        'search_domain_filter'
      ],
    ).toEqual(['-c.example']);
  });

  it("has OpenRouter's server tool, or its plugin where a search is required", async () => {
    const free = await bodyOf('openrouter', 'x/y', { ...everything, required: false });
    expect(free['tools']).toEqual([
      {
        type: 'openrouter:web_search',
        parameters: {
          max_uses: 3,
          search_context_size: 'low',
          allowed_domains: ['a.example', 'b.example'],
          user_location: place,
        },
      },
    ]);
    const forced = await bodyOf('openrouter', 'x/y', everything);
    expect(forced['plugins']).toEqual([
      {
        id: 'web',
        max_uses: 3,
        include_domains: ['a.example', 'b.example'],
        user_location: place,
      },
    ]);
    for (const body of [free, forced]) expect(body).not.toHaveProperty('web_search_options');
  });

  it("has Groq's settings for its compound systems", async () => {
    const body = await bodyOf('groq', 'groq/compound', everything);
    expect(body['search_settings']).toEqual({ include_domains: ['a.example', 'b.example'] });
    expect(body).not.toHaveProperty('web_search_options');
  });

  it("has Z.AI's tool", async () => {
    expect((await bodyOf('zai', 'glm-5.3', everything))['tools']).toEqual([
      {
        type: 'web_search',
        web_search: {
          enable: true,
          search_engine: 'search_pro_jina',
          search_result: true,
          require_search: true,
          search_recency_filter: 'oneWeek',
        },
      },
    ]);
  });

  it("is OpenAI's own field, without the gateway's extensions, wherever nothing else is known", async () => {
    const openaiFields = {
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { country: 'DE', city: 'Köln' } },
    };
    for (const [api, model] of [
      ['openai', 'gpt-5-search-api'],
      ['openai', 'gpt-5.2'],
      ['openai-compatible', 'anything'],
      ['mistral', 'mistral-large'],
      ['groq', 'llama-3.3-70b'],
    ] as const)
      expect((await bodyOf(api, model, everything))['web_search_options']).toEqual(openaiFields);
  });

  it('takes a recency that is the name of a method of objects for none', async () => {
    await expect(bodyOf('gemini', 'gemini-3', { recency: 'toString' })).resolves.toBeDefined();
  });

  it.each([...dialects.keys()].filter((api) => api !== 'vertex' && api !== 'bedrock'))(
    'of %s is made of any field that a client may send, or refused',
    async (api) => {
      const odd = fc.oneof(
        fc.anything(),
        fc.record(
          {
            max_uses: fc.anything(),
            allowed_domains: fc.anything(),
            blocked_domains: fc.anything(),
            user_location: fc.anything(),
            search_context_size: fc.anything(),
            recency: fc.anything(),
            required: fc.anything(),
          },
          { requiredKeys: [] },
        ),
      );
      const model = fc.constantFrom('gpt-5', 'claude-5', 'gemini-3', 'sonar', 'compound', 'glm-5');
      await fc.assert(
        fc.asyncProperty(odd, model, async (options, name) => {
          const json: unknown = JSON.parse(JSON.stringify(options ?? null));
          try {
            await bodyOf(api, name, json);
          } catch (error) {
            expect(error).toBeInstanceOf(GatewayError);
          }
        }),
        { numRuns: runs(300) },
      );
    },
  );
});

const none = null;
const asked = { withTools: true, always: false };
const alone = { withTools: false, always: false };
const unasked = { withTools: false, always: true };

describe("what is known of a model's own search", () => {
  it.each([
    ['openai-responses', 'gpt-5.2', asked],
    ['openai-responses', 'gpt-5.9-of-next-year', asked],
    ['openai-responses', 'openai/gpt-4o-mini', asked],
    ['openai-responses', 'o4-mini', asked],
    ['openai-responses', 'grok-4.3', asked],
    ['openai-responses', 'gpt-4.1-nano', none],
    ['openai-responses', 'gpt-4o-search-preview', none],
    ['openai-responses', 'gpt-4o-audio-preview', none],
    ['openai-responses', 'gpt-3.5-turbo', none],
    ['openai-responses', 'gpt-35-turbo', none],
    ['openai-responses', 'o3-mini', none],
    ['openai-responses', 'openai/gpt-oss-20b', none],
    ['openai-responses', 'deepseek-v4-flash', none],
    ['openai-responses', 'qwen3', none],
    ['openai', 'gpt-4o-search-preview-2025-03-11', unasked],
    ['openai', 'gpt-5-search-api', unasked],
    ['openai', 'gpt-5.2', none],
    ['azure-openai', 'gpt-5.2', none],
    ['anthropic', 'claude-3-5-haiku-latest', asked],
    ['anthropic', 'claude-sonnet-4-5', asked],
    ['anthropic', 'claude-of-next-year', asked],
    ['anthropic', 'claude-3-opus-20240229', none],
    ['anthropic', 'glm-5.3', none],
    ['gemini', 'gemini-3.5-flash', alone],
    ['gemini', 'models/gemini-2.5-pro', alone],
    ['gemini', 'gemini-flash-latest', alone],
    ['gemini', 'gemini-2.0-flash-lite', none],
    ['gemini', 'gemini-embedding-001', none],
    ['gemini', 'gemini-2.5-flash-image', none],
    ['gemini', 'gemma-3-27b-it', none],
    ['vertex', 'gemini-2.5-flash', alone],
    ['vertex', 'publishers/meta/models/llama-4', none],
    ['perplexity', 'sonar-pro', unasked],
    ['perplexity', 'sonar-of-next-year', unasked],
    ['perplexity', 'r1-1776', none],
    ['groq', 'groq/compound-mini', unasked],
    ['groq', 'compound-beta', unasked],
    ['groq', 'openai/gpt-oss-120b', none],
    ['openrouter', 'deepseek/deepseek-chat', asked],
    ['openrouter', 'perplexity/sonar', { withTools: true, always: true }],
    ['openrouter', 'x/y:online', { withTools: true, always: true }],
    ['zai', 'glm-5.3', alone],
    ['zai', 'glm-4.5v', none],
  ])('%s, %s', (api, model, expected) => {
    const found = adapterOf(api).webSearch?.(model) ?? null;
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatchObject(expected);
  });

  it.each([
    'xai',
    'mistral',
    'deepseek',
    'moonshot',
    'alibaba',
    'cohere',
    'bedrock',
    'together',
    'ollama',
    'openai-compatible',
  ])('%s has none at all', (api) => {
    expect(adapterOf(api).webSearch).toBeUndefined();
  });

  it('is found by our name or by the name that the provider has', () => {
    for (const deployments of [{ prod: 'gpt-5.2' }, { 'gpt-5.2': 'prod' }]) {
      const adapter = adapterOf('openai-responses', { deployments });
      expect(adapter.webSearch?.(Object.keys(deployments)[0]!)).toMatchObject(asked);
    }
  });

  it('says that its cost has a bound only where the provider keeps to a number of searches', () => {
    const bounded = [
      ['openai-responses', 'gpt-5.2', true],
      ['openai-responses', 'grok-4.3', false],
      ['anthropic', 'claude-sonnet-4-5', true],
      ['gemini', 'gemini-2.5-flash', true],
      ['gemini', 'gemini-3.5-flash', false],
      ['perplexity', 'sonar-deep-research', false],
      ['openrouter', 'x/y', false],
    ] as const;
    for (const [api, model, expected] of bounded)
      expect([model, adapterOf(api).webSearch?.(model)?.bounded]).toEqual([model, expected]);
  });
});
