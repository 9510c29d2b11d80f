import { calcPrice, waitForUpdate } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/models/catalog.js';
import { noPrices } from '../../src/models/model-facts.js';

const priceIds = {
  openai: 'openai',
  claude: 'anthropic',
  aws: 'aws',
  vertex: 'google',
  openrouter: 'openrouter',
  together: 'together',
  fireworks: 'fireworks',
  deepseek: 'deepseek',
  groq: 'groq',
  local: null,
};
const catalog = createCatalog({ priceIds });

const listed = (providerId: string, model: string) =>
  calcPrice({}, model, { providerId })!.model_price;

describe("a model at a server of one's own", () => {
  const own = createCatalog({
    priceIds: { vllm: null, relay: 'openai', hosted: null },
    selfHosted: ['vllm', 'relay'],
    overrides: { 'vllm/stated': { inputPrice: 1, outputPrice: 2 } },
  });

  it.each(['my-model', 'llama3.3:70b', 'openai/gpt-oss-20b', 'Qwen/Qwen3-8B'])(
    'costs nothing: %s',
    (model) => {
      expect(own.lookup('vllm', model)).toMatchObject({ inputPrice: 0, outputPrice: 0 });
      expect(own.lookup('hosted', model)).toMatchObject({ inputPrice: null, outputPrice: null });
    },
  );

  it('costs what is stated', () => {
    expect(own.lookup('vllm', 'stated')).toMatchObject({ inputPrice: 1, outputPrice: 2 });
  });

  it('keeps the price that the list of its provider has', () => {
    expect(own.lookup('relay', 'gpt-4o')).toMatchObject({ inputPrice: 2.5, outputPrice: 10 });
    expect(own.lookup('relay', 'my-model')).toMatchObject({ inputPrice: 0, outputPrice: 0 });
  });

  it('is not free if only its maker serves it, because the server passes it on', () => {
    for (const model of ['gpt-4o', 'anthropic/claude-opus-4-5', 'gemini-2.5-pro', 'o3', 'grok-4'])
      expect([model, own.lookup('vllm', model).inputPrice]).toEqual([model, null]);
  });
});

describe('a model whose price the list lacks', () => {
  it('has the added one, by any name of the product, in tiers', () => {
    for (const name of ['qwen3-max', 'qwen3-max-preview', 'qwen3-max-2026-01-23'])
      expect(catalog.lookup('alibaba', name)).toMatchObject({
        inputPrice: { standard: 1.2, tiers: [{ start: 32_000, price: 2.4 }, { price: 3 }] },
        outputPrice: { standard: 6, tiers: [{ price: 12 }, { price: 15 }] },
      });
    expect(catalog.lookup('dashscope', 'qwen-plus').reasoningPrice).not.toBeNull();
    expect(catalog.lookup('zai', 'glm-4.6')).toMatchObject({ inputPrice: 0.6, outputPrice: 2.2 });
    expect(catalog.lookup('alibaba', 'qwen3-max-2031-01-01').inputPrice).not.toBeNull();
    expect(catalog.lookup('alibaba', 'a-model-of-mine').inputPrice).toBeNull();
    const named = createCatalog({ deployments: { alibaba: { deep: 'qwen3-max' } } });
    expect(named.lookup('alibaba', 'deep')).toMatchObject({ knownAs: 'qwen3-max' });
    expect(named.lookup('alibaba', 'deep').inputPrice).not.toBeNull();
  });
});

