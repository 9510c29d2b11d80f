import { describe, expect, it } from 'vitest';
import { type ConfigInput, resolveConfig } from '../../src/config/config.js';
import { providersOf, rules } from '../../src/gateway.js';
import { dialects } from '../../src/providers/index.js';

const detected = (env: Record<string, string>, input: ConfigInput = {}) =>
  providersOf(resolveConfig(input, env, rules), env);
const variables = [...dialects.values()].flatMap(({ api, env }) =>
  env.map((variable) => [variable, api] as const),
);
const usual = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
  'XAI_API_KEY',
  'TOGETHER_API_KEY',
  'FIREWORKS_API_KEY',
  'OPENROUTER_API_KEY',
  'PERPLEXITY_API_KEY',
  'CEREBRAS_API_KEY',
  'COHERE_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
];

describe('a provider without a configuration', () => {
  // Bedrock needs a region of the process's own environment too: see start.test.ts
  it.each(variables.filter(([, api]) => api !== 'bedrock'))(
    'is on when %s is set: %s',
    (variable, api) => {
      const { providers, warnings } = detected({ [variable]: ' sk-x\n' });
      expect(providers).toEqual([
        expect.objectContaining({
          name: api,
          api,
          apiKeys: ['sk-x'],
          allowProxy: true,
          listModels: true,
          timeouts: { connectMs: 10_000, firstEventMs: null, idleMs: 120_000 },
        }),
      ]);
      expect(warnings).toEqual([]);
    },
  );

  it('has its usual variable', () => {
    expect(variables.map(([variable]) => variable)).toEqual(expect.arrayContaining(usual));
  });

  it('stays off when the variable is empty', () => {
    for (const blank of ['', ' ', '\n'])
      expect(
        detected(Object.fromEntries(variables.map(([variable]) => [variable, blank]))).providers,
      ).toEqual([]);
  });

  it("stays off when its dialect or its name is configured: the choice of keys is the user's", () => {
    const env = { ANTHROPIC_API_KEY: 'a', GROQ_API_KEY: 'g', OPENAI_API_KEY: 'o' };
    const { providers } = detected(env, {
      providers: {
        claude: { api: 'anthropic', apiKey: 'own' },
        groq: { api: 'openai', apiKey: 'own' },
      },
    });
    expect(providers.map(({ name, apiKeys }) => [name, apiKeys])).toEqual([
      ['claude', ['own']],
      ['groq', ['own']],
    ]);
  });

  it('is on when its entry was left out for want of a key of another name', () => {
    expect(
      detected(
        { GROQ_API_KEY: 'g' },
        { providers: { groq: { api: 'groq', apiKey: '${TYPO}' } } },
      ).providers.map(({ apiKeys }) => apiKeys),
    ).toEqual([['g']]);
  });
});
