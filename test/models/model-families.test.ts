import { waitForUpdate } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { guessedAbility, knownAbility } from '../../src/models/model-families.js';
import { capabilitiesOf } from '../../src/models/model-families.js';
import { canonicalName } from '../../src/models/model-name.js';

const ability = (model: string): number => knownAbility(canonicalName(model)) ?? NaN;

describe('the ability of a known family', () => {
  it.each([
    [['gpt-5', 'gpt-4.1', 'gpt-4o', 'gpt-4-turbo', 'gpt-3.5-turbo']],
    [['gpt-6-sol', 'gpt-5.4', 'gpt-5.1', 'gpt-5', 'gpt-5-mini', 'gpt-5-nano']],
    [['gpt-6.2-astra', 'gpt-6.2-sol', 'gpt-6.1-terra', 'gpt-6-luna']],
    [['o3', 'o1', 'o1-mini']],
    [
      [
        'claude-opus-4-5',
        'claude-sonnet-4-5',
        'claude-sonnet-4-0',
        'claude-3-7-sonnet',
        'claude-3.5-sonnet',
        'claude-3-opus',
        'claude-3-haiku',
        'claude-2.1',
      ],
    ],
    [
      [
        'gemini-3-pro-preview',
        'gemini-2.5-pro',
        'gemini-2.5-flash',
        'gemini-2.5-flash-lite',
        'gemini-1.5-flash',
        'gemini-pro',
      ],
    ],
    [['grok-4.7', 'grok-4.3', 'grok-4', 'grok-3', 'grok-2']],
    [['deepseek-v3.2', 'deepseek-v3.1-terminus', 'deepseek-r1', 'deepseek-chat-v3-0324']],
    [
      [
        'meta-llama/llama-3.3-70b-instruct',
        'llama-3-70b-instruct',
        'llama-3.1-8b-instant',
        'llama-3-8b',
        'llama-3.2-3b',
        'llama-2-70b-chat',
        'llama-2-7b-chat',
      ],
    ],
    [['mistral-large-4', 'mistral-large-2407', 'mixtral-8x7b-instruct', 'mistral-7b-instruct']],
    [
      [
        'qwen3-235b-a22b-thinking-2507',
        'qwen3-32b',
        'qwen3-8b',
        'qwen2.5-7b-instruct',
        'qwen2.5-0.5b-instruct',
      ],
    ],
    [['kimi-k2.5', 'kimi-k2-thinking', 'kimi-k2-0905-preview', 'moonshot-v1-8k']],
    [['glm-4.7', 'glm-4.6', 'glm-4.5', 'glm-4.5-air']],
    [['command-a-03-2025', 'command-r-plus', 'command-r', 'command-r7b']],
    [
      [
        'amazon.nova-premier-v1:0',
        'amazon.nova-pro-v1:0',
        'amazon.nova-lite-v1:0',
        'amazon.nova-micro-v1:0',
        'amazon.titan-text-lite-v1',
      ],
    ],
    [['phi-4', 'phi-3-mini', 'phi-2']],
    [
      [
        'nvidia/llama-3.1-nemotron-ultra-253b-v1',
        'nvidia/llama-3.3-nemotron-super-49b-v1',
        'nvidia/nemotron-nano-9b-v2',
      ],
    ],
  ])('falls along %s', (models) => {
    const abilities = models.map(ability);
    expect(abilities).toEqual([...abilities].sort((a, b) => b - a));
    expect(new Set(abilities).size).toBe(models.length);
  });

  it('is the same for every spelling of the name', () => {
    for (const same of [
      [
        'claude-3.5-sonnet',
        'eu.anthropic.claude-3-5-sonnet-20241022-v2:0',
        'anthropic/claude-3.5-sonnet:beta',
      ],
      [
        'llama3.1:8b',
        'accounts/fireworks/models/llama-v3p1-8b-instruct',
        'meta.llama3-1-8b-instruct-v1:0',
      ],
    ]) {
      expect(new Set(same.map(ability)).size).toBe(1);
    }
  });

  it('is not that of a similar name: a snapshot of GPT-4 is not GPT-4.1', () => {
    expect(ability('gpt-4-1106-preview')).toBe(ability('gpt-4-turbo'));
    expect(ability('gpt-4-0613')).toBe(ability('gpt-4'));
  });

  it('is for a newer version of a known line at least that of the newest known one', () => {
    expect(ability('claude-opus-7-1')).toBeGreaterThanOrEqual(ability('claude-opus-5'));
    expect(ability('gpt-8')).toBeGreaterThanOrEqual(ability('gpt-5.5'));
  });

  it('is lowest for models that are not chat models', () => {
    for (const model of ['text-embedding-3-small', 'whisper-1', 'dall-e-3', 'llama-guard-3-8b'])
      expect(ability(model)).toBeLessThan(0.1);
  });

  it('is known for most models of the price data, always between 0 and 1', async () => {
    const ids = (await waitForUpdate())!.flatMap(({ models }) => models.map(({ id }) => id));
    const known = ids.map(ability).filter((value) => !Number.isNaN(value));
    expect(known.every((value) => value > 0 && value < 1)).toBe(true);
    expect(known.length / ids.length).toBeGreaterThan(0.8);
  });
});