describe('looking up a model', () => {
  it('knows price, context length and abilities of a listed model', () => {
    expect(catalog.lookup('openai', 'gpt-4o')).toMatchObject({
      inputPrice: 2.5,
      outputPrice: 10,
      cachedInputPrice: 1.25,
      contextLength: 128_000,
      tools: true,
      images: true,
    });
  });

  it.each([
    ['a dated name', 'openai', 'gpt-4o-2024-08-06', 'gpt-4o'],
    ['a compact date', 'claude', 'claude-opus-4-5-20251101', 'claude-opus-4-5'],
    ['an unseen date', 'openai', 'gpt-4o-2031-01-31', 'gpt-4o'],
    ['a Vertex version', 'vertex', 'claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
    [
      'a Google resource name',
      'vertex',
      'publishers/google/models/gemini-2.5-flash',
      'gemini-2.5-flash',
    ],
    [
      'a Bedrock region',
      'aws',
      'eu.anthropic.claude-3-5-sonnet-20240620-v1:0',
      'anthropic.claude-3-5-sonnet-20240620-v1:0',
    ],
    [
      'a Bedrock region that is not listed',
      'aws',
      'ca.anthropic.claude-opus-4-6-v1:0',
      'us.anthropic.claude-opus-4-6-v1:0',
    ],
    [
      'a Bedrock profile ARN',
      'aws',
      'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0',
      'eu.anthropic.claude-haiku-4-5-20251001-v1:0',
    ],
    ['a vendor prefix', 'openrouter', 'anthropic/claude-3.5-sonnet', 'anthropic/claude-3.5-sonnet'],
    ['a variant', 'openrouter', 'openai/gpt-4o:online', 'openai/gpt-4o'],
    [
      "a host's own prefix",
      'together',
      'meta-llama/Llama-3.3-70B-Instruct-Turbo',
      'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    ],
    [
      'an account path',
      'fireworks',
      'accounts/fireworks/models/llama-v3p1-8b-instruct',
      'accounts/fireworks/models/llama-v3p1-8b-instruct',
    ],
  ])('resolves %s', (_what, provider, model, same) => {
    const facts = catalog.lookup(provider, model);
    expect(facts.inputPrice).not.toBeNull();
    expect(facts).toMatchObject({
      inputPrice: catalog.lookup(provider, same).inputPrice,
      outputPrice: catalog.lookup(provider, same).outputPrice,
    });
    expect(facts.ability).not.toBeNull();
    expect(facts.contextLength).toBeGreaterThan(8000);
  });

  it('treats a :free variant as free', () => {
    expect(catalog.lookup('openrouter', 'meta-llama/llama-3.3-70b-instruct:free')).toMatchObject({
      inputPrice: 0,
      outputPrice: 0,
    });
  });

  it('treats an empty price entry as unknown, not as free', () => {
    expect(listed('google', 'gemma-3')).toEqual({});
    expect(catalog.lookup('vertex', 'gemma-3')).toMatchObject({
      inputPrice: null,
      outputPrice: null,
    });
  });

  describe('for a name of our own', () => {
    const named = createCatalog({
      priceIds: { anthropic: 'anthropic', local: null },
      deployments: {
        anthropic: { deep: 'claude-opus-4-5', 'claude-haiku-4-5': 'claude-opus-4-5' },
        local: { ours: 'gemma3:27b', theirs: 'unknown-too' },
      },
    });

    it('has the facts of the model that the provider calls', () => {
      const theirs = named.lookup('anthropic', 'claude-opus-4-5');
      expect(named.lookup('anthropic', 'deep')).toEqual({ ...theirs, offer: 'anthropic/deep' });
      const own = named.lookup('local', 'gemma3:27b');
      expect(named.lookup('local', 'ours')).toEqual({ ...own, offer: 'local/ours' });
    });

    it('has the facts of our name where it tells the model', () => {
      const { inputPrice, knownAs } = named.lookup('anthropic', 'claude-haiku-4-5');
      expect(inputPrice).toBe(named.lookup('anthropic', 'claude-haiku-4-5-20251001').inputPrice);
      expect(knownAs).toBe('claude-haiku-4-5');
      expect(named.lookup('local', 'theirs').knownAs).toBe('theirs');
    });

    it('finds no names that every object has', () => {
      for (const name of ['constructor', '__proto__', 'toString'])
        expect(named.lookup('local', name).knownAs).toBe(name);
    });
  });

  it('has only nulls for an unknown model', () => {
    expect(catalog.lookup('local', 'my-own-thing')).toEqual({
      ...noPrices,
      knownAs: 'my-own-thing',
      offer: 'local/my-own-thing',
      effortInName: null,
      rates: { input: null, output: null, cachedInput: null },
      contextLength: null,
      maxOutput: null,
      tools: null,
      images: null,
      quality: null,
      latency: null,
      ability: null,
      abilityStated: null,
      reasoningEffort: null,
    });
  });

  it('knows ability and context length, but no price, of a known model on a provider without a price list', () => {
    const facts = catalog.lookup('local', 'llama3.1:8b');
    expect(facts).toMatchObject({
      inputPrice: null,
      outputPrice: null,
      tools: true,
      images: false,
      contextLength: 131_072,
    });
    expect(facts.ability).toBeCloseTo(0.4, 5);
  });

  it("finds a context length that the provider itself does not list under another provider's name", () => {
    expect(catalog.lookup('groq', 'llama-3.3-70b-versatile').contextLength).toBe(131_072);
  });

  it('knows a provider that is not configured by its common names', () => {
    expect(catalog.lookup('anthropic', 'claude-3-haiku').inputPrice).toBe(0.25);
    expect(catalog.lookup('xai', 'grok-4').outputPrice).toBe(15);
    expect(catalog.lookup('togetherai', 'meta-llama/Llama-3.3-70B-Instruct-Turbo').inputPrice).toBe(
      0.88,
    );
  });

  it("resolves a bare name to its maker, under the maker's configured name", () => {
    expect(catalog.identify('gpt-4o')).toEqual({ provider: 'openai', model: 'gpt-4o' });
    expect(catalog.identify('claude-opus-4-6')).toEqual({
      provider: 'claude',
      model: 'claude-opus-4-6',
    });
    expect(catalog.identify('local/llama')).toEqual({ provider: 'local', model: 'llama' });
    expect(catalog.identify('anthropic/claude-opus-4-6')).toEqual({
      provider: 'anthropic',
      model: 'claude-opus-4-6',
    });
    expect(catalog.identify('nobody-knows')).toBeNull();
    expect(catalog.lookup(null, 'gpt-4o')).toEqual(catalog.lookup('openai', 'gpt-4o'));
  });

  it('resolves a name once', () => {
    expect(catalog.lookup('openai', 'gpt-4.1')).toBe(catalog.lookup('openai', 'gpt-4.1'));
  });

  it('accepts any name', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        fc.option(fc.string(), { nil: null }),
        fc.string({ unit: 'binary', maxLength: 300 }),
        (provider, model) => {
          expect(catalog.lookup(provider, model)).toHaveProperty('contextLength');
        },
      ),
    );
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      '',
      '/',
      ':',
      ':free',
      '@',
      'x'.repeat(100_000),
    ])
      expect(catalog.lookup(name, name).quality).toBeNull();
  });

  it('resolves every listed model of every provider', { timeout: 60_000 }, async () => {
    for (const provider of (await waitForUpdate())!) {
      for (const { id } of provider.models)
        expect(() => catalog.lookup(provider.id, id)).not.toThrow();
    }
  });
});

