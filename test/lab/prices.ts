import { parametersInName } from '../../src/models/model-name.js';

/** USD for a million input tokens and for a million output tokens. */
export type ListPrice = readonly [input: number, output: number];

/** Public list prices of August 2024; for models withdrawn before, the last ones. */
const listed: Readonly<Record<string, ListPrice>> = {
  'gpt-4o-2024-05-13': [5, 15],
  'gpt-4o-2024-08-06': [2.5, 10],
  'gpt-4o-mini-2024-07-18': [0.15, 0.6],
  'chatgpt-4o-latest-24-09-07': [5, 15],
  'gpt-4-turbo-2024-04-09': [10, 30],
  'gpt-4-0125-preview': [10, 30],
  'gpt-4-1106-preview': [10, 30],
  'gpt-4-0314': [30, 60],
  'gpt-4-0613': [30, 60],
  'gpt-3.5-turbo-0125': [0.5, 1.5],
  'gpt-3.5-turbo-1106': [1, 2],
  'gpt-3.5-turbo-0301': [1.5, 2],
  gpt35_turbo_instruct: [1.5, 2],
  text_davinci_003: [20, 20],
  text_davinci_001: [20, 20],
  'o1-preview-2024-09-12': [15, 60],
  'o1-mini-2024-09-12': [3, 12],
  'claude-3-5-sonnet-20240620': [3, 15],
  'claude-3-opus-20240229': [15, 75],
  'claude-3-sonnet-20240229': [3, 15],
  'claude-3-haiku-20240307': [0.25, 1.25],
  'claude-1': [8, 24],
  'claude-2.0': [8, 24],
  'claude-2.1': [8, 24],
  'claude-instant-1': [0.8, 2.4],
  'claude-instant-1.2': [0.8, 2.4],
  'gemini-1.5-pro': [3.5, 10.5],
  'gemini-1.5-pro-002': [1.25, 5],
  'gemini-1.5-pro-exp-0801': [3.5, 10.5],
  'gemini-1.5-pro-exp-0827': [3.5, 10.5],
  'gemini-1.5-pro-preview-0409': [7, 21],
  'gemini-1.5-flash': [0.075, 0.3],
  'gemini-1.5-flash-002': [0.075, 0.3],
  'gemini-1.5-flash-exp-0827': [0.075, 0.3],
  'gemini-1.0-pro': [0.5, 1.5],
  'mistral-large-2407': [3, 9],
  'mistral-medium': [2.7, 8.1],
  'mistral-small-2402': [1, 3],
  'mistral-tiny-2312': [0.25, 0.25],
  'mistral-nemo-instruct-2407': [0.3, 0.3],
  'deepseek-v2-chat-0628': [0.14, 0.28],
  'deepseek-v2-coder-0614': [0.14, 0.28],
  'deepseek-v2-coder-0724': [0.14, 0.28],
  'deepseek-v2.5-0908': [0.14, 0.28],
  'command-r': [0.5, 1.5],
  'command-r-plus': [3, 15],
  cohere: [1, 2],
  'yi-large': [3, 3],
  'yi-large-preview': [3, 3],
  'reka-core-20240501': [10, 25],
  'reka-flash-20240226': [0.8, 2],
  'jamba-1.5-large': [2, 8],
  'dbrx-instruct': [1.2, 1.2],
  arctic: [2.4, 2.4],
  'athene-70b': [0.9, 0.9],
};

/** Billions of parameters of models whose names do not say. */
const sizes: Readonly<Record<string, number>> = {
  'phi-3-mini-4k-instruct': 3.8,
  'phi-3.5-mini-instruct': 3.8,
  'phi-2': 2.7,
  'phi-2-sft': 2.7,
  'firefunction-v1': 47,
  'firefunction-v2': 70,
  'functionary-medium-v3.1': 70,
  'functionary-small-v3.1': 8,
  'functionary-small-v3.2': 8,
  'gorilla-openfunctions-v2': 7,
  'nexusflow-raven-v2': 13,
};
/** Billions of parameters if the size of a model is unknown. */
const defaultSize = 13;

/**
 * List price of a model. Open models without one get what their size suggests for a host:
 * 0.03 USD plus 0.012 USD for each billion of parameters.
 */
export function listPriceOf(model: string): ListPrice {
  const known = listed[model];
  if (known) return known;
  const price = 0.03 + 0.012 * (parametersInName(model) ?? sizes[model] ?? defaultSize);
  return [price, price];
}
