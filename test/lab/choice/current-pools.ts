import type { Candidate } from '../../../src/chooser/plan.js';

/** A model of a pool with its list price, in USD per million tokens of prompt and of answer. */
type Priced = readonly [model: string, input: number, output: number];

const pools: Readonly<Record<string, readonly Priced[]>> = {
  mixed: [
    ['gpt-5.2', 1.75, 14],
    ['claude-sonnet-4-5', 3, 15],
    ['gemini-2.5-flash', 0.3, 2.5],
    ['claude-haiku-4-5', 1, 5],
    ['gpt-5-nano', 0.05, 0.4],
    ['llama-3.3-70b', 0.59, 0.79],
  ],
  OpenAI: [
    ['gpt-5.2', 1.75, 14],
    ['gpt-5.1', 1.25, 10],
    ['gpt-5-mini', 0.25, 2],
    ['gpt-5-nano', 0.05, 0.4],
    ['gpt-4.1', 2, 8],
  ],
  Anthropic: [
    ['claude-opus-4-5', 5, 25],
    ['claude-sonnet-4-5', 3, 15],
    ['claude-haiku-4-5', 1, 5],
  ],
  Google: [
    ['gemini-3-pro', 2, 12],
    ['gemini-2.5-pro', 1.25, 10],
    ['gemini-2.5-flash', 0.3, 2.5],
    ['gemini-2.5-flash-lite', 0.1, 0.4],
  ],
  open: [
    ['deepseek-v3.2', 0.28, 0.42],
    ['qwen3-235b-a22b', 0.2, 0.6],
    ['gpt-oss-120b', 0.15, 0.6],
    ['llama-3.3-70b', 0.59, 0.79],
    ['gpt-oss-20b', 0.05, 0.2],
  ],
};

/** Models that an expert calls small. */
export const smallModels: ReadonlySet<string> = new Set([
  'gpt-5-nano',
  'gpt-5-mini',
  'gemini-2.5-flash',
  'gemini-2.5-flash-lite',
  'claude-haiku-4-5',
  'llama-3.3-70b',
  'gpt-oss-20b',
]);

/** Pools of today's models that the choice is judged on, by name. */
export const currentPools: ReadonlyMap<string, readonly Candidate[]> = new Map(
  Object.entries(pools).map(([name, models]) => [
    name,
    models.map(([model, input, output]) => ({
      label: model,
      provider: null,
      model,
      price: { input, output },
    })),
  ]),
);