describe('prices that depend on the time', () => {
  it('change at the minute that the list says', () => {
    let now = Date.parse('2026-11-20T00:29:59Z');
    const timed = createCatalog({ priceIds, now: () => now });
    const night = timed.lookup('deepseek', 'deepseek-chat');
    now += 1000;
    const day = timed.lookup('deepseek', 'deepseek-chat');
    expect([night.inputPrice, day.inputPrice]).toEqual([0.135, 0.27]);
    now += 15 * 60 * 1000;
    expect(timed.lookup('deepseek', 'deepseek-chat')).toEqual(day);
  });

  it('change on the day that the list says', () => {
    let now = Date.parse('2025-06-09T23:59:59Z');
    const timed = createCatalog({ priceIds, now: () => now });
    expect(timed.lookup('openai', 'o3').inputPrice).toBe(10);
    now += 1000;
    expect(timed.lookup('openai', 'o3').inputPrice).toBe(2);
  });
});

describe('the configuration', () => {
  const configured = createCatalog({
    priceIds,
    overrides: {
      'local/qwen3': {
        inputPrice: 0,
        outputPrice: 0,
        contextLength: 32_768,
        tools: false,
        quality: 0.7,
        latency: 0.2,
        maxOutput: 4096,
      },
      'openai/gpt-4o': { inputPrice: 1 },
      'openai/gpt-4.1': { tools: false, contextLength: null },
    },
  });

  it('overrides the list', () => {
    expect(configured.lookup('local', 'qwen3')).toMatchObject({
      inputPrice: 0,
      outputPrice: 0,
      contextLength: 32_768,
      tools: false,
      quality: 0.7,
      latency: 0.2,
      maxOutput: 4096,
    });
  });

  it('leaves other facts as listed; null counts as absent', () => {
    expect(configured.lookup('openai', 'gpt-4.1')).toMatchObject({
      tools: false,
      images: true,
      inputPrice: 2,
      contextLength: 1_000_000,
    });
  });

  it("does not combine its own price with the list's special rates", () => {
    expect(configured.lookup('openai', 'gpt-4o')).toMatchObject({
      inputPrice: 1,
      outputPrice: 10,
      cachedInputPrice: null,
    });
  });

  it('adds its models to those of the provider', () => {
    expect(configured.models('local')).toEqual(['qwen3']);
    expect(configured.models('openai').slice(0, 2)).toEqual(['gpt-4o', 'gpt-4.1']);
  });
});

describe('the models of a provider', () => {
  it('are callable names, without deprecated models and duplicates', () => {
    expect(catalog.models('fireworks')).toContain('accounts/fireworks/models/gpt-oss-120b');
    expect(catalog.models('openrouter').every((name) => name.includes('/'))).toBe(true);
    expect(catalog.models('aws').some((name) => name.startsWith('regional.'))).toBe(false);
    expect(catalog.models('x-ai')).not.toContain('grok-2-1212');
    for (const provider of Object.keys(priceIds))
      expect(new Set(catalog.models(provider)).size).toBe(catalog.models(provider).length);
  });

  it('are none for a provider that is not listed', () => {
    expect(catalog.models('local')).toEqual([]);
    expect(catalog.models('no-such-provider')).toEqual([]);
  });
});