describe('the guessed ability of an unknown model', () => {
  it('grows with the size in the name', () => {
    const guesses = ['new-1b', 'new-8b', 'new-70b', 'new-400b'].map((model) =>
      guessedAbility(model, null),
    );
    expect(guesses).toEqual([...guesses].sort((a, b) => a - b));
    expect(new Set(guesses).size).toBe(4);
  });

  it('grows slowly with the price', () => {
    const guesses = [0.05, 0.5, 5, 50].map((price) => guessedAbility('new', price));
    expect(guesses).toEqual([...guesses].sort((a, b) => a - b));
    expect(guesses[3]! - guesses[0]!).toBeLessThan(0.25);
  });

  it('considers words such as mini and large', () => {
    expect(guessedAbility('new-mini', 1)).toBeLessThan(guessedAbility('new', 1));
    expect(guessedAbility('new-large', 1)).toBeGreaterThan(guessedAbility('new', 1));
  });

  it('is between 0.2 and 0.7 for any name and price', () => {
    for (const [model, price] of [
      ['new-0b', 1],
      ['new-999999b', 1e300],
      ['', 0],
      ['new', 1e-300],
    ] as const) {
      expect(guessedAbility(model, price)).toBeGreaterThanOrEqual(0.2);
      expect(guessedAbility(model, price)).toBeLessThanOrEqual(0.7);
    }
  });
});

describe('what a model can do', () => {
  const can = (model: string) => capabilitiesOf(canonicalName(model));

  it.each([
    'gpt-4o',
    'gpt-5-mini',
    'o3',
    'claude-3-haiku-20240307',
    'claude-opus-4-6',
    'gemini-2.5-flash',
    'llama-4-scout',
    'pixtral-large-2411',
    'grok-4',
    'kimi-k2.5',
    'amazon.nova-pro-v1:0',
  ])('%s calls tools and reads images', (model) =>
    expect(can(model)).toEqual({ tools: true, images: true }),
  );

  it.each([
    'gpt-3.5-turbo',
    'o3-mini',
    'gpt-oss-120b',
    'deepseek-chat',
    'llama-3.3-70b-versatile',
    'qwen3-32b',
    'command-r-plus',
    'kimi-k2-0905',
    'glm-4.6',
    'mistral-large-2407',
  ])('%s calls tools and reads text only', (model) =>
    expect(can(model)).toEqual({ tools: true, images: false }),
  );

  it.each([
    'o1-mini',
    'text-embedding-3-large',
    'whisper-large-v3',
    'claude-2.1',
    'gpt-3.5-turbo-instruct',
    'llama-2-70b-chat',
    'meta-llama/llama-guard-4-12b',
  ])('%s does neither', (model) => expect(can(model)).toEqual({ tools: false, images: false }));

  it('is null where the documentation leaves it open', () => {
    expect(can('my-own-thing')).toEqual({ tools: null, images: null });
    expect(can('deepseek-reasoner').tools).toBeNull();
    expect(can('qwen2.5-vl-72b-instruct')).toEqual({ tools: null, images: true });
  });
});
