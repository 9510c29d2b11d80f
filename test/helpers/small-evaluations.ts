import { featuresOf } from '../../src/chooser/predictor/features/features.js';
import type { Evaluations } from '../lab/fit/evaluations.js';
import { seeded } from '../../src/chooser/training/custom/bootstrap.js';

const nouns =
  'river lamp garden bridge piano window market engine forest harbour planet kettle ladder mirror'.split(
    ' ',
  );
const calls = 'sort filter merge parse reverse rotate split join count index'.split(' ');

/**
 * The models of small evaluations: one good at code, one good at facts, one cheap and fair at both.
 */
export const smallModels = ['coder-70b', 'scholar-70b', 'cheap-8b'] as const;
const chances = { code: [0.95, 0.35, 0.6], facts: [0.35, 0.95, 0.6] } as const;

function promptOf(kind: 'code' | 'facts', random: () => number): string {
  const one = (words: readonly string[]): string => words[Math.floor(random() * words.length)]!;
  return kind === 'code'
    ? `Write a Python function that can ${one(calls)} a list of ${one(nouns)} objects:\ndef ${one(calls)}_${one(nouns)}(items):\n    return [x for x in items if x > ${Math.floor(random() * 90)}]`
    : `Who first described the ${one(nouns)} near the ${one(nouns)}, and in which year of the century was it?`;
}

/** Evaluations of two kinds of prompts, drawn from a seed. All of it is made up. */
export function smallEvaluations(
  rows: number,
  seed = 1,
): Evaluations & { readonly prompts: readonly string[] } {
  const random = seeded(seed);
  const kinds = Array.from({ length: rows }, () => (random() < 0.5 ? 'code' : 'facts'));
  const prompts = kinds.map((kind) => promptOf(kind, random));
  return {
    prompts,
    features: prompts.map((content) => featuresOf({ messages: [{ role: 'user', content }] })),
    inputTokens: Float32Array.from(prompts, (prompt) => prompt.length / 4),
    tasks: Int32Array.from(kinds, (kind) => (kind === 'code' ? 0 : 1)),
    taskNames: ['small:code', 'small:facts'],
    families: ['code', 'facts'],
    groups: prompts,
    models: smallModels,
    scores: Float32Array.from(
      kinds.flatMap((kind) => chances[kind].map((chance) => (random() < chance ? 1 : 0))),
    ),
    outputTokens: Float32Array.from(
      kinds.flatMap((kind) => smallModels.map(() => (kind === 'code' ? 200 : 40))),
    ),
  };
}
