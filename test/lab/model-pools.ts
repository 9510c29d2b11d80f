/** The models of the pool frontier-12. */
export const frontierModels = [
  'gpt-4o-2024-05-13',
  'gpt-4o-2024-08-06',
  'gpt-4o-mini-2024-07-18',
  'claude-3-5-sonnet-20240620',
  'claude-3-opus-20240229',
  'claude-3-haiku-20240307',
  'gemini-1.5-pro',
  'gemini-1.5-flash',
  'mistral-large-2407',
  'llama-3-70b-instruct',
  'llama-3-8b-instruct',
  'gpt-3.5-turbo-0125',
];

/** The models of the pool mmlu-pro-11. */
export const mmluModels = [
  'llama-3.1-70b-instruct',
  'llama-3.1-8b-instruct',
  'qwen2-72b-instruct',
  'qwen1.5-72b-chat',
  'jamba-1.5-large',
  'wizardlm-2-8x22b',
  'deepseek-llm-67b-chat',
  'mixtral-8x7b-instruct-v0.1',
  'command-r',
  'mistral-7b-instruct-v0.2',
  'phi-3-mini-4k-instruct',
];

const chatModels = [
  'gpt-4-1106-preview',
  'gpt-4-0613',
  'gpt-3.5-turbo-1106',
  'claude-2.1',
  'claude-instant-1.2',
  'llama-2-70b-chat',
  'mixtral-8x7b-instruct-v0.1',
  'mistral-7b-instruct-v0.2',
  'tulu-2-dpo-70b',
  'vicuna-33b-v1.3',
  'vicuna-13b-v1.5',
  'vicuna-7b-v1.5',
];

/** The sources of the pool frontier-12. */
export const frontierSources = ['ze_crux', 'ze_math-l5', 'bfcl'];

/**
 * The models that are taken from a source that measured dozens. All models of other sources are
 * taken.
 */
export const modelsBySource: Readonly<Record<string, readonly string[]>> = {
  mmlu_pro: mmluModels,
  alpaca_eval: chatModels,
  ...Object.fromEntries(frontierSources.map((source) => [source, frontierModels])),
};

/** The pairs of models for RouteLLM's figures; the first was current earlier than the second. */
export const strongAndWeak: readonly (readonly [strong: string, weak: string])[] = [
  ['gpt-4o-2024-05-13', 'gpt-4o-mini-2024-07-18'],
  ['gpt-4o-2024-08-06', 'gpt-4o-mini-2024-07-18'],
];
