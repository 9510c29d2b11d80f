import { smallEvaluations } from './small-evaluations.js';
import { seeded } from '../../src/chooser/training/custom/bootstrap.js';

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/**
 * Evaluations of `alpha` (good at code), `beta` (good at facts) and `gamma` as CSV. With `isNoise`
 * the scores are independent of the prompts.
 */
export function evaluationsCsv(
  rows: number,
  {
    seed = 1,
    isNoise = false,
    names = ['up/alpha', 'up/beta', 'up/gamma'],
  }: { seed?: number; isNoise?: boolean; names?: readonly string[] } = {},
): string {
  const { prompts, scores } = smallEvaluations(rows, seed);
  const random = seeded(seed + 100);
  const lines = prompts.map((prompt, row) =>
    [
      quoted(prompt),
      ...names.map((_, model) => (isNoise ? Number(random() < 0.6) : scores[row * 3 + model]!)),
    ].join(','),
  );
  return [['prompt', ...names].join(','), ...lines].join('\n');
}

/** A prompt of each kind. */
export const codePrompt =
  'Write a Python function that can sort a list of lamp objects:\ndef sort_lamp(items):\n    return [x for x in items if x > 12]';
export const factsPrompt =
  'Who first described the bridge near the river, and in which year of the century was it?';
